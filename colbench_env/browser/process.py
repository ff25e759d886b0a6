"""One worker process from the parent's side: started, asked with a time limit, killed, replaced."""

from __future__ import annotations

import contextlib
import json
import mmap
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from colbench_env.browser.page import MAX_HEIGHT, WIDTH, Block, Page, Picture, white

START_TIMEOUT = 30.0  # seconds a worker may take to come up
SHARED = MAX_HEIGHT * WIDTH * 8 + (MAX_HEIGHT // 32) * (WIDTH // 32) * 24  # bytes
MAX_ANSWER = 16 * 2**20  # bytes
FONT = "Inter 4.1"
_FONTS_CONF = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{folder}</dir><cachedir>{folder}/cache</cachedir></fontconfig>
"""


class WorkerError(RuntimeError):
    """The worker process does not come up."""


class Worker:
    """A worker process, started when it is first needed and again after it was killed.

    Args:
        engine: What it draws with.
        timeout: Seconds a page may take.
        memory: Bytes of address space it may use.
    """

    def __init__(self, engine: str, *, timeout: float, memory: int) -> None:
        self._engine, self._timeout, self._memory = engine, timeout, memory
        self._process: subprocess.Popen[bytes] | None = None
        self._about: dict[str, str] = {}
        self._folder = ""
        self._shared: mmap.mmap | bytes = b""

    def draw(self, html: str) -> Page:
        """Draw one page; a page that breaks the worker gets a `problem`.

        Raises:
            WorkerError: The worker does not start.
        """
        if self._process is None:
            self._start()
        data = json.dumps({"html": html}).encode()
        deadline = time.monotonic() + self._timeout
        try:
            self._write(struct.pack("<I", len(data)) + data, deadline)
            return self._page(self._receive(deadline))
        except TimeoutError:
            self.kill()
            return white(f"the page took more than {self._timeout:g} s", self._about)
        except (OSError, EOFError, ValueError, TypeError, KeyError):
            self.kill()
            return white("the page broke the engine", self._about)

    def _page(self, answer: dict[str, Any]) -> Page:
        """Return the page of an answer, copied out of the shared memory.

        Raises:
            ValueError: The answer is none that a sound worker gives; so are the two others.
            TypeError: See there.
            KeyError: See there.
        """
        if "problem" in answer:
            return white(str(answer["problem"])[:200], self._about)
        height, runs = int(answer["height"]), int(answer["runs"])
        size = height * WIDTH
        if not 0 < height <= MAX_HEIGHT or not 0 < runs <= size:
            raise ValueError("the picture has the wrong size")
        starts, colours = np.frombuffer(self._shared, np.uint32, 2 * runs).copy().reshape(2, runs)
        shape = (-(-height // 32), WIDTH // 32, 6)
        count = shape[0] * shape[1] * shape[2]
        tiles = np.frombuffer(self._shared, np.float32, count, offset=8 * runs).copy()
        ascending = starts[0] == 0 and (starts[1:] > starts[:-1]).all() and starts[-1] < size
        if not ascending or not np.isfinite(tiles).all():
            raise ValueError("the picture is none")
        blocks = tuple(Block(*block) for block in answer["blocks"])
        picture = Picture(starts, colours, height)
        background = str(answer["background"])
        return Page(picture, tiles.reshape(shape), blocks, background, self._about)

    def kill(self) -> None:
        """End the process and whatever it started."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = ""

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="colbench-")
        os.chmod(self._folder, 0o755)
        font = resources.files("colbench_env.browser") / "assets" / "Inter.ttf"
        Path(self._folder, "Inter.ttf").write_bytes(font.read_bytes())
        Path(self._folder, "cache").mkdir()
        os.chmod(Path(self._folder, "cache"), 0o777)  # the worker may become another user
        conf = Path(self._folder, "fonts.conf")
        conf.write_text(_FONTS_CONF.format(folder=self._folder))
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "FONTCONFIG_FILE": str(conf),
            "HOME": self._folder,
            "TMPDIR": self._folder,
            "LANG": "C.UTF-8",
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
        }
        memory = os.memfd_create("colbench-picture")
        os.ftruncate(memory, SHARED)
        self._shared = mmap.mmap(memory, 0)
        command = [sys.executable, "-m", "colbench_env.browser.worker", self._engine]
        with Path(self._folder, "stderr").open("wb") as errors:
            self._process = subprocess.Popen(
                [*command, str(self._memory), str(memory)],
                pass_fds=[memory],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=environment,
                cwd=self._folder,
                start_new_session=True,
            )
        os.close(memory)
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        try:
            header = self._receive(time.monotonic() + START_TIMEOUT)
        except (OSError, EOFError, ValueError) as error:
            why = self._last_words() or str(error) or type(error).__name__
            self.kill()
            raise WorkerError(f"{self._engine} did not start: {why}") from error
        self._about = {
            "engine": str(header["engine"]),
            "version": str(header["version"]),
            "font": FONT,
        }

    def _last_words(self) -> str:
        """Return the last line that the worker wrote to standard error."""
        text = Path(self._folder, "stderr").read_text("utf-8", "replace").strip()
        return text.splitlines()[-1][:300] if text else ""

    def _write(self, data: bytes, deadline: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pipe = self._process.stdin.fileno()
        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [pipe], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            view = view[os.write(pipe, view) :]

    def _receive(self, deadline: float) -> dict[str, Any]:
        [size] = struct.unpack("<I", self._read(4, deadline))
        if size > MAX_ANSWER:
            raise ValueError("the worker's answer is too large")
        answer: dict[str, Any] = json.loads(self._read(size, deadline))
        return answer

    def _read(self, size: int, deadline: float) -> bytearray:
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        data = bytearray(size)
        view, done = memoryview(data), 0
        while done < size:
            ready, _, _ = select.select([pipe], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TimeoutError
            count = os.readv(pipe, [view[done:]])
            if count == 0:
                raise EOFError("the worker ended")
            done += count
        return data
