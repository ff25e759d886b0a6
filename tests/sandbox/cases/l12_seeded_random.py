# name: l12_seeded_random
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: a seeded generator gives what it gives everywhere
# tests: [((1,), ([17, 72, 97], "a"))]
import random
def f(s):
    random.seed(s); return [random.randint(0, 99) for _ in range(3)], random.Random(s).choice("abc")
