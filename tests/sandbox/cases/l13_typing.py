# name: l13_typing
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: typing, protocols, generics, enum, abc, TypedDict, pattern matching
# tests: [((0,), 2), ((1,), "x"), ((2,), [1]), ((3,), {"a": 1}), ((4,), (1, 0)), ((5,), 4)]
from __future__ import annotations
import abc, enum
from typing import Any, Dict, Generic, List, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union
T = TypeVar("T")
class C(enum.IntEnum): A = 1; B = 2
class S(enum.Enum): X = "x"
class Box(Generic[T]):
    def __init__(self, v: T) -> None: self.v = v
class TD(TypedDict): a: int
class Pt(NamedTuple): x: int; y: int = 0
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...
class Sq(Shape):
    def area(self): return 4.0
def f(k: int) -> Any:
    match k:
        case 0: return C.B
        case 1: return S.X.value
        case 2: return Box([1]).v
        case 3: return TD(a=1)
        case 4: return Pt(1)
        case _: return Sq().area()
