"""What does the isolation hold? Try, from inside; a kernel's return codes prove nothing."""

from __future__ import annotations

import os
import sys

from .submission import Case, Outcome, Submission

LEVELS = ("rlimits", "kernel", "hard")
"""From weak to strong: limits alone; everything that was tried is refused; and by every layer."""

OPTIONAL = {"namespaces", "landlock", "seccomp"}
"""The layers that `Sandbox(without=...)` can leave out; the private root goes with namespaces."""

_HARD = {"namespaces", "root", "landlock", "seccomp"}
_CODE = """
import os, socket

def allowed(attempt):
    try:
        attempt()
    except OSError:
        return False
    return True

def fork():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)

def probe(file, parent, program):
    attempts = {
        "read": lambda: os.close(os.open(file, os.O_RDONLY)),
        "list": lambda: os.listdir(os.path.dirname(file)),
        "write": lambda: os.close(os.open(file + ".probe", os.O_WRONLY | os.O_CREAT)),
        "internet socket": lambda: socket.socket(socket.AF_INET),
        "local socket": lambda: socket.socket(socket.AF_UNIX),
        "fork": fork,
        "exec": lambda: os.execv(program, [program, "-c", ""]),
        "signal": lambda: os.kill(parent, 0),
        "signal all": lambda: os.kill(-1, 0),
    }
    return [name for name, attempt in attempts.items() if allowed(attempt)]
"""


def submission() -> Submission:
    """The submission that tries to get out, in harmless ways."""
    here = os.path.abspath(__file__)
    return Submission(
        code=_CODE, entry="probe", cases=(Case(args=(here, os.getpid(), sys.executable)),)
    )


def level(layers: list[str], outcome: Outcome) -> tuple[str, list[str]]:
    """Derive the level of isolation.

    Args:
        layers: The layers that the zygote reports.
        outcome: What came of `submission`.

    Returns:
        The level, and the attempts that were not refused.
    """
    if outcome.value is None:
        return "rlimits", [f"the probe itself ({outcome.status}: {outcome.message})"]
    open_doors: list[str] = outcome.value.decode()
    if open_doors or "seccomp" not in layers:
        return "rlimits", open_doors
    return ("hard" if _HARD.issubset(layers) else "kernel"), []


def explain(level: str, wanted: str, layers: list[str], doors: list[str]) -> str:
    """Say why a level is not enough, and what to do."""
    missing = sorted(_HARD - set(layers))
    return (
        f"this host isolates untrusted code at level {level!r} only, and {wanted!r} is the least "
        f"that was asked for. Missing layers: {', '.join(missing) or 'none'}; not refused to the "
        f"code: {', '.join(doors) or 'nothing that was tried'}. Ways out: run on Linux 5.13 or "
        "newer with seccomp (containers: a profile that allows it); run the whole program inside "
        'gVisor or a microVM; use backend="bwrap" or "monty"; or, for code that you trust, accept '
        f"less with Sandbox(min_isolation={level!r})."
    )
