"""The parent's side of one evaluation, fed by hand: no process runs here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.errors import ConfigError
from colbench_env.sandbox import Case, Encoded, Limits, Submission, Verdict
from colbench_env.sandbox.exchange import Exchange

CODE = "def f(n):\n    return n\n"


def exchange(*expected: Any, **options: Any) -> Exchange:
    cases = tuple(Case(args=(n,), expected=e) for n, e in enumerate(expected))
    made = Exchange(Submission(CODE, "f", cases, **options))
    made.request()
    return made


def lines(*frames: Any) -> bytes:
    return b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)


def statuses(verdict: Verdict) -> list[str]:
    return [outcome.status for outcome in verdict.outcomes]


def test_frames_in_order() -> None:
    made = exchange(0, 1, ValueError)
    assert made.feed(lines(["up"], ["ready"], [0, "v", 0]))
    assert made.current == 1
    assert not made.finished
    assert not made.feed(lines([1, "v", 7], [2, "x", ["ValueError", "Exception"]]))
    verdict = made.verdict("hard")
    assert statuses(verdict) == ["pass", "wrong", "pass"]
    assert (verdict.status, verdict.score, verdict.level) == ("wrong", 2 / 3, "hard")


def test_frames_may_be_cut_anywhere() -> None:
    made, data = exchange(0, 1), lines(["up"], ["ready"], [0, "v", 0], [1, "v", 1])
    for byte in data[:-1]:
        assert made.feed(bytes([byte]))
    assert not made.feed(data[-1:])
    assert made.verdict("hard").status == "pass"


@pytest.mark.parametrize(
    "frames",
    [
        [["ready"]],
        [["up"], ["up"]],
        [["up"], [0, "v", 0]],
        [["up"], ["ready"], ["ready"]],
        [["up"], ["ready"], [1, "v", 1]],
        [["up"], ["ready"], [True, "v", 1]],
        [["up"], ["ready"], [0, "v"], [0, "v", ["?"]]],
        [["up"], ["ready"], [0, "v", ["x", "ValueError"], 3]],
        [["up"], ["ready"], [0, "x", "ValueError"]],
        [["up"], ["ready"], [0, "x", [1]]],
        [["up"], ["ready"], [0, "pass"]],
        [["up"], ["ready"], {"a": 1}],
        [["up"], ["boot", "SyntaxError"]],
        [["up"], ["boot", ["SyntaxError"], 2]],
    ],
)
def test_frames_out_of_order_end_the_submission(frames: list[Any]) -> None:
    made = exchange(["?"], 1)
    assert not made.feed(lines(*frames))
    assert made.verdict("hard").score == 0.0
    assert "protocol_error" in statuses(made.verdict("hard"))


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_garbage_never_scores(chunks: list[bytes]) -> None:
    made = exchange(123456789, 987654321)
    made.feed(lines(["up"], ["ready"]))
    for chunk in chunks:
        if not made.feed(chunk + b"\n"):
            break
    made.fault("the end")
    assert made.verdict("hard").score == 0.0


def test_a_flood_is_cut_off() -> None:
    made = exchange(1, 2, limits=Limits(output_bytes=1000))
    made.feed(lines(["up"], ["ready"]))
    assert not made.feed(b"x" * 100_000)
    assert made.outcomes[0] is not None
    assert made.outcomes[0].status == "output_limit"
    assert not made.finished


def test_a_new_process_gets_the_open_cases_only() -> None:
    made = exchange(0, 1, 2)
    made.feed(lines(["up"], ["ready"], [0, "v", 0]))
    made.ended("ended the process")
    header, *cases = made.request().decode().splitlines()
    assert json.loads(header)["first"] == 2
    assert len(cases) == 1
    made.feed(lines(["up"], ["ready"], [2, "v", 2]))
    assert statuses(made.verdict("hard")) == ["pass", "crash", "pass"]
    assert "123" not in header


def test_expected_values_are_not_in_the_request() -> None:
    cases = (Case(args=(1,), expected=987654321), Case(call="f(2) == 123123123", expected=True))
    request = Exchange(Submission(CODE, "f", cases)).request().decode()
    assert "987654321" not in request
    assert "123123123" not in request
    assert "f(2)" in request


def test_messages_hold_no_words_of_the_submission() -> None:
    made = exchange(1, 2)
    made.feed(lines(["up"], ["ready"], [0, "x", ["Secret_42", "KeyError", "Exception"]]))
    made.feed(lines([1, "x", ["Secret_43"]]))
    assert [o.message for o in made.outcomes if o] == ["raised KeyError", "raised an exception"]
    made = exchange(1)
    made.feed(lines(["up"], ["boot", ["Secret_44"]]))
    assert made.verdict("hard").message == "importing the code raised an exception"
    made = exchange(1)
    made.feed(lines(["up"], ["boot", ["SyntaxError", "Exception"]]))
    assert made.verdict("hard").message == "importing the code raised SyntaxError"


def test_recorded_values_are_recognisable() -> None:
    cases = (Case(), Case(), Case(), Case())
    made = Exchange(Submission(CODE, "f", cases))
    made.request()
    made.feed(lines(["up"], ["ready"], [0, "v", None], [1, "v", ["o"]], [2, "x", ["KeyError"]]))
    made.feed(lines([3, "v", ["t", 1]]))
    none, opaque, raised, pair = (o.value for o in made.outcomes if o)
    assert isinstance(none, Encoded)
    assert none.is_none
    assert not none.is_exception
    assert opaque is not None
    assert opaque.is_opaque
    assert raised is not None
    assert raised.is_exception
    assert pair is not None
    assert pair.decode() == (1,)
    again = Exchange(
        Submission(CODE, "f", tuple(Case(expected=o.value) for o in made.outcomes if o))
    )
    again.request()
    again.feed(lines(["up"], ["ready"], [0, "v", None], [1, "v", ["o"]], [2, "x", ["KeyError"]]))
    again.feed(lines([3, "v", ["t", 1.0]]))
    assert statuses(again.verdict("hard")) == ["pass", "wrong", "pass", "pass"]


def test_calls_that_failed_use_up_the_patience() -> None:
    made = exchange(*range(10))
    made.feed(lines(["up"], ["ready"]))
    for _ in range(3):
        assert made.allowance == 1.0
        made.timed_out()
        made.spend(1.0)
        made.request()
        made.feed(lines(["up"], ["ready"]))
    assert made.allowance == pytest.approx(0.2)
    made.feed(lines([3, "v", 3]))
    made.spend(0.9)
    made.feed(lines([4, "v", 0]))
    made.spend(4.0)
    assert made.finished
    assert statuses(made.verdict("hard")) == ["timeout"] * 3 + ["pass", "wrong"] + ["timeout"] * 5


def test_a_fault_is_no_score() -> None:
    made = exchange(0, 1)
    made.feed(lines(["up"], ["ready"], [0, "v", 0]))
    made.fault("no worker")
    verdict = made.verdict("hard")
    assert (verdict.status, verdict.score, verdict.message) == ("sandbox_error", 0.0, "no worker")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cases": ()}, "at least one case"),
        ({"profile": "open"}, "default, closed"),
        ({"namespace": "none"}, "module, split"),
        ({"comparator": "nobody"}, "no comparator"),
        ({"cases": (Case(args=(object(),)),)}, "use call="),
        ({"cases": (Case(args=([0] * 10**6,)),)}, "plain data"),
        ({"cases": (Case(expected=[0] * 10**6),)}, "plain data"),
    ],
)
def test_impossible_submissions_are_refused(options: dict[str, Any], words: str) -> None:
    fields: dict[str, Any] = {"code": CODE, "entry": "f", "cases": (Case(),)} | options
    with pytest.raises(ConfigError, match=words):
        Exchange(Submission(**fields))
