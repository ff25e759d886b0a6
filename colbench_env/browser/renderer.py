"""`Renderer`: pages in, pictures and blocks out, whatever the pages do to the engine."""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from queue import SimpleQueue
from typing import Any

from colbench_env.browser.page import Page
from colbench_env.browser.process import Worker, WorkerError
from colbench_env.errors import ConfigError, Fault, MissingDependencyError

ENGINES = ("blitz", "chromium")
INSTALL = {
    "blitz": "the blitz engine is missing: pip install 'colbench-env[frontend]'",
    "chromium": "the chromium engine is missing: apt-get install chromium-headless-shell, "
    "and pip install 'colbench-env[frontend]'",
}
TIMEOUT = 5.0  # seconds a page may take
MEMORY = 3 * 2**30  # bytes that a worker may use
CACHE = 128 * 2**20  # bytes of pages kept: some hundreds


class Renderer:
    """Draws batches of untrusted pages in worker processes with limits.

    A page that takes too long or too much memory costs its worker, which is killed and replaced;
    the page gets a `problem` and the next one is drawn as if nothing had happened. Pictures are
    kept, so that a reference page is drawn once. Copies and pickles of a renderer are the shared
    one of the same settings.

    Args:
        engine: `"blitz"` or `"chromium"`.
        workers: How many processes draw at once.
        timeout: Seconds a page may take.
        memory: Bytes of memory a worker may use.

    Raises:
        ConfigError: No engine is called so.
        MissingDependencyError: It is not installed.
    """

    def __init__(
        self,
        engine: str = "blitz",
        *,
        workers: int = 1,
        timeout: float = TIMEOUT,
        memory: int = MEMORY,
    ) -> None:
        if engine not in ENGINES:
            raise ConfigError(f"renderer={engine!r} is unknown; use 'auto', 'blitz' or 'chromium'")
        if not available(engine):
            raise MissingDependencyError(INSTALL[engine])
        if workers < 1:
            raise ConfigError(f"workers must be at least 1, got {workers}")
        self.engine = engine
        self._settings = (engine, workers, timeout, memory)
        self._lock = threading.Lock()
        self._cache: OrderedDict[bytes, Page] = OrderedDict()
        self._cached = 0
        self._owner = 0
        self._workers: list[Worker] = []
        self._idle: SimpleQueue[Worker] = SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _shared, self._settings

    def render(self, pages: Sequence[str]) -> list[Page | Fault]:
        """Draw a batch.

        Args:
            pages: HTML texts.

        Returns:
            For each a `Page`, with a `problem` where the page itself is to blame; a `Fault` where
            the engine did not start.
        """
        with self._lock:
            keys = [hashlib.sha256(page.encode("utf-8", "replace")).digest() for page in pages]
            missing = {k: p for k, p in zip(keys, pages, strict=True) if k not in self._cache}
            drawn = dict(zip(missing, self._draw(list(missing.values())), strict=True))
            results: list[Page | Fault] = []
            for key in keys:
                if key in self._cache:
                    self._cache.move_to_end(key)
                    results.append(self._cache[key])
                else:
                    results.append(drawn[key])
            for key, page in drawn.items():
                if isinstance(page, Page):
                    self._keep(key, page)
        return results

    def close(self) -> None:
        """End the worker processes; the next `render` starts new ones."""
        with self._lock:
            self._stop()

    def _keep(self, key: bytes, page: Page) -> None:
        self._cache[key] = page
        self._cached += _size(page)
        while self._cached > CACHE and len(self._cache) > 1:
            self._cached -= _size(self._cache.popitem(last=False)[1])

    def _draw(self, pages: list[str]) -> list[Page | Fault]:
        if not pages:
            return []
        if self._owner != os.getpid():  # first use, or the first in a forked process
            self._start()
        if len(self._workers) == 1 or len(pages) == 1:
            return [self._draw_one(page) for page in pages]
        assert self._threads is not None
        return list(self._threads.map(self._draw_one, pages))

    def _draw_one(self, html: str) -> Page | Fault:
        worker = self._idle.get()
        try:
            return worker.draw(html)
        except WorkerError as error:
            return Fault(f"renderer:{self.engine}", "not started", str(error))
        finally:
            self._idle.put(worker)

    def _start(self) -> None:
        engine, workers, timeout, memory = self._settings
        self._workers = [Worker(engine, timeout=timeout, memory=memory) for _ in range(workers)]
        self._idle = SimpleQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="colbench-renderer")
        self._owner = os.getpid()
        atexit.register(self._stop)

    def _stop(self) -> None:
        if self._owner != os.getpid():
            return
        for worker in self._workers:
            worker.kill()
        if self._threads is not None:
            self._threads.shutdown(wait=False)
        atexit.unregister(self._stop)
        self._workers, self._threads, self._owner = [], None, 0


def _size(page: Page) -> int:
    return page.picture.starts.nbytes * 2 + page.tiles.nbytes + 500 * len(page.blocks)


def available(engine: str) -> bool:
    """Return whether an engine is installed."""
    if any(importlib.util.find_spec(name) is None for name in ("lxml", "tinycss2", "PIL")):
        return False
    if engine == "blitz":
        return importlib.util.find_spec("blitz_py") is not None
    return shutil.which("chromium-headless-shell") is not None


def make_renderer(spec: str | Renderer = "auto") -> Renderer:
    """Return the renderer that a short name stands for; equal names share one object.

    Args:
        spec: `"auto"` (blitz where it is installed, else Chromium), `"blitz"`, `"chromium"`, either
            with a number of workers (`"chromium:2"`), or a `Renderer`.

    Raises:
        ConfigError: No engine is called so.
        MissingDependencyError: It is not installed; the message holds the line that installs it.
    """
    if isinstance(spec, Renderer):
        return spec
    name, _, workers = spec.partition(":")
    if workers and not workers.isdecimal():
        raise ConfigError(f"renderer={spec!r}: after the colon comes a number of workers")
    if name == "auto":
        name = next((engine for engine in ENGINES if available(engine)), "")
        if not name:
            raise MissingDependencyError(" or ".join(INSTALL.values()))
    return _shared(name, int(workers or 1), TIMEOUT, MEMORY)


@lru_cache(maxsize=16)
def _shared(engine: str, workers: int, timeout: float, memory: int) -> Renderer:
    return Renderer(engine, workers=workers, timeout=timeout, memory=memory)
