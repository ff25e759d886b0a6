"""Landlock: a process gives up the file system, TCP and signals, except what it lists first.

See landlock(7). The interface version decides how much can be given up: 1 files, 4 also TCP,
6 also abstract Unix sockets and signals to processes outside.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
_FILE_RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_RIGHTS_LATEST = 16
_TCP, _SCOPES = 0b11, 0b11


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    result = int(libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    return result


def version() -> int:
    """The kernel's landlock interface version; 0 where there is none."""
    try:
        return _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    except OSError:
        return 0


def restrict(readable: Iterable[str], listable: Iterable[str] = ()) -> None:
    """Give up all access to files for good, except reading below these paths.

    The caller must have set no_new_privs. Paths that do not exist are passed over.

    Args:
        readable: Files, and directories that may be read and listed with all that is in them.
        listable: Directories that may be listed, at every depth.

    Raises:
        OSError: The kernel has no landlock, or refused.
    """
    known = version()
    files = (1 << _FILE_RIGHTS_BY_VERSION.get(known, _FILE_RIGHTS_LATEST)) - 1
    attributes = struct.pack("=QQQ", files, _TCP, _SCOPES)
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    ruleset = _call(_CREATE, attributes, ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in readable:
        _allow(ruleset, path, _READ_FILE | _READ_DIRECTORY)
    for path in listable:
        _allow(ruleset, path, _READ_DIRECTORY)
    _call(_RESTRICT, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        rights &= ~_READ_DIRECTORY
    rule = struct.pack("=Qi", rights, place)
    _call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), rule, ctypes.c_uint32(0))
    os.close(place)
