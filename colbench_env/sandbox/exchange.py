"""One submission's evaluation as the parent sees it: requests out, frames in, outcomes.

No input or output happens here; `sandbox.pool` moves the bytes and watches the clock. The frames,
one JSON list a line, in this order:

* `["up"]`: the process is locked down and waits. Sent before it has seen the submission.
* `["ready"]`: the code is imported; or `["boot", class_names]`: it is not (no names:
  it does not define the function).
* `[k, "v", tree]`, `[k, "x", class_names]`, `[k, "bad_value" | "output_limit" | "exception"]` for
  case k, in order.

Anything else ends the submission as a "protocol_error".
"""

from __future__ import annotations

import builtins
import json
from typing import Any

from colbench_env.errors import ConfigError

from . import profiles, wire
from .calls import Call, parse_call
from .compare import comparator_named
from .submission import RECORD, Encoded, Outcome, Submission, Verdict
from .trees import MalformedTree, Tree, check, parse_json

PATIENCE = 3
"""Once calls that failed have used this many times the allowance of one, the other calls get a
fifth of it each; at twice as many, the others are not made."""

GOOD = ("pass", "recorded")

_ERRORS = {
    n for n, t in vars(builtins).items() if isinstance(t, type) and issubclass(t, BaseException)
}
_MESSAGES = {
    "wrong": "returned a wrong result",
    "timeout": "ran out of time",
    "bad_value": "returned a value that is nested too deeply",
    "output_limit": "wrote or returned too much",
    "exception": "gave an iterator that does not end",
    "protocol_error": "wrote garbage on the result channel",
    "crash": "ended the process",
}


