# name: x16_userfaultfd
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception
# max-wall: 8
# why: userfaultfd, keyctl, add_key, request_key, bpf, perf_event_open
import ctypes
def solve(n):
    l = ctypes.CDLL(None)
    got = [l.syscall(323, 0), l.syscall(250, 0, -3, 1), l.syscall(248, b'user', b'k', b'v', 1, -3), l.syscall(249, b'user', b'k', None, -3), l.syscall(321, 0, ctypes.create_string_buffer(128), 128), l.syscall(298, ctypes.create_string_buffer(128), 0, -1, -1, 0)]
    if any(g >= 0 for g in got): __import__('os')._exit(7)
    return 0
