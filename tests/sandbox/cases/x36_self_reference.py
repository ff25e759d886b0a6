# name: x36_self_reference
# class: malformed
# entry: solve
# expect-score: 0.0
# expect-verdict: bad_value|exception|output_limit|timeout|crash
# max-wall: 8
# why: cyclic lists and dicts, cyclic iterators, self-returning generators
import itertools
def solve(n):
    a = []; a.append(a); d = {}; d['d'] = d
    def g():
        while True: yield g()
    return [a, d, (a, d), g(), itertools.count(), itertools.cycle([a]), itertools.repeat(d), map(lambda x: a, [1]), iter(int, 1), [[a]]][n]
