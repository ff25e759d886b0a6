"""The wire format: values there and back, and whatever a hostile process may send."""

from __future__ import annotations

import collections
import contextlib
import datetime as dt
import json
import math
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.sandbox.compare import equal, value
from colbench_env.sandbox.trees import MalformedTree, canonical, check, has_tag, parse_json
from colbench_env.sandbox.wire import MAX_DEPTH, CannotEncode, decode, encode

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**4000), max_value=10**4000),
    st.floats(),
    st.text(st.characters()),
    st.binary(),
    st.complex_numbers(),
    st.decimals(allow_nan=False) | st.just(Decimal("NaN")),
    st.fractions(),
    st.datetimes(timezones=st.just(dt.UTC) | st.none()),
    st.dates(),
    st.timedeltas(),
    st.uuids(),
)
hashable = st.recursive(
    scalars, lambda inner: st.lists(inner).map(tuple) | st.frozensets(inner), max_leaves=5
)
values = st.recursive(
    hashable,
    lambda inner: st.lists(inner) | st.dictionaries(hashable, inner) | st.lists(inner).map(tuple),
    max_leaves=20,
)


def over_the_wire(thing: Any) -> Any:
    return check(parse_json(json.dumps(encode(thing)).encode()))


@given(values)
def test_a_value_comes_back_as_itself(thing: Any) -> None:
    tree = over_the_wire(thing)
    assert value(tree, encode(decode(tree)))
    assert value(tree, over_the_wire(thing))


@given(st.one_of(st.integers(), st.text(), st.binary(), st.dates(), st.fractions(), st.uuids()))
def test_decoding_restores_type_and_value(thing: Any) -> None:
    back = decode(over_the_wire(thing))
    assert type(back) is type(thing)
    assert back == thing


plain = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.binary(),
)
plain_values = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(plain, max_size=3)
        | st.dictionaries(plain, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(plain_values, plain_values)
def test_equal_is_python_equality(a: Any, b: Any) -> None:
    assert equal(encode(a), encode(b)) == (a == b)
    assert equal(encode(a), encode(a)) is True


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from([*list("ifltsdbcrDqmanox"), "it", "z", "nan", "deque", "datetime"]),
    lambda inner: st.lists(inner, max_size=5),
    max_leaves=20,
)


@given(json_values, json_values)
def test_hostile_trees_are_refused_or_harmless(a: Any, b: Any) -> None:
    try:
        check(a), check(b)
    except MalformedTree:
        return
    for compare in (value, equal):
        assert compare(a, b) in (True, False)
    assert isinstance(canonical(a), str)


@given(st.binary())
def test_bytes_are_json_or_refused(data: bytes) -> None:
    with contextlib.suppress(MalformedTree):
        parse_json(data)


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1}',
        b'[{"a": 1, "a": 2}]',
        b"[NaN]",
        b"[" * 100_000,
        b"1" * 10_000,
        b"\xff",
        b"[1,]",
        b"",
    ],
)
def test_json_outside_the_format(line: bytes) -> None:
    with pytest.raises(MalformedTree):
        parse_json(line)


@pytest.mark.parametrize(
    "tree",
    [
        [],
        ["?"],
        [1],
        10**20,
        ["c", 10**400, 0.0],
        ["i", "zz"],
        ["i", "0x1"],
        ["i"],
        ["f", "1.5"],
        float("inf"),
        ["d", [1]],
        ["d", 1],
        ["b", "abg"],
        ["c", 1],
        ["r", 0, 1, 0],
        ["r", 0, 1],
        ["D", "1_0"],
        ["D", "x"],
        ["D", "1E" + "9" * 30],
        ["q", "1", "0"],
        ["q", "1"],
        ["m", "datetime", "now"],
        ["m", "timedelta", 10**12, 0, 0],
        ["n", "deque", 3],
        ["n", "Path", "x"],
        ["a", "i", [2, 2], 1, 2, 3],
        ["a", "i", [-1]],
        ["a", "i", [99999999999, 99999999999]],
        ["o", 1],
        ["x"],
        ["l", ["l", ["?"]]],
    ],
)
def test_malformed_trees(tree: Any) -> None:
    with pytest.raises(MalformedTree):
        check(tree)


