# name: x45_regrow_limits
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: exception|crash
# max-wall: 8
# why: raises its own resource limits
import resource
def solve(n):
    for r in range(16):
        try: resource.setrlimit(r, (-1, -1))
        except (OSError, ValueError): pass
    return len(bytearray(8 << 30))
