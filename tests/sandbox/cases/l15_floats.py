# name: l15_floats
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: rounding errors within the tolerance, exact integers, signed zero
# tests: [((0,), 0.3), ((1,), 3.14159265358979), ((2,), 1e301), ((3,), 0), ((4,), 2.0), ((5,), 1e-320), ((6,), [0.3, {"a": 0.8}]), ((7,), 10**25), ((8,), 2**64 - 1), ((9,), 0.3+1j)]
import math
def f(k): return [0.1 + 0.2, math.pi, 1e300 * 10, -0.0, 2 ** 0.5 * 2 ** 0.5, 1e-320, [0.1 * 3, {"a": 0.7 + 0.1}], 10 ** 25, 2 ** 64 - 1, complex(0.1 + 0.2, 1)][k]
