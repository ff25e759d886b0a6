# name: x15_io_uring
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: sets up io_uring, whose requests bypass system-call filters
import ctypes
def solve(n):
    l = ctypes.CDLL(None, use_errno=True)
    p = ctypes.create_string_buffer(120)
    fd = l.syscall(425, 8, p)
    return 'open' if fd >= 0 else 0
