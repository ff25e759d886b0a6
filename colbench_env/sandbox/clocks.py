"""Time as the parent keeps it: wall clock, less the time that a process waited for a core.

Wall-clock limits alone would change scores on a busy machine. The kernel tells how long a process
stood in a run queue, so that time is given back; a process that sleeps, blocks or computes gets
nothing back, however busy the machine is.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

_FRESH_SECONDS = 0.05
PATIENCE_FACTOR = 30.0
"""A stage that has taken this many times its allowance on the wall is begun anew."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has had since it began: CPU, and waiting for a core, in seconds."""

    cpu: float = 0.0
    waited: float = 0.0


def usage(pid: int) -> Usage | None:
    """Read a process's usage; None where the kernel does not tell."""
    place = Path("/proc") / str(pid)
    try:
        fields = (place / "stat").read_text().rpartition(")")[2].split()
        waited = int((place / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return None
    return Usage((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), waited)


class StageClock:
    """The clock of one process, stage by stage.

    Attributes:
        pid: The process, as this process's namespace numbers it; 0 while it is not known.
        deadline: Monotonic time at which to call `expired`.
    """

    def __init__(self) -> None:
        self.pid = 0
        self._base = Usage()
        self._began = self._based_at = time.monotonic()
        self.begin(0.0)

    def begin(self, allowance: float) -> float:
        """Start a stage that may take so many seconds; the seconds that the last one used."""
        now, used = time.monotonic(), 0.0
        if now - self._based_at > _FRESH_SECONDS:
            base = usage(self.pid) or self._base
            used = now - self._began - (base.waited - self._base.waited)
            self._base, self._based_at = base, now
        self._began, self._allowance = now, allowance
        self.deadline = now + allowance
        return used

    def expired(self) -> str:
        """Look again at a stage whose deadline has passed.

        Returns:
            "" when it gets more time, "timeout" when it has used what it was allowed, "starved"
            when it waited so long for a core that it should be tried again.
        """
        now = time.monotonic()
        wall, so_far = now - self._began, usage(self.pid)
        if so_far is None:
            return "timeout" if wall >= self._allowance else ""
        used = wall - (so_far.waited - self._base.waited)
        cpu = so_far.cpu - self._base.cpu - _FRESH_SECONDS
        if max(used, cpu) >= self._allowance:
            return "timeout"
        if wall > PATIENCE_FACTOR * self._allowance:
            return "starved"
        self.deadline = now + max(self._allowance - used, 0.001)
        return ""
