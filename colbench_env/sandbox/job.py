"""One submission on its way through the pool: the child it is with, the bytes, the clock."""

from __future__ import annotations

import selectors
import signal
import socket
import struct
import time

from .clocks import StageClock
from .exchange import Exchange
from .profiles import kind_of
from .worker import START_SECONDS, Worker, WorkerLost

_CRASHES = (signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)
"""Reported as one: an exit status or signal of the code's choice could carry what it was given."""
TRIES = 3
"""How often a submission is begun when the sandbox, not the submission, is to blame."""


class Job:
    """One exchange in progress, and what happened to its earlier children.

    Attributes:
        exchange: The evaluation.
        kind: Profile, and how much is to be loaded: the kind of zygote to run in.
        channel: Socket to the present child.
        state: "going", "done" (the child is to be ended), "lost" (it is gone), or "starved".
    """

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.kind = (exchange.submission.profile, kind_of(*exchange.sources))
        self.state = "going"
        self._unexplained_kills = self._losses = self._starvations = 0

    def attach(self, worker: Worker) -> None:
        """Begin, or begin again with the cases still open, in a child of this worker.

        Raises:
            WorkerLost: The worker has none.
        """
        self._worker = worker
        self._pid, self.channel = worker.take()
        self.state, self._stage = "going", (False, -1)
        self._clock = StageClock()
        self._clock.begin(START_SECONDS)
        self._unsent = memoryview(self.exchange.request())

    @property
    def deadline(self) -> float:
        """Monotonic time at which `check_clock` is to be called."""
        return self._clock.deadline

    def send(self) -> bool:
        """Send more of the request; True once there is nothing left to send."""
        try:
            self._unsent = self._unsent[self.channel.send(self._unsent) :]
        except BlockingIOError:
            return False
        except OSError:
            self._unsent = self._unsent[:0]
        return not self._unsent

    def read(self) -> bool:
        """Take what the child has sent; False when there was nothing."""
        try:
            data = self._receive()
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.state = "lost"
        elif not self.exchange.feed(data):
            self.state = "done"
        elif self._stage != (stage := (self.exchange.up, self.exchange.current)):
            self._stage = stage
            self.exchange.spend(self._clock.begin(self.exchange.allowance))
        return True

    def _receive(self) -> bytes:
        if self._clock.pid:
            return self.channel.recv(1 << 18)
        data, ancillary, _, _ = self.channel.recvmsg(1 << 18, socket.CMSG_SPACE(12))
        for level, kind, payload in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                self._clock.pid = struct.unpack("3i", payload)[0]
        return data

    def check_clock(self) -> None:
        """If the deadline has passed and nothing has come in, decide what that means."""
        if self.state != "going" or time.monotonic() < self.deadline or self.read():
            return
        verdict = self._clock.expired()
        if verdict and not self.exchange.up:
            self.state = "starved"
        elif verdict == "timeout":
            self.exchange.timed_out()
            self.state = "done"
        elif verdict:
            self.state = "starved"

    def detach(self) -> str:
        """Let go of the child.

        Returns:
            "finished", "again" (at once: the next cases need another child) or "later" (the
            machine is too busy now).

        Raises:
            WorkerLost: The zygote went away with the child.
        """
        self.channel.close()
        seconds = self._clock.begin(0.0)
        if self.state == "lost":
            self._explain(self._worker.status(self._pid))
        else:
            self._worker.finish(self._pid)
        self.exchange.spend(seconds)
        if self.state == "starved" and not self.exchange.finished:
            self._starvations += 1
            if self._starvations >= TRIES:
                self.exchange.fault("the machine was too busy to run it")
            return "finished" if self.exchange.finished else "later"
        return "finished" if self.exchange.finished else "again"

    def lost_worker(self, why: str) -> None:
        """The worker is gone; after `TRIES` of them the sandbox is at fault."""
        self._losses += 1
        if self._losses >= TRIES:
            self.exchange.fault(why)

    def _explain(self, status: int) -> None:
        """A child ended by itself: was that the submission's doing?"""
        if not self.exchange.up:
            raise WorkerLost(f"a child ended before it was ready (status {status})")
        if status == -signal.SIGKILL and not self._unexplained_kills:
            self._unexplained_kills += 1
        elif status == -signal.SIGXCPU:
            self.exchange.timed_out()
        else:
            crashed = -status in _CRASHES
            self.exchange.ended("crashed the process" if crashed else "ended the process")


class Slot:
    """One place in the pool: a zygote for each kind of submission that has come by.

    Attributes:
        holder: Mark of the run that uses it; None when it is free.
        workers: Its zygotes, by kind.
    """

    def __init__(self) -> None:
        self.holder: object | None = None
        self.workers: dict[tuple[str, str], Worker] = {}


class Running:
    """The jobs that have a child, by its socket."""

    def __init__(self) -> None:
        # poll(2) needs no descriptor of its own; it is missing on Windows.
        kind = getattr(selectors, "PollSelector", selectors.DefaultSelector)
        self._selector: selectors.BaseSelector = kind()
        self._jobs: dict[int, tuple[Job, Slot]] = {}

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def add(self, job: Job, slot: Slot) -> None:
        """Watch a job that has just been given a child."""
        events = selectors.EVENT_READ | (0 if job.send() else selectors.EVENT_WRITE)
        self._selector.register(job.channel, events)
        self._jobs[job.channel.fileno()] = (job, slot)

    def wait(self) -> list[tuple[Job, Slot]]:
        """Move bytes and look at clocks, once; the jobs whose child is done, now off the list."""
        nearest = min(job.deadline for job, _ in self._jobs.values())
        for key, events in self._selector.select(max(0.0, nearest - time.monotonic())):
            job, _ = self._jobs[key.fd]
            if events & selectors.EVENT_WRITE and job.send():
                self._selector.modify(key.fileobj, selectors.EVENT_READ)
            if events & selectors.EVENT_READ:
                job.read()
        for job, _ in self._jobs.values():
            job.check_clock()
        done = [fd for fd, (job, _) in self._jobs.items() if job.state != "going"]
        for fd in done:
            self._selector.unregister(fd)
        return [self._jobs.pop(fd) for fd in done]

    def close(self) -> None:
        """Let go of every socket; the children end with their workers."""
        self._selector.close()
        for job, _ in self._jobs.values():
            job.channel.close()
