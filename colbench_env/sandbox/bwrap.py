"""The `bwrap` back end: each zygote inside a bubblewrap container, with all its own layers.

Bubblewrap adds a wall that does not depend on this package: user, mount, process, network, IPC,
host-name and cgroup namespaces, with a root of read-only system directories. Inside it the zygote
locks itself down as it always does, in nested namespaces.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from colbench_env.errors import MissingDependencyError

_SYSTEM = ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives")


def command(readable: tuple[str, ...]) -> list[str]:
    """The command line to put before the interpreter's.

    Args:
        readable: What the profile shows of packages.

    Raises:
        MissingDependencyError: The program `bwrap` is not installed.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise MissingDependencyError(
            'backend="bwrap" needs the program bwrap: install your system\'s package "bubblewrap"'
        )
    shown = [
        *_SYSTEM,
        sys.prefix,
        sys.base_prefix,
        os.path.dirname(os.path.realpath(sys.executable)),
        sysconfig.get_path("stdlib"),
        str(Path(__file__).parent),
        *readable,
    ]
    binds = [part for path in dict.fromkeys(shown) for part in ("--ro-bind-try", path, path)]
    return [
        program,
        *(
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--uid",
            "65534",
            "--gid",
            "65534",
        ),
        *("--tmpfs", "/tmp", "--proc", "/proc", "--dev", "/dev"),
        *binds,
        "--",
    ]
