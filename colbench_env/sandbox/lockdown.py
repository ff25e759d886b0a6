"""The layers that hold an untrusted process, applied by the zygote to itself before it forks.

In order: namespaces (network, IPC, host name, mounts, process ids; and users when not root), a
private read-only root, no capabilities, no privileges to gain, resource limits, landlock, seccomp.
Namespaces, landlock and seccomp overlap on purpose: seccomp alone, with no file to be opened,
already refuses every attack in `tests/sandbox/cases`. The level "hard" has them all.
"""

from __future__ import annotations

import ctypes
import os
import resource
import struct
from collections.abc import Sequence
from pathlib import Path

_NEWUSER = 0x10000000
_NEWNS, _NEWUTS, _NEWIPC, _NEWPID, _NEWNET = 0x20000, 0x4000000, 0x8000000, 0x20000000, 0x40000000
_NAMESPACES = _NEWNS | _NEWUTS | _NEWIPC | _NEWPID | _NEWNET
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_REMOUNT = 1, 2, 4, 32
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
_LOCKED = (
    os.ST_RDONLY | os.ST_NOSUID | os.ST_NODEV | os.ST_NOEXEC | os.ST_NOATIME | os.ST_NODIRATIME
)
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP = 1, 4, 24
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 38, 47
_CAPABILITIES = 64
OWN_IDS = 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def unshare() -> bool:
    """Enter new namespaces; the next fork is process 1 of the new one. False where refused."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0 and _libc.unshare(_NAMESPACES) == 0:
        return True
    if _libc.unshare(_NAMESPACES | _NEWUSER) != 0:
        return False
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"65534 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"65534 {gid} 1")
    return True


def die_with_parent() -> None:
    """Ask the kernel for SIGKILL when the thread that started this process ends."""
    _check(_libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0), "prctl")


def private_root(readable: Sequence[str]) -> bool:
    """Replace the root by an empty one that shows only these paths, read-only.

    Needs the mount namespace of `unshare`. False, with nothing changed, where the kernel refuses.
    """
    base = "/tmp"
    try:
        _mount(None, "/", None, _MS_REC | _MS_PRIVATE)
        _mount("tmpfs", base, "tmpfs", _MS_NOSUID | _MS_NODEV, "size=1m,mode=755")
        os.mkdir(f"{base}/old")
    except OSError:
        return False
    if _libc.pivot_root(base.encode(), f"{base}/old".encode()) != 0:
        _libc.umount2(base.encode(), _MNT_DETACH)
        return False
    os.chdir("/")
    for path in readable:
        _show("/old" + path, path)
    _check(_libc.umount2(b"/old", _MNT_DETACH), "umount")
    os.rmdir("/old")
    _mount(None, "/", None, _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV)
    return True


def _show(source: str, target: str) -> None:
    if not os.path.exists(source) or os.path.exists(target):
        return
    if os.path.isdir(source):
        os.makedirs(target)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o444))
    _mount(source, target, None, _MS_BIND)
    kept = os.statvfs(target).f_flag & _LOCKED
    flags = kept | _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _MS_NOSUID | _MS_NODEV
    _mount(None, target, None, flags)


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str = "") -> None:
    texts = [t.encode() if t is not None else None for t in (source, target, kind)]
    _check(_libc.mount(*texts, ctypes.c_ulong(flags), data.encode() or None), f"mount {target}")


def drop_privileges(number: int) -> None:
    """Give up root's identity, every capability, and the way back to them.

    Args:
        number: What tells this zygote from all others: root takes the user id `OWN_IDS + number`,
            which no other process of the machine has.
    """
    for capability in range(_CAPABILITIES):
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    _libc.prctl(_PR_CAP_AMBIENT, 4, 0, 0, 0)
    if os.geteuid() == 0:
        own = OWN_IDS + number
        os.setgroups([])
        os.setresgid(own, own, own)
        os.setresuid(own, own, own)
    header, nothing = struct.pack("=Ii", 0x20080522, 0), bytes(24)
    _check(_libc.capset(header, nothing), "capset")
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl")
    _check(_libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl")


def limit_resources() -> None:
    """Limits that hold for the zygote and every child; memory and CPU are set by child."""
    for which, amount in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
        (resource.RLIMIT_NICE, 0),
        (resource.RLIMIT_RTPRIO, 0),
        (resource.RLIMIT_SIGPENDING, 64),
    ):
        amount = min(amount, *(n for n in resource.getrlimit(which) if n >= 0), amount)
        resource.setrlimit(which, (amount, amount))


def address_space() -> int:
    """Bytes of address space that this process occupies."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return 256 << 20
    return pages * resource.getpagesize()
