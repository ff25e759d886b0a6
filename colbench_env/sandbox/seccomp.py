"""System-call filters: an allow-list for the zygote, a second, narrower filter for each child.

Whatever is not listed answers EPERM, so that a program sees an ordinary `PermissionError`. Filters
stack: a child is held by both. Numbers are those of Linux on x86_64 and aarch64 (aarch64 is
untested here). Programs are classic BPF over `struct seccomp_data`; see seccomp(2).
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from dataclasses import dataclass
from functools import lru_cache

_NUMBERS = """
access 21 -; alarm 37 -; brk 12 214; clock_getres 229 114; clock_gettime 228 113;
clock_nanosleep 230 115; clone 56 220; clone3 435 435; close 3 57; close_range 436 436;
dup 32 23; dup2 33 -; dup3 292 24; epoll_create 213 -; epoll_create1 291 20; epoll_ctl 233 21;
epoll_pwait 281 22; epoll_pwait2 441 441; epoll_wait 232 -; eventfd 284 -; eventfd2 290 19;
exit 60 93; exit_group 231 94; faccessat 269 48; faccessat2 439 439; fcntl 72 25; fork 57 -;
fstat 5 80; futex 202 98; getcwd 79 17; getdents 78 -; getdents64 217 61; getegid 108 177;
geteuid 107 175; getgid 104 176; getgroups 115 158; getitimer 36 102; getpeername 52 205;
getpgid 121 155; getpgrp 111 -; getpid 39 172; getppid 110 173; getrandom 318 278;
getresgid 120 150; getresuid 118 148; getrlimit 97 163; getrusage 98 165; getsid 124 156;
getsockname 51 204; getsockopt 55 209; gettid 186 178; gettimeofday 96 169; getuid 102 174;
ioctl 16 29; kill 62 129; lseek 8 62; lstat 6 -; madvise 28 233; membarrier 324 283;
mmap 9 222; mprotect 10 226; mremap 25 216; munmap 11 215; nanosleep 35 101; newfstatat 262 79;
open 2 -; openat 257 56; pause 34 -; pipe 22 -; pipe2 293 59; poll 7 -;
ppoll 271 73; prctl 157 167; pread64 17 67; prlimit64 302 261; pselect6 270 72; pwrite64 18 68;
read 0 63; readlink 89 -; readlinkat 267 78; readv 19 65; recvfrom 45 207; recvmsg 47 212;
restart_syscall 219 128; rseq 334 293; rt_sigaction 13 134; rt_sigprocmask 14 135;
rt_sigreturn 15 139; sched_getaffinity 204 123; sched_yield 24 124; select 23 -;
sendmsg 46 211; sendto 44 206; set_robust_list 273 99; setitimer 38 103; setsockopt 54 208;
shutdown 48 210; sigaltstack 131 132; socketpair 53 199; stat 4 -; statx 332 291;
sysinfo 99 179; tgkill 234 131; time 201 -; times 100 153; uname 63 160; vfork 58 -;
wait4 61 260; write 1 64; writev 20 66
"""
"""Name, number on x86_64, number on aarch64; "-" where the call does not exist."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_PR_SET_SECCOMP, _FILTER = 22, 2
_ANY = 0xFFFFFFFF
_STEP_BYTES = 8
_PID = 0x7EADBEEF  # stands for the child's own process id in a compiled filter

_prctl = ctypes.CDLL(None, use_errno=True).prctl

AF_UNIX, SOCK_STREAM = 1, 1
CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020080  # every CLONE_NEW* flag
_WRITING = 0o3 | 0o100 | 0o1000 | 0o2000 | 0o20000000  # O_ACCMODE, CREAT, TRUNC, APPEND, TMPFILE
AT_EMPTY_PATH = 0x1000
_IOCTLS = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS WINSZ FIONREAD NBIO N/CLEX
_FCNTLS = (0, 1, 2, 3, 4, 1030)  # DUPFD GETFD SETFD GETFL SETFL DUPFD_CLOEXEC


@dataclass(frozen=True, slots=True)
class Argument:
    """A condition on one argument: `args[index] & mask in values` (the lower or upper word)."""

    index: int
    values: tuple[int, ...]
    mask: int = _ANY
    upper: bool = False


Rules = dict[str, tuple[Argument, ...]]

_FILES = ("open", "openat")
_PATHS = ("stat", "lstat", "access", "faccessat", "faccessat2", "readlink", "readlinkat")
_ZYGOTE_ONLY = ("fork", "vfork", "prctl", "recvmsg", "sendmsg")


