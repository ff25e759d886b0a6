# name: l16_class_state
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: classes with properties, operators, context managers, slots and inheritance
# tests: [((2,), (4, -1, "W(3)", 3, True))]
class V:
    __slots__ = ("x",)
    def __init__(self, x): self.x = x
    def __add__(self, o): return V(self.x + o.x)
    def __eq__(self, o): return self.x == o.x
    def __enter__(self): return self
    def __exit__(self, *a): self.x = -1
    @property
    def twice(self): return 2 * self.x
class W(V):
    def __repr__(self): return f"W({self.x})"
def f(x):
    with W(x) as w: t = w.twice
    return t, w.x, repr(W(3)), (V(1) + V(2)).x, V(1) == V(1)
