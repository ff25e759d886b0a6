"""The zygote: an interpreter that is prepared and locked down once, and forks a child a request.

It is started by exec with an empty environment and never sees a submission: each child gets a
socket of its own, whose other end the zygote passes to the parent before it lets go of it. One
child beyond those in use always stands ready.

Messages on the control socket, one a datagram. To the parent: `{"layers": [...]}` once; `c PID`
with a descriptor for each new child; `s PID STATUS`. From the parent: `k PID` to end a child and
fork the next, `s PID` to do so and tell how it had ended. End of file ends everything.
"""

from __future__ import annotations

import _socket
import importlib.util
import json
import os
import signal
import socket
import struct
import sys
from typing import Any

BOOTSTRAP = """
import os, sys, types
os.register_at_fork = lambda **hooks: None  # hooks of preloaded modules would slow every fork
package = types.ModuleType("sandbox_zygote"); package.__path__ = [sys.argv[1]]
sys.modules["sandbox_zygote"] = package
from sandbox_zygote import zygote
zygote.main(int(sys.argv[2]), sys.argv[3])
"""
READY = 2
_POLL_SECONDS = 0.5


def main(control: int, configuration: str) -> None:
    """Entry point of the launcher: prepare, enter the namespaces, fork the zygote, watch over it.

    Does not return.

    Args:
        control: Descriptor of the socket to the parent.
        configuration: A JSON object: the fields of `profiles.Profile`, `without` (layers to leave
            out), `parent` (its process id; 0 where another namespace hides it).
    """
    link = socket.socket(fileno=control)
    try:
        _launch(link, json.loads(configuration))
    except Exception as error:  # noqa: BLE001 - whatever it is, the parent must be told
        link.send(json.dumps({"error": f"{type(error).__name__}: {error}"[:1000]}).encode())
    finally:
        os._exit(1)


def _launch(link: socket.socket, config: dict[str, Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path += config["search"]
    _preload(config["preload"])
    from . import lockdown

    os.chdir("/")
    namespaces = "namespaces" not in config["without"] and lockdown.unshare()
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    launcher, zygote = os.getpid(), os.fork()
    if zygote == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        _zygote(link, config, namespaces, launcher)
    link.close()
    while config["parent"] in (os.getppid(), 0):
        signal.sigtimedwait([signal.SIGCHLD], _POLL_SECONDS)
        if os.waitpid(zygote, os.WNOHANG) != (0, 0):
            return
    os.kill(zygote, signal.SIGKILL)


def _preload(names: list[str]) -> None:
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            continue


def _seed() -> None:
    """Start the global generators of every child alike, as the hash seed does for sets."""
    for name in ("random", "numpy.random"):
        if name in sys.modules:
            sys.modules[name].seed(0)


def _zygote(link: socket.socket, config: dict[str, Any], namespaces: bool, launcher: int) -> None:
    import gc

    from . import landlock, lockdown, runner, seccomp

    lockdown.die_with_parent()
    without, readable = config["without"], config["readable"]
    size = lockdown.address_space()
    layers = ["namespaces"] if namespaces else []
    if namespaces and lockdown.private_root(readable):
        layers.append("root")
    else:
        _preload(config["fallback"])
    _seed()
    sys.path[:] = [place for place in sys.path if place not in config["search"]]
    importlib.invalidate_caches()
    importlib.util.find_spec("_fills_the_caches_of_the_finders")
    lockdown.drop_privileges(launcher)
    lockdown.die_with_parent()
    lockdown.limit_resources()
    if "landlock" not in without and landlock.version():
        landlock.restrict(readable, sys.path if "root" in layers else ())
        layers.append("landlock")
    files = config["files"] and ("root" in layers or "landlock" in layers)
    if "seccomp" not in without and seccomp.install_zygote_filter(files):
        layers.append("seccomp")
    link.send(json.dumps({"layers": layers}).encode())
    narrower = seccomp.ChildFilter() if "seccomp" in layers else None
    runner.rehearse()
    gc.collect()
    gc.freeze()

    def fork() -> None:
        mine, theirs = _socket.socketpair()
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        pid = os.fork()
        if pid == 0:
            link.close()
            theirs.close()
            try:
                if not namespaces:
                    lockdown.die_with_parent()
                if narrower is not None:
                    narrower.install(os.getpid())
                runner.serve(mine.fileno(), size)
            finally:
                os._exit(0)
        rights = struct.pack("i", theirs.fileno())
        link.sendmsg([b"c %d" % pid], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        mine.close()
        theirs.close()

    try:
        for _ in range(READY):
            fork()
        while request := link.recv(64):
            kind, pid = request.split()
            fork()
            os.kill(int(pid), signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(int(pid), 0)[1])
            if kind == b"s":
                link.send(b"s %s %d" % (pid, status))
    except ConnectionError:
        return
