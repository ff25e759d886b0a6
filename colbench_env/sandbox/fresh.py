"""A fresh interpreter for each evaluation, held by resource limits alone (level "rlimits")."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

_BOOTSTRAP = """
import sys, types
package = types.ModuleType("sandbox_child"); package.__path__ = [sys.argv[1]]
sys.modules["sandbox_child"] = package
from sandbox_child import fresh
fresh.main(int(sys.argv[2]))
"""


def main(channel: int) -> None:
    """Entry point of the child: drop what can be dropped, serve one request, end."""
    import ctypes
    import resource

    from . import runner

    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)
    os.chdir("/")
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    for which, amount in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 32),
    ):
        resource.setrlimit(which, (amount, amount))
    runner.serve(channel, 256 << 20)
    os._exit(0)


class FreshProcess:
    """One evaluation's process.

    Attributes:
        channel: Non-blocking socket to it.
    """

    def __init__(self) -> None:
        self.channel, theirs = socket.socketpair()
        self.channel.setblocking(False)
        with theirs:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-s",
                    "-S",
                    "-P",
                    "-B",
                    "-c",
                    _BOOTSTRAP,
                    str(Path(__file__).parent),
                    str(theirs.fileno()),
                ],
                env={"PYTHONHASHSEED": "0"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                cwd="/",
            )

    def end(self) -> str:
        """Kill it, wait for it, and say how it had ended."""
        self.channel.close()
        try:
            code = self._process.wait(0.05)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit {code}"
