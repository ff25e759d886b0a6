# name: l05_sorting
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: sorts a hundred thousand numbers and returns many of them
# tests: [((100000,), (True, list(range(20000))))]
import random
def f(n):
    r = random.Random(3); x = [r.random() for _ in range(n)]
    s = sorted(x)
    return all(a <= b for a, b in zip(s, s[1:])), list(range(20000))
