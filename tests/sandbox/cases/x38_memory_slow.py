# name: x38_memory_slow
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: exception|crash|timeout
# max-wall: 8
# why: eats memory little by little, in many shapes
def solve(n):
    x = []
    while True: x.append(bytearray(1 << 20))
