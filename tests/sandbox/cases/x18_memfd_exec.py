# name: x18_memfd_exec
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: writes a program into a memfd and executes it
import ctypes, os
def solve(n):
    try: fd = os.memfd_create('x')
    except OSError: fd = -1
    if fd >= 0: os._exit(7)
    l = ctypes.CDLL(None)
    for fd in range(0, 8): l.syscall(322, fd, b'', None, None, 0x1000)
    l.fexecve(0, (ctypes.c_char_p * 1)(), (ctypes.c_char_p * 1)())
    return 0
