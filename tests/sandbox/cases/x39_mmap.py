# name: x39_mmap
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: wrong|exception|crash|timeout
# max-wall: 8
# why: maps memory outside the heap: anonymous, shared, huge, locked
import mmap, ctypes
def solve(n):
    k = []
    try:
        for _ in range(10000): m = mmap.mmap(-1, 1 << 26); m[0] = 1; k.append(m)
    except (OSError, ValueError, MemoryError): pass
    ctypes.CDLL(None).mlockall(3)
    return len(k) < 100 and 0
