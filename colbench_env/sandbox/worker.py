"""The parent's hold on one zygote: start it, take its children, end it."""

from __future__ import annotations

import array
import json
import os
import socket
import subprocess
import sys
import weakref
from dataclasses import asdict
from pathlib import Path

from . import bwrap
from .profiles import Profile
from .zygote import BOOTSTRAP

START_SECONDS = 30.0


class WorkerLost(Exception):
    """A zygote is gone, or does not answer."""


class Worker:
    """One zygote.

    Args:
        profile: What to prepare it with.
        without: Layers to leave out.
        wrapped: Whether to put it into bubblewrap.

    Attributes:
        layers: The layers of isolation in effect.

    Raises:
        WorkerLost: It did not start.
    """

    def __init__(
        self, profile: Profile, without: frozenset[str] = frozenset(), wrapped: bool = False
    ) -> None:
        outer = bwrap.command(profile.readable) if wrapped else []
        parent = 0 if wrapped else os.getpid()
        config = asdict(profile) | {"without": sorted(without), "parent": parent}
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._link.settimeout(START_SECONDS)
        inner = [BOOTSTRAP, str(Path(__file__).parent), str(theirs.fileno()), json.dumps(config)]
        try:
            process = subprocess.Popen(
                [*outer, sys.executable, "-s", "-S", "-P", "-B", "-c", *inner],
                env={"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                cwd="/",
            )
        except OSError as error:
            self._link.close()
            raise WorkerLost(f"the interpreter does not start: {error}") from error
        finally:
            theirs.close()
        self._ready: list[tuple[int, socket.socket]] = []
        self.end = weakref.finalize(self, _end, self._link, self._ready, process, os.getpid())
        self._statuses: dict[int, int] = {}
        try:
            hello = json.loads(self._link.recv(4096) or b'{"error": "it ended at once"}')
        except OSError as error:
            hello = {"error": str(error)}
        self.layers: list[str] = hello.get("layers", [])
        if "error" in hello:
            self.end()
            raise WorkerLost(f"the zygote did not start: {hello['error']}")

    def take(self) -> tuple[int, socket.socket]:
        """A fresh child: its process id in the zygote's namespace, and a socket to it.

        Raises:
            WorkerLost: There is none any more.
        """
        while not self._ready:
            self._receive()
        return self._ready.pop(0)

    def finish(self, pid: int) -> None:
        """End a child that was taken.

        Raises:
            WorkerLost: The zygote is gone, and the child with it.
        """
        self._send(b"k %d" % pid)

    def status(self, pid: int) -> int:
        """End a child that was taken, if need be; its exit code, or minus the signal's number.

        Raises:
            WorkerLost: The zygote is gone, and the child with it.
        """
        self._send(b"s %d" % pid)
        while pid not in self._statuses:
            self._receive()
        return self._statuses.pop(pid)

    def _send(self, message: bytes) -> None:
        try:
            self._link.send(message)
        except OSError as error:
            raise WorkerLost("the zygote is gone") from error

    def _receive(self) -> None:
        try:
            message, ancillary, _, _ = self._link.recvmsg(64, socket.CMSG_SPACE(4))
        except OSError as error:
            raise WorkerLost("the zygote does not answer") from error
        if not message:
            raise WorkerLost("the zygote is gone")
        kind, pid, *rest = message.split()
        if kind == b"s":
            self._statuses[int(pid)] = int(rest[0])
            return
        descriptor = array.array("i", ancillary[0][2])[0]
        channel = socket.socket(fileno=descriptor)
        channel.setblocking(False)
        self._ready.append((int(pid), channel))


def _end(
    link: socket.socket,
    ready: list[tuple[int, socket.socket]],
    process: subprocess.Popen[bytes],
    owner: int,
) -> None:
    """Let go of the control socket, at which the zygote ends; only its own parent may kill it."""
    link.close()
    for _, channel in ready:
        channel.close()
    if os.getpid() != owner:
        process.returncode = 0
        return
    try:
        process.wait(2.0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
