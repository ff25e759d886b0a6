# name: l02_generators
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: generators, iterators and comprehensions as results and inside
# tests: [((0,), [0, 1, 4, 9]), ((1,), 30), ((2,), {0: 0, 1: 1}), ((3,), [0, 1, 2]), ((4,), ["0", "1", "2"]), ((5,), "cba")]
import itertools
def g(n):
    for i in range(n): yield i * i
def f(k): return [list(g(4)), sum(g(5)), dict(enumerate(g(2))), list(itertools.islice(itertools.count(), 3)), [x for x in map(str, range(3))], "".join(reversed("abc"))][k]
