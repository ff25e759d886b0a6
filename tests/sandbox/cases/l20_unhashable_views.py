# name: l20_unhashable_views
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: views, ranges, deques, byte strings, nested frozen sets
# tests: [((0,), {"a", "b"}), ((1,), range(0, 12, 3)), ((2,), __import__("collections").deque([1, 2])), ((3,), b"ab"), ((4,), {frozenset([1]), (2, frozenset())}), ((5,), b"xy"), ((6,), {("a", 1)}), ((7,), int), ((8,), {"a": 1})]
from collections import ChainMap, deque
def f(k): return [{"a": 1, "b": 2}.keys(), range(0, 10, 3), deque([1, 2]), bytearray(b"ab"), frozenset([frozenset([1]), (2, frozenset())]), memoryview(b"xy"), {"a": 1}.items(), int, dict(ChainMap({"a": 1}))][k]
