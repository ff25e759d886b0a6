"""Values as data trees, and back: the only form in which results leave the untrusted process.

A tree is JSON: `null`, `true`, `false`, strings, integers below 2**53 and finite floats stand for
themselves; everything else is a list whose first item is a tag:

====  ==========================================  ====  ======================================
tag   meaning                                     tag   meaning
====  ==========================================  ====  ======================================
i     larger int: hexadecimal digits              D     Decimal: its text
f     float: "nan", "inf" or "-inf"               q     Fraction: two hexadecimal numbers
l     list: items                                 t     tuple: items
s     set: items                                  z     frozenset: items
b     bytes: hexadecimal digits                   c     complex: real, imaginary
r     range: start, stop, step                    m     moment: type name, ISO text or numbers
it    iterator: the items it gave                 a     array: dtype, shape, flat items
n     named value: type name, payload tree        o     opaque: no data form; equals nothing
x     exception: class names, most derived first  d     dict: [key, value] pairs
====  ==========================================  ====  ======================================

Encoding goes by exact type and by the methods of the built-in base class, so a subclass counts as
the data it holds and none of its own methods are asked. This module runs on both sides; on the
untrusted side the submission may have tampered with it, which can only change what that
submission is taken to have returned.
"""

from __future__ import annotations

import importlib
import itertools
import json
import sys
import types
from collections import deque
from typing import Any

MAX_DEPTH = 120
MAX_ITERATOR = 50_000
MAX_BYTES = 1 << 20
SMALL = 1 << 53
_LIBRARIES = ("datetime", "decimal", "fractions", "numpy", "uuid")
_VIEWS: dict[type, str] = {type({}.keys()): "s", type({}.items()): "s", type({}.values()): "it"}
_ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed)
_NAMED_TYPES = {
    t: t.__name__
    for t in (int, float, bool, str, bytes, list, tuple, dict, set, frozenset, complex, type(None))
}


