"""The dispatcher: submissions in, verdicts out, as many processes at once as allowed."""

from __future__ import annotations

import os
import selectors
import threading
import time
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from ..errors import ConfigError
from .exchange import Exchange
from .fresh import FreshProcess
from .submission import Submission, Verdict


class _Running:
    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.process = FreshProcess()
        self.unsent = memoryview(exchange.request())
        self.deadline = time.monotonic() + 10.0
        self.stage = (False, -1)


class Sandbox:
    """Runs untrusted Python functions against hidden calls."""

    def __init__(
        self,
        *,
        max_workers: int | None = None,
        min_isolation: str = "kernel",
        backend: str = "auto",
    ) -> None:
        if max_workers is not None and max_workers < 1:
            raise ConfigError(f"max_workers must be at least 1, not {max_workers}")
        self.level = "rlimits"
        self._slots = threading.Semaphore(max_workers or os.cpu_count() or 1)

    def run(self, batch: Sequence[Submission]) -> list[Verdict]:
        """Evaluate a batch; verdicts come in its order."""
        exchanges = [Exchange(submission) for submission in batch]
        waiting, running = deque(exchanges), dict[int, _Running]()
        selector = selectors.DefaultSelector()
        try:
            while waiting or running:
                while waiting and self._slots.acquire(blocking=not running):
                    self._start(selector, running, waiting.popleft())
                self._advance(selector, running)
        finally:
            for job in running.values():
                job.process.end()
                self._slots.release()
            selector.close()
        return [exchange.verdict(self.level) for exchange in exchanges]

    def close(self) -> None:
        """End every process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _start(
        self, selector: selectors.BaseSelector, running: dict[int, _Running], exchange: Exchange
    ) -> None:
        job = _Running(exchange)
        running[job.process.channel.fileno()] = job
        selector.register(job.process.channel, selectors.EVENT_READ | selectors.EVENT_WRITE)

    def _advance(self, selector: selectors.BaseSelector, running: dict[int, _Running]) -> None:
        nearest = min(job.deadline for job in running.values())
        for key, events in selector.select(max(0.0, nearest - time.monotonic())):
            job = running[key.fd]
            channel = job.process.channel
            try:
                if events & selectors.EVENT_WRITE:
                    job.unsent = job.unsent[channel.send(job.unsent) :]
                    if not job.unsent:
                        selector.modify(channel, selectors.EVENT_READ)
                data = channel.recv(1 << 18) if events & selectors.EVENT_READ else None
            except OSError:
                data = b""
            if data is None:
                continue
            if not data:
                self._finish(selector, running, key.fd, lost=True)
            elif not job.exchange.feed(data):
                self._finish(selector, running, key.fd)
            elif job.stage != (stage := (job.exchange.up, job.exchange.current)):
                job.stage, job.deadline = stage, time.monotonic() + job.exchange.allowance
        for fd, job in list(running.items()):
            if time.monotonic() > job.deadline:
                if job.exchange.up:
                    job.exchange.timed_out()
                else:
                    job.exchange.fault("the process did not start")
                self._finish(selector, running, fd)

    def _finish(
        self,
        selector: selectors.BaseSelector,
        running: dict[int, _Running],
        fd: int,
        lost: bool = False,
    ) -> None:
        job = running.pop(fd)
        selector.unregister(job.process.channel)
        how = job.process.end()
        if lost and job.exchange.up:
            job.exchange.ended(how)
        elif lost:
            job.exchange.fault("the process did not start")
        if job.exchange.finished:
            self._slots.release()
        else:
            self._start(selector, running, job.exchange)
