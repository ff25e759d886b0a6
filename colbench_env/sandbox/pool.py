"""The dispatcher: submissions in, verdicts out, as many at once as there are workers.

The loop runs in the thread that calls `Sandbox.run`; several threads share the workers. A slot is
held for one submission at a time, and found again by its holder's mark, so that an interrupt at
any point leaves none behind.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from colbench_env.errors import ConfigError, IsolationError

from . import probe
from .exchange import Exchange
from .job import Job, Running, Slot
from .monty import MontyPool
from .profiles import profile
from .submission import Submission, Verdict
from .worker import Worker, WorkerLost

BACKENDS = ("auto", "zygote", "bwrap", "monty")
_sandboxes: weakref.WeakSet[Sandbox] = weakref.WeakSet()


class Sandbox:
    """Runs untrusted Python functions against hidden calls.

    Nothing is started before the first `run`, or the first look at `level`.

    Args:
        max_workers: Evaluations at once; by default the number of cores this process may use.
        min_isolation: The weakest level to accept: "hard", "kernel" or "rlimits".
        backend: "zygote" (or "auto"): interpreters locked down by this package; "bwrap": the same
            inside bubblewrap; "monty": the Rust interpreter of `pydantic-monty`, for macOS and
            Windows.
        without: Layers to leave out ("namespaces", "landlock", "seccomp"), to see how a host
            that lacks them behaves.

    Raises:
        ConfigError: An argument that cannot work.
    """

    def __init__(
        self,
        *,
        max_workers: int | None = None,
        min_isolation: str = "kernel",
        backend: str = "auto",
        without: Sequence[str] = (),
    ) -> None:
        if max_workers is not None and max_workers < 1:
            raise ConfigError(f"max_workers must be at least 1, not {max_workers}")
        if min_isolation not in probe.LEVELS:
            raise ConfigError(f"min_isolation must be one of {probe.LEVELS}, not {min_isolation!r}")
        if backend not in BACKENDS:
            raise ConfigError(f"backend must be one of {BACKENDS}, not {backend!r}")
        if unknown := set(without) - probe.OPTIONAL:
            raise ConfigError(f"without may name {sorted(probe.OPTIONAL)}, not {sorted(unknown)}")
        self._size = max_workers or _cores()
        self._min_isolation = min_isolation
        self._backend = backend
        self._without = frozenset(without)
        self._reset()
        _sandboxes.add(self)

    def _disown(self) -> None:
        workers = [worker for slot in self._slots for worker in slot.workers.values()]
        self._reset()
        for worker in workers:
            worker.end()

    def _reset(self) -> None:
        self._slots = [Slot() for _ in range(self._size)]
        self._freed = threading.Condition()
        self._establishing = threading.Lock()
        self._level = ""
        self._layers: list[str] = []
        self._monty: MontyPool | None = None

    @property
    def level(self) -> str:
        """The isolation in effect: "hard", "kernel" or "rlimits"; "interpreter" with monty.

        Raises:
            IsolationError: It is below `min_isolation`.
        """
        with self._establishing:
            if not self._level and self._backend == "monty":
                self._monty, self._level = MontyPool(self._size), "interpreter"
            elif not self._level:
                self._establish()
        return self._level

    def run(self, batch: Sequence[Submission]) -> list[Verdict]:
        """Evaluate a batch.

        Args:
            batch: What to run; all at once is fastest.

        Returns:
            One verdict for each submission, in order.

        Raises:
            IsolationError: This host cannot isolate as strongly as asked for.
            ConfigError: A submission that cannot be run, whatever its code.
        """
        level = self.level
        exchanges = [Exchange(submission) for submission in batch]
        if self._monty is not None:
            self._monty.run(exchanges)
        else:
            self._dispatch(exchanges)
        return [exchange.verdict(level) for exchange in exchanges]

    def close(self) -> None:
        """End every process. A later `run` starts new ones."""
        with self._freed:
            workers = [worker for slot in self._slots for worker in slot.workers.values()]
            for slot in self._slots:
                slot.workers.clear()
        for worker in workers:
            worker.end()
        if self._monty is not None:
            self._monty.end()
            self._monty, self._level = None, ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _establish(self) -> None:
        exchange = Exchange(probe.submission())
        self._dispatch([exchange])
        outcome = exchange.verdict("").outcomes[0]
        if outcome.status == "sandbox_error":
            raise IsolationError(f"the sandbox does not start here: {outcome.message}")
        level, doors = probe.level(self._layers, outcome)
        if probe.LEVELS.index(level) < probe.LEVELS.index(self._min_isolation):
            self.close()
            raise IsolationError(probe.explain(level, self._min_isolation, self._layers, doors))
        self._level = level

    def _dispatch(self, exchanges: list[Exchange]) -> None:
        waiting, running, holder = deque(map(Job, exchanges)), Running(), object()
        try:
            while waiting or running:
                while waiting and (slot := self._acquire(holder, wait=not running)):
                    self._start(waiting.popleft(), slot, running)
                if running:
                    for job, slot in running.wait():
                        self._settle(job, slot, running, waiting)
        except BaseException:
            self._abandon(holder)
            raise
        finally:
            running.close()
            self._release(holder)

    def _acquire(self, holder: object, wait: bool) -> Slot | None:
        with self._freed:
            while True:
                for slot in self._slots:
                    if slot.holder is None:
                        slot.holder = holder
                        return slot
                if not wait:
                    return None
                self._freed.wait()

    def _release(self, holder: object, slot: Slot | None = None) -> None:
        """Free one slot, or all that this holder has."""
        with self._freed:
            for held in [slot] if slot else self._slots:
                if held.holder is holder:
                    held.holder = None
            self._freed.notify_all()

    def _abandon(self, holder: object) -> None:
        """After an interrupt nobody knows what the workers were told last: end those in use."""
        for slot in self._slots:
            if slot.holder is holder:
                while slot.workers:
                    slot.workers.popitem()[1].end()

    def _worker(self, slot: Slot, kind: tuple[str, str]) -> Worker:
        if kind not in slot.workers:
            worker = Worker(profile(*kind), self._without, wrapped=self._backend == "bwrap")
            slot.workers[kind] = worker
            self._layers = self._layers or worker.layers
            if worker.layers != self._layers:
                raise WorkerLost("a zygote came up with other layers than the first")
        return slot.workers[kind]

    def _start(self, job: Job, slot: Slot, running: Running) -> None:
        """Give the job a child in this slot; where that cannot be, free the slot."""
        while not job.exchange.finished:
            try:
                job.attach(self._worker(slot, job.kind))
            except WorkerLost as error:
                self._replace_worker(job, slot, error)
            else:
                running.add(job, slot)
                return
        self._release(slot.holder, slot)

    def _replace_worker(self, job: Job, slot: Slot, error: WorkerLost) -> None:
        worker = slot.workers.pop(job.kind, None)
        if worker is not None:
            worker.end()
        job.lost_worker(str(error))

    def _settle(self, job: Job, slot: Slot, running: Running, waiting: deque[Job]) -> None:
        """A child is done: go on with the job in the same slot, or free the slot."""
        try:
            what = job.detach()
        except WorkerLost as error:
            self._replace_worker(job, slot, error)
            what = "again"
        if what == "again":
            self._start(job, slot, running)
            return
        if what == "later":
            waiting.append(job)
        self._release(slot.holder, slot)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _after_fork() -> None:
    """A forked copy of the parent owns no worker: let go of the sockets, start afresh."""
    for sandbox in list(_sandboxes):
        sandbox._disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
