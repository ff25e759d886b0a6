"""Comparators: does the tree that came back match the expected one?

A comparator is a function of two data trees (grammar in `sandbox.wire`) that have been checked.
Nothing of the submission runs here: no `__eq__`, no `__hash__`, no `__iter__` of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from colbench_env.errors import ConfigError

from .trees import Tree, canonical, has_tag, number

RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-12
Comparator = Callable[[Tree, Tree], bool]


def value(expected: Tree, got: Tree) -> bool:
    """The default policy: Python's `==` on data, forgiving rounding and treating NaN as a value.

    A float is matched within `RELATIVE_TOLERANCE` of the *expected* number, and within
    `ABSOLUTE_TOLERANCE` where that is zero; an expected integer exactly. Infinities and NaN match
    themselves only. Keys and members of sets are matched without tolerance. Where a list is
    expected, an iterator that gives its items will do.
    """
    return _same(expected, got, RELATIVE_TOLERANCE, lenient=True, absolute=ABSOLUTE_TOLERANCE)


def equal(expected: Tree, got: Tree) -> bool:
    """Python's `==`: 1 == 1.0 == True, a list is no tuple, NaN differs from itself."""
    return _same(expected, got, 0.0, lenient=False)


def within(relative: float, absolute: float = 0.0) -> Comparator:
    """Make a comparator like "value" with other tolerances, for expected floats.

    Args:
        relative: Allowed error as a share of the expected magnitude.
        absolute: Allowed error whatever the magnitude, for expected values near zero.
    """
    return lambda expected, got: _same(expected, got, relative, lenient=True, absolute=absolute)


_COMPARATORS: dict[str, Comparator] = {"value": value, "equal": equal}


def register_comparator(name: str, comparator: Comparator) -> None:
    """Add a comparator under a name, so that a `Submission` can ask for it.

    Args:
        name: The name; one that is taken by another function is refused.
        comparator: `fn(expected_tree, got_tree) -> bool`. If it raises, the case counts as wrong.

    Raises:
        ConfigError: The name is taken.
    """
    if _COMPARATORS.setdefault(name, comparator) is not comparator:
        raise ConfigError(f"a comparator named {name!r} exists already; choose another name")


def comparator_named(name: str) -> Comparator:
    """Look up a comparator.

    Raises:
        ConfigError: There is none of this name.
    """
    if name not in _COMPARATORS:
        known = ", ".join(sorted(_COMPARATORS))
        raise ConfigError(
            f"no comparator named {name!r}; known: {known}. Add one with register_comparator()"
        )
    return _COMPARATORS[name]


def _same(e: Tree, g: Tree, rel: float, lenient: bool, absolute: float = 0.0) -> bool:
    e_number, g_number = number(e), number(g)
    if e_number is not None or g_number is not None:
        if e_number is None or g_number is None:
            return False
        return _close(e_number, g_number, rel, absolute, lenient)
    if type(e) is not list or type(g) is not list:
        return type(e) is type(g) and e == g
    tag, got_tag = _kind(e), _kind(g)
    if lenient and (tag, got_tag) == ("l", "it"):
        got_tag = "l"
    if tag != got_tag or tag in ("o", "x"):
        return False

    def pairwise(es: list[Any], gs: list[Any]) -> bool:
        return len(es) == len(gs) and all(
            _same(a, b, rel, lenient, absolute) for a, b in zip(es, gs)
        )

    if tag in ("l", "t", "it"):
        return pairwise(e[1:], g[1:])
    if tag == "a":
        return bool(e[2] == g[2]) and pairwise(e[3:], g[3:])
    if tag == "d":
        es, gs = ({canonical(k): v for k, v in tree[1:]} for tree in (e, g))
        return es.keys() == gs.keys() and pairwise(list(es.values()), [gs[k] for k in es])
    if tag == "n":
        return bool(e[1] == g[1]) and _same(e[2], g[2], rel, lenient, absolute)
    return not has_tag(e, "o") and canonical(e) == canonical(g)


def _kind(tree: list[Any]) -> str:
    return "s" if tree[0] == "z" else str(tree[0])


def _close(e: Any, g: Any, rel: float, absolute: float, lenient: bool) -> bool:
    if isinstance(e, complex) or isinstance(g, complex):
        try:
            e, g = complex(e), complex(g)
        except OverflowError:
            return False
        scale = max(abs(part) for part in (e.real, e.imag, 0.0) if math.isfinite(part))
        return all(
            _close_real(a, b, rel * scale + absolute, lenient)
            for a, b in ((e.real, g.real), (e.imag, g.imag))
        )
    if isinstance(e, float):
        return _close_real(e, g, rel * abs(e) + absolute, lenient)
    return _close_real(e, g, 0.0, lenient)


def _close_real(e: Any, g: Any, tolerance: float, lenient: bool) -> bool:
    if e != e or g != g:
        return lenient and e != e and g != g
    if math.inf in (abs(e), abs(g)) or not tolerance:
        return bool(e == g)
    return abs(Fraction(e) - Fraction(g)) <= tolerance