class CannotEncode(ValueError):
    """A value that has no tree; `status` is the verdict that it earns."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Encoder:
    def __init__(self, budget: int, strict: bool) -> None:
        self.left, self.strict = budget, strict

    def spend(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise CannotEncode("output_limit", "the result is too large")

    def items(self, tag: str, values: Any, depth: int) -> list[Any]:
        out: list[Any] = [tag]
        for value in values:
            out.append(self.tree(value, depth))
        return out

    def iterator(self, values: Any, depth: int) -> list[Any]:
        try:
            out = self.items("it", itertools.islice(values, MAX_ITERATOR + 1), depth)
        except CannotEncode as error:
            if error.status == "output_limit":
                raise CannotEncode("exception", "the iterator gave too much") from None
            raise
        if len(out) > MAX_ITERATOR + 1:
            raise CannotEncode("exception", "the iterator did not end")
        return out

    def tree(self, x: Any, depth: int = 0) -> Any:
        self.spend(2)
        if depth > MAX_DEPTH:
            raise CannotEncode("bad_value", "the result is nested too deeply")
        kind = type(x)
        if x is None or kind is bool:
            return x
        mro = kind.__mro__
        if int in mro:
            return self.integer(int.__index__(x))
        if float in mro:
            return _float(float.__float__(x))
        if str in mro:
            self.spend(str.__len__(x))
            return str.__add__("", x)
        if list in mro:
            return self.items("l", list.__iter__(x), depth + 1)
        if tuple in mro:
            return self.items("t", tuple.__iter__(x), depth + 1)
        if dict in mro:
            pairs = ((k, v) for k, v in dict.items(x))
            return ["d", *([self.tree(k, depth + 1), self.tree(v, depth + 1)] for k, v in pairs)]
        if set in mro or frozenset in mro:
            base, tag = (set, "s") if set in mro else (frozenset, "z")
            return self.items(tag, base.__iter__(x), depth + 1)
        if bytes in mro or bytearray in mro or kind is memoryview:
            raw = bytes(memoryview(x))
            self.spend(2 * len(raw))
            return ["b", raw.hex()]
        return self.other(x, kind, depth + 1)

    def opaque(self) -> list[Any]:
        if self.strict:
            raise CannotEncode("bad_value", "a part of it has no data form")
        return ["o"]

    def integer(self, x: int) -> Any:
        if -SMALL < x < SMALL:
            return x
        self.spend(x.bit_length() // 4)
        return ["i", format(x, "x")]

    def other(self, x: Any, kind: Any, depth: int) -> Any:
        if kind is complex:
            return ["c", _float(x.real), _float(x.imag)]
        if kind is range:
            return ["r", *(self.integer(n) for n in (x.start, x.stop, x.step))]
        if kind is deque:
            return ["n", "deque", self.items("l", x, depth)]
        if kind is type and x in _NAMED_TYPES:
            return ["n", "type", _NAMED_TYPES[x]]
        if kind in _VIEWS:
            return self.items(_VIEWS[kind], iter(x), depth)
        if kind in _ITERATORS or (
            kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")
        ):
            return self.iterator(x, depth)
        return self.library(x, kind, depth)

    def library(self, x: Any, kind: Any, depth: int) -> Any:
        """Values of classes from modules that need not be loaded."""
        module, name = kind.__module__, kind.__name__
        if module not in _LIBRARIES or getattr(sys.modules.get(module), name, None) is not kind:
            return self.opaque()
        if name == "Decimal":
            return ["D", str(x)]
        if name == "Fraction":
            self.spend((x.numerator.bit_length() + x.denominator.bit_length()) // 4)
            return ["q", format(x.numerator, "x"), format(x.denominator, "x")]
        if name == "timedelta":
            return ["m", name, x.days, x.seconds, x.microseconds]
        if module == "datetime" and name in ("datetime", "date", "time"):
            return ["m", name, x.isoformat()]
        if name == "UUID":
            return ["n", name, x.hex]
        return self.array(x, kind, depth) if module == "numpy" else self.opaque()

    def array(self, x: Any, kind: Any, depth: int) -> Any:
        numpy = sys.modules["numpy"]
        if issubclass(kind, numpy.generic):
            return self.tree(x.item(), depth) if type(x.item()) is not kind else self.opaque()
        if kind is not numpy.ndarray or x.dtype.kind not in "biufcUSMmO":
            return self.opaque()
        self.spend(2 * x.size)
        shape = [int(n) for n in x.shape]
        return ["a", x.dtype.kind, shape, *(self.tree(v, depth) for v in x.ravel().tolist())]


def _float(x: float) -> Any:
    if x != x:
        return ["f", "nan"]
    if x in (float("inf"), float("-inf")):
        return ["f", "inf" if x > 0 else "-inf"]
    return x


def encode(value: Any, max_bytes: int = MAX_BYTES, strict: bool = False) -> Any:
    """Turn a value into a tree.

    Args:
        value: Anything.
        max_bytes: Roughly the size, as JSON, at which to give up.
        strict: Refuse what has no data form, too.

    Raises:
        CannotEncode: Too large ("output_limit"), too deep ("bad_value"), or an iterator that goes
            on and on ("exception").
    """
    return _Encoder(max_bytes, strict).tree(value)


def encode_frame(frame: list[Any]) -> bytes:
    """One line of JSON, as the untrusted side sends it."""
    return json.dumps(frame, separators=(",", ":")).encode() + b"\n"


def _make(module: str, name: str, *arguments: Any) -> Any:
    return getattr(importlib.import_module(module), name)(*arguments)


def _array(_kind: str, shape: list[int], *items: Any) -> Any:
    return _make("numpy", "array", [decode(i) for i in items]).reshape(shape)


def _moment(name: str, *value: Any) -> Any:
    if name == "timedelta":
        return _make("datetime", name, *value)
    return getattr(importlib.import_module("datetime"), name).fromisoformat(value[0])


def _named(name: str, payload: Any) -> Any:
    if name == "deque":
        return deque(decode(payload))
    if name == "UUID":
        return _make("uuid", name, payload)
    return next(t for t, known in _NAMED_TYPES.items() if known == payload)


_DECODERS: dict[str, Any] = {
    "i": lambda digits: int(digits, 16),
    "f": float,
    "l": lambda *items: [decode(i) for i in items],
    "t": lambda *items: tuple(decode(i) for i in items),
    "s": lambda *items: {decode(i) for i in items},
    "z": lambda *items: frozenset(decode(i) for i in items),
    "d": lambda *pairs: {decode(k): decode(v) for k, v in pairs},
    "b": bytes.fromhex,
    "c": lambda real, imag: complex(decode(real), decode(imag)),
    "r": lambda *numbers: range(*map(decode, numbers)),
    "D": lambda text: _make("decimal", "Decimal", text),
    "q": lambda a, b: _make("fractions", "Fraction", int(a, 16), int(b, 16)),
    "m": _moment,
    "it": lambda *items: iter([decode(i) for i in items]),
    "a": _array,
    "n": _named,
}


def decode(tree: Any) -> Any:
    """Build a fresh value from a tree.

    Raises:
        ValueError: The tree holds an exception or a part without a data form.
    """
    if type(tree) is not list:
        return tree
    if tree[0] not in _DECODERS:
        raise ValueError("this part has no data form")
    return _DECODERS[tree[0]](*tree[1:])
