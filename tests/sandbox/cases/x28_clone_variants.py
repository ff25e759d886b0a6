# name: x28_clone_variants
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: clone, clone3, vfork and posix_spawn with every flag that might slip through
import ctypes, os
def solve(n):
    l = ctypes.CDLL(None)
    for flags in (0, 17, 0x100, 0x4000 | 17, 0x8000 | 17, 0x20000000 | 17, 0x00000900, 0x11 | 0x2000):
        r = l.syscall(56, flags, 0, 0, 0, 0)
        if r == 0: os._exit(7)
        if r > 0: os._exit(8)
    buf = ctypes.create_string_buffer(88)
    r = l.syscall(435, buf, 88)
    if r == 0: os._exit(7)
    if r > 0: os._exit(8)
    return 0
