# name: l01_dataclasses
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: dataclasses, with eq, order, defaults and frozen
# tests: [((0,), {"x": 1, "tags": ("a",)}), ((1,), True), ((2,), True), ((3,), True)]
from dataclasses import dataclass, field, asdict, replace
@dataclass(order=True, frozen=True)
class P:
    x: int
    tags: tuple = field(default=("a",))
def f(k): return [asdict(P(1)), P(1) < P(2), P(1) == replace(P(2), x=1), hash(P(1)) == hash(P(1))][k]