def zygote_rules(files: bool) -> Rules:
    """What the zygote, and so every child, may call.

    Args:
        files: Whether files may be opened for reading at all. Only right where landlock or a
            private root decides which.
    """
    rules: Rules = dict.fromkeys(_numbers(), ())
    rules.update(
        ioctl=(Argument(1, _IOCTLS),),
        fcntl=(Argument(1, _FCNTLS),),
        socketpair=(Argument(0, (AF_UNIX,)), Argument(1, (SOCK_STREAM,), 0xF)),
        sendto=(Argument(4, (0,)), Argument(4, (0,), upper=True)),
        clone=(Argument(0, (0,), _CLONE_NEW),),
        prlimit64=(Argument(0, (0,)),),
        open=(Argument(1, (0,), _WRITING),),
        openat=(Argument(2, (0,), _WRITING),),
    )
    del rules["clone3"]
    if not files:
        for name in _FILES + _PATHS:
            del rules[name]
        rules["newfstatat"] = (Argument(3, (AT_EMPTY_PATH,), AT_EMPTY_PATH),)
        rules["statx"] = (Argument(2, (AT_EMPTY_PATH,), AT_EMPTY_PATH),)
    return rules


def child_rules(pid: int) -> Rules:
    """What a child may not do although its zygote may: fork, signal others, pass descriptors.

    Args:
        pid: The child's own process id, the only one that it may signal.
    """
    return {
        "clone": (Argument(0, (CLONE_THREAD,), CLONE_THREAD),),
        "kill": (Argument(0, (pid,)),),
        "tgkill": (Argument(0, (pid,)),),
    }


def install_zygote_filter(files: bool) -> bool:
    """Hold this process to `zygote_rules`; False where the kernel or the processor cannot."""
    if platform.machine() not in _ARCHITECTURES:
        return False
    rules, otherwise = zygote_rules(files), _return(_ERRNO | errno.EPERM)
    try:
        steps = [*_preamble(), *_blocks(rules), *_deny("clone3", errno.ENOSYS), otherwise]
        _steps, header = _prepare(b"".join(steps))
        _install(header)
    except OSError:
        return False
    return True


class ChildFilter:
    """`child_rules`, compiled in the zygote: after the fork every step costs page faults."""

    def __init__(self) -> None:
        denied = [step for name in _ZYGOTE_ONLY for step in _deny(name, errno.EPERM)]
        rules = _blocks(child_rules(_PID))
        program = b"".join([*_preamble(), *rules, *denied, _return(_ALLOW)])
        mark = struct.pack("=I", _PID)
        self._places = [i for i in range(0, len(program), 4) if program[i : i + 4] == mark]
        self._program, self._header = _prepare(program)

    def install(self, pid: int) -> None:
        """Hold this process, whose id this is, to the rules.

        Raises:
            OSError: The kernel refused.
        """
        for place in self._places:
            struct.pack_into("=I", self._program, place, pid)
        _install(self._header)


@lru_cache(maxsize=1)
def _numbers() -> dict[str, int]:
    column = _ARCHITECTURES[platform.machine()][0]
    rows = (entry.split() for entry in _NUMBERS.replace("\n", " ").split(";"))
    return {row[0]: int(row[1 + column]) for row in rows if row[1 + column] != "-"}


def _step(code: int, k: int, true: int = 0, false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, true, false, k)


def _return(action: int) -> bytes:
    return _step(_RETURN, action)


def _preamble() -> list[bytes]:
    """Refuse other architectures and the x32 numbers; leave the call's number loaded."""
    architecture = _ARCHITECTURES[platform.machine()][1]
    return [
        _step(_LOAD, 4),
        _step(_EQUAL, architecture, 1, 0),
        _return(_KILL),
        _step(_LOAD, 0),
        _step(_AT_LEAST, _X32, 0, 1),
        _return(_KILL),
    ]


def _deny(name: str, error: int) -> list[bytes]:
    number = _numbers().get(name)
    return [] if number is None else [_step(_EQUAL, number, 0, 1), _return(_ERRNO | error)]


def _blocks(rules: Rules) -> list[bytes]:
    numbers, steps = _numbers(), list[bytes]()
    for name, arguments in rules.items():
        if name not in numbers:
            continue
        block: list[bytes] = []
        for argument in arguments:
            block.append(_step(_LOAD, 16 + 8 * argument.index + 4 * argument.upper))
            if argument.mask != _ANY:
                block.append(_step(_AND, argument.mask))
            for place, wanted in enumerate(argument.values):
                block.append(_step(_EQUAL, wanted, len(argument.values) - place))
            block.append(_return(_ERRNO | errno.EPERM))
        block.append(_return(_ALLOW))
        steps += [_step(_EQUAL, numbers[name], 0, len(block)), *block]
    return steps


def _prepare(program: bytes) -> tuple[ctypes.Array[ctypes.c_char], bytes]:
    """A buffer that holds the program, and the `struct sock_fprog` that points to it."""
    steps = ctypes.create_string_buffer(program, len(program))
    return steps, struct.pack("@HP", len(program) // _STEP_BYTES, ctypes.addressof(steps))


def _install(header: bytes) -> None:
    if _prctl(_PR_SET_SECCOMP, _FILTER, header, 0, 0):
        raise OSError(ctypes.get_errno(), "the kernel refused a system-call filter")
