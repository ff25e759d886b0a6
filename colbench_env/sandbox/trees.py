"""The trusted side of the wire format: check a tree, then compare it; no object is rebuilt.

Trees come from a hostile process. `parse` accepts exactly the grammar of `sandbox.wire`; numbers
of any size stay hexadecimal text until they are known to be small; keys and set members are
compared by canonical text, so crafted hash collisions find no table to fill.
"""

from __future__ import annotations

import datetime
import decimal
import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from .wire import SMALL

Tree = Any
_HEX = re.compile(r"-?(0|[1-9a-f][0-9a-f]*)\Z")
_DECIMAL = re.compile(r"-?(\d+(\.\d*)?|\.\d+)(E[+-]?\d{1,20})?\Z|-?Infinity\Z|-?s?NaN\d*\Z")
_MOMENTS: dict[str, Any] = {
    "datetime": datetime.datetime,
    "date": datetime.date,
    "time": datetime.time,
}
_ARRAY_KINDS = frozenset("biufcUSMmO")
_SEQUENCES = frozenset(["l", "t", "s", "z", "it"])


class MalformedTree(ValueError):
    """Not a tree of the wire format."""


def _refuse(*_: Any) -> Any:
    raise MalformedTree("not a frame")


def parse_json(line: bytes) -> Any:
    """Parse one line of JSON that holds lists and scalars only.

    Raises:
        MalformedTree: Anything else: objects, NaN, bad UTF-8, nesting beyond all reason.
    """
    try:
        return json.loads(line.decode("ascii"), object_pairs_hook=_refuse, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise MalformedTree("not a frame") from None


def check(tree: Tree) -> Tree:
    """Return the tree unchanged if it follows the grammar.

    Raises:
        MalformedTree: It does not.
    """
    if tree is None or type(tree) in (bool, str):
        return tree
    if type(tree) is int:
        return tree if -SMALL < tree < SMALL else _refuse()
    if type(tree) is float:
        return tree if math.isfinite(tree) else _refuse()
    if type(tree) is not list or not tree or type(tree[0]) is not str:
        _refuse()
    tag, rest = tree[0], tree[1:]
    if tag in _SEQUENCES:
        for item in rest:
            check(item)
    elif tag == "d":
        for pair in rest:
            if type(pair) is not list or len(pair) != 2:
                _refuse()
            check(pair[0])
            check(pair[1])
    elif tag == "a":
        _check_array(*rest)
    elif tag not in _LEAVES or not _LEAVES[tag](rest):
        _refuse()
    return tree


def _check_array(kind: Any = None, shape: Any = None, *items: Any) -> None:
    if type(kind) is not str or kind not in _ARRAY_KINDS or type(shape) is not list:
        _refuse()
    if any(type(n) is not int or n < 0 for n in shape) or math.prod(shape) != len(items):
        _refuse()
    for item in items:
        check(item)


def _is_hex(digits: Any, limit: int = 1 << 24) -> bool:
    return type(digits) is str and len(digits) <= limit and _HEX.match(digits) is not None


def _is_integer(x: Any) -> bool:
    return (type(x) is int and -SMALL < x < SMALL) or (
        type(x) is list and len(x) == 2 and x[0] == "i" and _is_hex(x[1])
    )


def _is_float(x: Any) -> bool:
    return (
        type(x) is float
        or (type(x) is int and -SMALL < x < SMALL)
        or (type(x) is list and len(x) == 2 and x[0] == "f" and x[1] in ("nan", "inf", "-inf"))
    )


def _is_moment(rest: list[Any]) -> bool:
    if not rest or type(rest[0]) is not str:
        return False
    if rest[0] == "timedelta":
        return len(rest) == 4 and all(type(n) is int and abs(n) < 10**11 for n in rest[1:])
    if rest[0] not in _MOMENTS or len(rest) != 2 or type(rest[1]) is not str:
        return False
    try:
        _MOMENTS[rest[0]].fromisoformat(rest[1])
    except ValueError:
        return False
    return True


def _is_named(rest: list[Any]) -> bool:
    if len(rest) != 2 or rest[0] not in ("deque", "UUID", "type"):
        return False
    if rest[0] == "deque":
        return bool(check(rest[1])) and type(rest[1]) is list and rest[1][0] == "l"
    return type(rest[1]) is str and len(rest[1]) <= 32


_LEAVES: dict[str, Callable[[list[Any]], bool]] = {
    "i": lambda r: len(r) == 1 and _is_hex(r[0]),
    "f": lambda r: _is_float(["f", *r]),
    "b": lambda r: len(r) == 1 and type(r[0]) is str and not re.search("[^0-9a-f]", r[0]),
    "c": lambda r: len(r) == 2 and _is_float(r[0]) and _is_float(r[1]),
    "r": lambda r: len(r) == 3 and all(_is_integer(n) for n in r) and r[2] != 0,
    "D": lambda r: len(r) == 1 and type(r[0]) is str and _DECIMAL.match(r[0]) is not None,
    "q": lambda r: len(r) == 2 and all(_is_hex(n, 4096) for n in r) and r[1].strip("-0") != "",
    "m": _is_moment,
    "n": _is_named,
    "o": lambda r: not r,
    "x": lambda r: 1 <= len(r) <= 32 and all(type(n) is str and len(n) <= 200 for n in r),
}


def has_tag(tree: Tree, tag: str) -> bool:
    """Whether any node of a tree that follows the grammar carries this tag."""
    if type(tree) is not list:
        return False
    parts = tree[3:] if tree[0] == "a" else tree[1:]
    if tree[0] == "d":
        parts = [part for pair in parts for part in pair]
    return bool(tree[0] == tag) or any(has_tag(part, tag) for part in parts)


def number(tree: Tree) -> int | float | Fraction | complex | None:
    """The number that a tree stands for; None when it is none, or too long to be worth it."""
    if type(tree) in (bool, int, float):
        return tree  # type: ignore[no-any-return]
    if type(tree) is not list:
        return None
    tag, rest = tree[0], tree[1:]
    if tag == "f":
        return float(rest[0])
    if tag == "i":
        return int(rest[0], 16)
    if tag == "q":
        return Fraction(int(rest[0], 16), int(rest[1], 16))
    if tag == "c":
        return complex(float(number(rest[0])), float(number(rest[1])))  # type: ignore[arg-type]
    if tag == "D":
        value = decimal.Decimal(rest[0])
        if not value.is_finite():
            return float("nan") if value.is_nan() else float(value)
        return Fraction(value) if abs(value.adjusted()) < 5000 and len(rest[0]) < 5000 else None
    return None


def canonical(tree: Tree) -> str:
    """Text that two trees share exactly when Python holds their values equal (NaN aside)."""
    value = number(tree)
    if value is not None:
        return "#" + _canonical_number(value)
    if type(tree) is not list:
        return json.dumps(tree)
    tag, rest = tree[0], tree[1:]
    if tag in ("s", "z"):
        return "{" + ",".join(sorted({canonical(item) for item in rest})) + "}"
    if tag == "d":
        members = {canonical(key): canonical(item) for key, item in rest}
        return "{" + ",".join(sorted(f"{k}:{v}" for k, v in members.items())) + "}d"
    if tag == "r":
        span = range(*map(number, rest))  # type: ignore[arg-type]
        return f"r{[span[0], span[-1]] if span else []}"
    if tag == "m":
        return _canonical_moment(rest)
    return f"{tag}({','.join(map(canonical, rest))})"


def _canonical_number(value: int | float | Fraction | complex) -> str:
    if isinstance(value, complex):
        if value.imag:
            return f"{_canonical_number(value.real)}+{_canonical_number(value.imag)}j"
        value = value.real
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    top, bottom = value.as_integer_ratio()
    return format(top, "x") if bottom == 1 else f"{top:x}/{bottom:x}"


def _canonical_moment(rest: list[Any]) -> str:
    if rest[0] == "datetime":
        moment = datetime.datetime.fromisoformat(rest[1])
        offset = moment.utcoffset()
        if offset is not None:
            return f"m{(moment.replace(tzinfo=None) - datetime.datetime.min - offset)!r}"
    return f"m{rest!r}"
