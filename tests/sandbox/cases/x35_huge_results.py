# name: x35_huge_results
# class: resource
# entry: solve
# expect-score: 0.0
# expect-verdict: output_limit|exception|wrong|timeout|bad_value|crash
# max-wall: 8
# why: results that grow when written down: escapes, long ints, aliases of one list, wide dicts
def solve(n):
    big = '\U0001f600' * 300000
    alias = []
    for _ in range(40): alias = [alias, alias]
    return [big, 1 << 40_000_000, alias, {i: i for i in range(10**6)}, b'x' * 10**7, 'x' * 10**8, [big] * 5, -(1 << 5_000_000), set(range(10**6)), ((0,) * 10**6,)][n]