def test_subclasses_count_as_the_data_they_hold() -> None:
    class Lie(list[int]):
        def __iter__(self) -> Any:
            return iter([7])

        def __len__(self) -> int:
            return 0

    class Name(str):
        def __str__(self) -> str:
            return "other"

    Point = collections.namedtuple("Point", "x y")
    assert encode(Lie([1, 2])) == ["l", 1, 2]
    assert encode(Name("x")) == "x"
    assert encode(Point(1, 2)) == ["t", 1, 2]
    assert encode(collections.Counter("aa")) == ["d", ["a", 2]]


@pytest.mark.parametrize(
    ("thing", "status"),
    [
        pytest.param([0] * 1_000_000, "output_limit", id="list"),
        pytest.param("x" * (2 << 20), "output_limit", id="text"),
        pytest.param(1 << 10_000_000, "output_limit", id="int"),
        (iter(lambda: 1, 2), "exception"),
        (("y" * 1000 for _ in iter(int, 1)), "exception"),
    ],
)
def test_values_too_large(thing: Any, status: str) -> None:
    with pytest.raises(CannotEncode) as caught:
        encode(thing)
    assert caught.value.status == status


def test_values_too_deep() -> None:
    nested: Any = []
    for _ in range(MAX_DEPTH - 1):
        nested = [nested]
    assert decode(encode(nested)) == nested
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    with pytest.raises(CannotEncode) as caught:
        encode(cyclic)
    assert caught.value.status == "bad_value"


def test_objects_without_a_data_form_equal_nothing() -> None:
    for thing in (object(), print, [object()], {1: object()}, {object()}, (object(),)):
        tree = over_the_wire(thing)
        assert has_tag(tree, "o")
        assert not value(tree, tree)
        assert not equal(tree, tree)
        with pytest.raises(ValueError, match="no data form"):
            decode(tree)
    assert not has_tag(encode({"o": ["o"], "x": ("o",)}), "o")


def test_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(6.0).reshape(2, 3)
    tree = over_the_wire(array)
    assert (decode(tree) == array).all()
    assert decode(tree).shape == (2, 3)
    assert value(tree, encode(array * (1 + 1e-12)))
    assert not value(tree, encode(array.reshape(3, 2)))
    assert encode(numpy.float32(0.5)) == 0.5
    assert encode(numpy.int64(3)) == 3
    assert encode(numpy.bool_(True)) is True
    assert encode(numpy.zeros((0, 2)))[2] == [0, 2]


def test_moments_compare_as_instants() -> None:
    noon = dt.datetime(2024, 2, 29, 12, tzinfo=dt.UTC)
    east = noon.astimezone(dt.timezone(dt.timedelta(hours=5)))
    edge = dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-12)))
    assert equal(encode(noon), encode(east))
    assert not equal(encode(noon), encode(noon.replace(tzinfo=None)))
    assert equal(encode(edge), encode(edge))
    assert not equal(encode(edge), encode(noon))


def test_numbers_across_types() -> None:
    one = [1, 1.0, True, Decimal(1), Fraction(1), 1 + 0j]
    assert all(equal(encode(a), encode(b)) for a in one for b in one)
    assert equal(encode({1: "a"}), encode({True: "a"}))
    assert equal(encode({1, 2}), encode({2.0, 1}))
    assert not equal(encode(math.nan), encode(math.nan))
    assert value(encode(math.nan), encode(math.nan))
    assert not equal(encode(2**64), encode(float(2**64) + 5000))
    assert not value(encode(Decimal("1E+999999")), encode(math.inf))
    assert equal(encode(uuid.UUID(int=3)), encode(uuid.UUID(int=3)))
    assert equal(encode(range(0)), encode(range(5, 5)))
    assert not equal(encode(range(3)), encode([0, 1, 2]))
