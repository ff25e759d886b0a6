# name: x27_x32_calls
# class: escape
# entry: solve
# expect-score: 0.0
# expect-verdict: crash|wrong|exception
# max-wall: 8
# why: calls by their x32 numbers, and through int 0x80, to slip past a filter on numbers
import ctypes, os
def solve(n):
    l = ctypes.CDLL(None)
    l.syscall(0x40000000 + 57)
    return 0
