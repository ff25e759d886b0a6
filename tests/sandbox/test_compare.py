"""Comparators on hand-made values, and the halves of a call that holds its answer."""

from __future__ import annotations

import math
from typing import Any

import pytest

from colbench_env.errors import ConfigError
from colbench_env.sandbox import Encoded, register_comparator, within
from colbench_env.sandbox.calls import parse_call
from colbench_env.sandbox.compare import comparator_named, equal, value
from colbench_env.sandbox.wire import encode


@pytest.mark.parametrize(
    ("expected", "got", "matches"),
    [
        (0.3, 0.1 + 0.2, True),
        (1e300, 1e300 * (1 + 1e-7), True),
        (1.0, 1.0 + 1e-5, False),
        (0.0, 5e-17, True),
        (0.0, 1e-9, False),
        (1e-9, 0.0, False),
        (5, 5.0, True),
        (5, 5.0000001, False),
        (5.0000001, 5, True),
        (123456789, math.inf, False),
        (123456789, math.nan, False),
        (math.inf, math.inf, True),
        (math.inf, -math.inf, False),
        (math.inf, 1e308, False),
        (math.nan, math.nan, True),
        (math.nan, 0.0, False),
        (10**400, math.inf, False),
        (10**400, 10**400 + 1, False),
        (1e308, 10**400, False),
        (1 + 1j, 1 + 1j + 1e-9, True),
        (1 + 1j, 1 + 1.1j, False),
        (1 + 1j, 10**400, False),
        ([1, 2], (1, 2), False),
        ([1, 2], [1, 2, 3], False),
        ([[1.0], {"a": 0.3}], [[1], {"a": 0.1 + 0.2}], True),
        ({"a": 1}, {"b": 1}, False),
        ({1: "x"}, {1.0: "x"}, True),
        ({1, 2}, frozenset({2, 1}), True),
        ({1, 2}, [1, 2], False),
        ("1", 1, False),
        (None, False, False),
        (b"a", "a", False),
        (True, 1, True),
    ],
)
def test_value(expected: Any, got: Any, matches: bool) -> None:
    assert value(encode(expected), encode(got)) is matches


def test_an_iterator_will_do_for_a_list() -> None:
    assert value(encode([1, 2]), encode(iter([1, 2])))
    assert not value(encode([1, 2]), encode(iter([1])))
    assert not value(encode((1, 2)), encode(iter([1, 2])))
    assert not equal(encode([1, 2]), encode(iter([1, 2])))


def test_tolerance_is_relative_to_the_expected_number_alone() -> None:
    loose = within(0.1)
    assert loose(encode(100.0), encode(110.0))
    assert not loose(encode(100.0), encode(111.0))
    assert not loose(encode(1.0), encode(1e300))
    assert within(0.0, absolute=0.5)(encode(1.0), encode(1.4))


def test_exceptions_match_no_value() -> None:
    tree = Encoded.of(ValueError).tree
    assert not value(tree, tree)
    assert not equal(tree, tree)


def test_comparators_have_unique_names() -> None:
    def never(expected: Any, got: Any) -> bool:
        return False

    register_comparator("never", never)
    register_comparator("never", never)
    assert comparator_named("never") is never
    with pytest.raises(ConfigError, match="choose another name"):
        register_comparator("value", never)
    with pytest.raises(ConfigError, match="register_comparator"):
        comparator_named("nobody")


@pytest.mark.parametrize(
    ("text", "source", "literal", "negated"),
    [
        ("f(1) == 2", "f(1)", 2, False),
        ("2 == f(1)", "f(1)", 2, False),
        ("f([1]) != {'a': [1, 2]}", "f([1])", {"a": [1, 2]}, True),
        ("  f(1)==-2.5 ", "f(1)", -2.5, False),
        ("(f(1)) == None", "f(1)", None, False),
    ],
)
def test_the_answer_is_split_off(text: str, source: str, literal: Any, negated: bool) -> None:
    call = parse_call(text)
    assert (call.source, call.negated) == (source, negated)
    assert call.literal == (encode(literal),)
    assert call.result(encode(literal)) is not negated
    assert call.result(["o"]) is negated


@pytest.mark.parametrize(
    "text", ["f(1)", "f(1) == f(2)", "f(1) < 2", "f(1) == 2 == 3", "f(", "1 == 1"]
)
def test_other_calls_stay_whole(text: str) -> None:
    call = parse_call(text)
    assert call.source == text
    assert call.literal is None
    assert call.result(7) == 7