class Exchange:
    """The state of one evaluation, across all the processes that it takes.

    Attributes:
        outcomes: What is known so far, by case; None where the case has not been decided.
        current: The case being waited for; -1 while the code is being imported.
        up: Whether the present process has announced itself.
    """

    def __init__(self, submission: Submission) -> None:
        _validate(submission)
        self.submission = submission
        self._compare = comparator_named(submission.comparator)
        self._calls = [
            parse_call(case.call) if case.call is not None else None for case in submission.cases
        ]
        self._lines = [_case_line(case, call) for case, call in zip(submission.cases, self._calls)]
        self._expected = [_expected_tree(case.expected) for case in submission.cases]
        self.outcomes: list[Outcome | None] = [None] * len(submission.cases)
        self.current = -1
        self.up = False
        self._first = 0
        self._buffer = bytearray()
        self._wasted = 0.0
        self._failing = False

    @property
    def sources(self) -> list[str]:
        """Every piece of Python source that the submission brings: its code and its calls."""
        return [self.submission.code, *(call.source for call in self._calls if call is not None)]

    def call_source(self, number: int) -> str | None:
        """What is evaluated for a case that was given as an expression."""
        call = self._calls[number]
        return None if call is None else call.source

    @property
    def finished(self) -> bool:
        """Whether every case is decided."""
        return self._first >= len(self.outcomes)

    @property
    def allowance(self) -> float:
        """Seconds that the present stage (import, or one call) may take."""
        limits = self.submission.limits
        if self.current < 0:
            return limits.boot_seconds
        return limits.case_seconds * (1.0 if self._wasted < self._patience else 0.2)

    @property
    def _patience(self) -> float:
        return PATIENCE * self.submission.limits.case_seconds

    def request(self) -> bytes:
        """Begin with a new process: the header and the cases that are still open."""
        self.current, self.up, self._failing = -1, False, self._first > 0
        self._buffer.clear()
        limits, lines = self.submission.limits, self._lines[self._first :]
        wall = limits.boot_seconds + len(lines) * limits.case_seconds
        header = {
            "code": self.submission.code,
            "entry": self.submission.entry,
            "namespace": self.submission.namespace,
            "first": self._first,
            "cases": len(lines),
            "memory_mb": limits.memory_mb,
            "output_bytes": limits.output_bytes,
            "cpu_seconds": int(limits.cpu_seconds or wall + 1) + 1,
        }
        return "\n".join([json.dumps(header), *lines, ""]).encode()

    def feed(self, data: bytes) -> bool:
        """Take bytes from the process; False when it must be ended (finished, or misbehaving)."""
        self._buffer += data
        while (end := self._buffer.find(b"\n")) >= 0:
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            try:
                self._frame(parse_json(line))
            except (MalformedTree, RecursionError):
                self._decide_rest("protocol_error")
            if self.finished:
                return False
        if len(self._buffer) > self.submission.limits.output_bytes + (1 << 16):
            self._fail("output_limit")
            return False
        return True

    def spend(self, seconds: float) -> None:
        """Account for the time of the stage that has just ended.

        A call that failed wastes its time, and so does importing the code again after one.
        """
        if self._failing:
            self._wasted += seconds
        if self._wasted >= 2 * self._patience and not self.finished:
            self._decide_rest("timeout", "was not called: calls before it had used up the time")

    def timed_out(self) -> None:
        """The present stage has used up its allowance."""
        self._fail("timeout")

    def ended(self, message: str) -> None:
        """The process has ended, by its own doing."""
        self._fail("crash", message)

    def fault(self, message: str) -> None:
        """The sandbox itself failed: nothing that is still open can be judged."""
        self._decide_rest("sandbox_error", message)

    def verdict(self, level: str) -> Verdict:
        """Sum up; every case must be decided."""
        outcomes = tuple(o for o in self.outcomes if o is not None)
        good = [o.status in GOOD for o in outcomes]
        bad = next((o for o in outcomes if o.status == "sandbox_error"), None)
        first = bad or next((o for o, ok in zip(outcomes, good) if not ok), None)
        return Verdict(
            status=first.status if first else "pass",
            outcomes=outcomes,
            score=0.0 if bad else sum(good) / len(good),
            message=first.message if first else "",
            level=level,
        )

    def _fail(self, status: str, message: str = "") -> None:
        """The process must go; that costs the present case, or all if it was being imported."""
        if self.current >= 0:
            self._decide(Outcome(status, message or _MESSAGES[status]))
        elif status == "timeout":
            self._decide_rest("boot_error", "importing the code took too long")
        else:
            self._decide_rest(status, message)

    def _decide_rest(self, status: str, message: str = "") -> None:
        outcome = Outcome(status, message or _MESSAGES[status])
        self.outcomes[self._first :] = [outcome] * (len(self.outcomes) - self._first)
        self._first = len(self.outcomes)

    def _decide(self, outcome: Outcome) -> None:
        self.outcomes[self._first] = outcome
        self._first += 1
        self.current = self._first
        self._failing = outcome.status not in GOOD

    def _frame(self, frame: Any) -> None:
        if not self.up:
            if frame != ["up"]:
                raise MalformedTree("not a frame")
            self.up = True
        elif type(frame) is not list or not frame:
            raise MalformedTree("not a frame")
        elif self.current < 0:
            self._boot_frame(frame)
        elif type(frame[0]) is not int or frame[0] != self._first or len(frame) not in (2, 3):
            raise MalformedTree("out of order")
        else:
            self._decide(self._judge(*frame[1:]))

    def _boot_frame(self, frame: list[Any]) -> None:
        if frame == ["ready"]:
            self.current = self._first
            return
        if len(frame) != 2 or frame[0] != "boot" or type(frame[1]) is not list:
            raise MalformedTree("out of order")
        if not frame[1]:
            message = f"does not define {self.submission.entry}"
        else:
            message = f"importing the code raised {_safe_name(check(['x', *frame[1]])[1:])}"
        self._decide_rest("boot_error", message)

    def _judge(self, kind: Any, payload: Any = None) -> Outcome:
        expected = self._expected[self._first]
        if kind == "x":
            names = check(["x", *payload] if type(payload) is list else None)
            return self._judge_exception(expected, names)
        if kind != "v":
            if kind not in ("bad_value", "output_limit", "exception"):
                raise MalformedTree("not a frame")
            return Outcome(kind, _MESSAGES[kind])
        call = self._calls[self._first]
        got = check(payload)
        if call is not None:
            got = call.result(got)
        if expected is RECORD:
            return Outcome("recorded", value=Encoded(json.dumps(got)))
        return (
            Outcome("pass")
            if self._matches(expected, got)
            else Outcome("wrong", _MESSAGES["wrong"])
        )

    def _judge_exception(self, expected: Tree, names: Tree) -> Outcome:
        if names is None:
            raise MalformedTree("not a frame")
        if type(expected) is list and expected[0] == "x" and expected[1] in names[1:]:
            return Outcome("pass")
        value = Encoded(json.dumps(names)) if expected is RECORD else None
        return Outcome("exception", f"raised {_safe_name(names[1:])}", value)

    def _matches(self, expected: Tree, got: Tree) -> bool:
        try:
            return bool(self._compare(expected, got))
        except Exception:  # noqa: BLE001 - a custom comparator that chokes on an odd result
            return False


def _validate(submission: Submission) -> None:
    if not submission.cases:
        raise ConfigError("a submission needs at least one case")
    for what, value, known in (
        ("profile", submission.profile, profiles.NAMES),
        ("namespace", submission.namespace, ("module", "split")),
    ):
        if value not in known:
            raise ConfigError(f"{what} must be one of {', '.join(known)}, not {value!r}")


def _safe_name(names: list[Any]) -> str:
    """Name an exception by its built-in class: other names are the submission's own words."""
    return next((n for n in names if n in _ERRORS), "an exception")


def _case_line(case: Any, call: Call | None) -> str:
    if call is not None:
        return json.dumps(call.source)
    try:
        return json.dumps(
            [wire.encode(part, strict=True) for part in (tuple(case.args), dict(case.kwargs))]
        )
    except (ValueError, TypeError) as error:
        raise ConfigError(
            f"the arguments of a case must be plain data ({error}); or use call="
        ) from None


def _expected_tree(expected: Any) -> Tree:
    if expected is RECORD:
        return RECORD
    try:
        return (expected if isinstance(expected, Encoded) else Encoded.of(expected)).tree
    except ValueError as error:
        raise ConfigError(f"the expected value of a case must be plain data: {error}") from None
