# name: l03_closures
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: closures, nonlocal, decorators, lru_cache, partial, wraps
# tests: [((30,), (1, 832040)), ((5,), (2, 5)), ((90,), (3, 2880067194370816120))]
import functools
def counted(fn):
    n = 0
    @functools.wraps(fn)
    def inner(*a, **k):
        nonlocal n; n += 1
        return (n, fn(*a, **k))
    return inner
@functools.lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
@counted
def f(x): return functools.partial(fib, x)()
