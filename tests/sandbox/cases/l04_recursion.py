# name: l04_recursion
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: plain recursion 900 deep, under the usual limit
# tests: [((900,), 900), ((10,), 10)]
def f(n): return 0 if n == 0 else 1 + f(n - 1)
