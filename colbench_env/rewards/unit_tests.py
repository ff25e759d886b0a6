"""Hidden unit tests: run the answer and the reference on the same calls, compare the results.

Neither expected values nor the reference ever share a process with the answer: the reference runs
in a sandboxed process of its own, once for each task, and only its results are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from colbench_env import sandbox
from colbench_env.errors import ConfigError, Fault
from colbench_env.records import Score, Submission, Task

REFERENCE = "human_0"  # who holds the reference among `task.private`
FORBIDDEN = ("import os", "import sys", "import subprocess", "exit(", "quit(", "sudo", "rm -rf")
NO_ANSWER = "no code was handed in"
REMEMBERED = 20_000  # tasks whose expected results are kept

Expected = tuple[sandbox.Encoded | None, ...]


class UnitTests:
    """The share of hidden calls on which the answer does what the reference does.

    Under `rules="fixed"` the code is a module (helpers, imports and recursion work), results are
    compared by value with a small tolerance relative to the expected number, a reference that
    raises expects the same exception, and calls on which the reference itself gives no comparable
    result are left out of the count (`details["skipped"]`).

    Under `rules="legacy"`, for comparison with published numbers, as the original scorer does it:
    names of the code land in local scope, so that helper functions, imports and recursion are not
    found (on every Python version, as on 3.12 and older); results are compared as `==` would; a
    call on which the reference returns None, raises or times out cannot pass; an answer with a
    forbidden substring scores 0. Known departures: it runs in the sandbox, an object with a lying
    `__eq__` does not pass, and the original's list of substrings is longer than the part kept here.

    Args:
        rules: `"fixed"` or `"legacy"`.
        box: Where to run; None: the process's shared sandbox.
        limits: Of each submission; None: 1 s a call, as in the original.

    Raises:
        ConfigError: No rules are called so.
    """

    def __init__(
        self,
        *,
        rules: str = "fixed",
        box: sandbox.Sandbox | None = None,
        limits: sandbox.Limits | None = None,
    ) -> None:
        if rules not in ("fixed", "legacy"):
            raise ConfigError(f"rules={rules!r} is unknown; use 'fixed' or 'legacy'")
        self.rules = rules
        self._limits = limits or sandbox.Limits()
        self._run = sandbox.run if box is None else box.run
        self._expected: dict[bytes, Expected] = {}

    def score(self, submissions: Sequence[Submission]) -> list[Score | Fault]:
        """Score a batch.

        Args:
            submissions: Tasks with the code handed in. A task's `hidden` holds `entry`, `calls`
                (call expressions) and optionally `comparator`; `private["human_0"]["reference"]`
                holds the reference.

        Returns:
            For each a `Score` with `passed` (the value) and `success` (all passed), and in
            `details` the statuses counted; or a `Fault` where the sandbox itself failed.
        """
        expected = self._expect([s.task for s in submissions])
        results: list[Score | Fault] = []
        batch = []
        for submission in submissions:
            known = expected[_key(submission.task)]
            if isinstance(known, Fault):
                results.append(known)
                continue
            refused = self._refuse(submission.content)
            cases = self._cases(submission.task, known)
            if refused or not cases:
                results.append(_score(0, len(known), Counter(), refused or "no call can be judged"))
                continue
            results.append(Fault("sandbox", "pending"))  # replaced below, in order
            batch.append((len(results) - 1, len(known), self._submission(submission, cases)))
        verdicts = self._run([run for _, _, run in batch]) if batch else []
        for (i, calls, _), verdict in zip(batch, verdicts, strict=True):
            if verdict.status == "sandbox_error":
                results[i] = Fault("sandbox", "sandbox_error", verdict.message)
                continue
            counts = Counter(outcome.status for outcome in verdict.outcomes)
            total = calls if self.rules == "legacy" else len(verdict.outcomes)
            score = _score(counts["pass"], total, counts, verdict.message)
            results[i] = score
        return results

    def expected(self, task: Task) -> Expected | Fault:
        """Return what the reference gives on each hidden call; None where it cannot be judged."""
        return self._expect([task])[_key(task)]

    def _expect(self, tasks: Sequence[Task]) -> Mapping[bytes, Expected | Fault]:
        missing = {_key(t): t for t in tasks if _key(t) not in self._expected}
        faults: dict[bytes, Expected | Fault] = {}
        runs = [
            self._submission(
                Submission(task, task.private[REFERENCE]["reference"]),
                tuple(sandbox.Case(call=call) for call in task.hidden["calls"]),
            )
            for task in missing.values()
        ]
        for key, verdict in zip(missing, self._run(runs) if runs else [], strict=True):
            if verdict.status == "sandbox_error":
                faults[key] = Fault("sandbox", "sandbox_error", verdict.message)
            else:
                self._expected[key] = tuple(self._judgeable(o.value) for o in verdict.outcomes)
        while len(self._expected) > max(REMEMBERED, len(tasks)):
            del self._expected[next(iter(self._expected))]
        return {**self._expected, **faults} if faults else self._expected

    def _judgeable(self, value: sandbox.Encoded | None) -> sandbox.Encoded | None:
        if value is None or value.is_opaque:
            return None
        if self.rules == "legacy" and (value.is_none or value.is_exception):
            return None
        return value

    def _cases(self, task: Task, expected: Expected) -> tuple[sandbox.Case, ...]:
        calls = task.hidden["calls"]
        return tuple(
            sandbox.Case(call=call, expected=value)
            for call, value in zip(calls, expected, strict=True)
            if value is not None
        )

    def _submission(
        self, submission: Submission, cases: tuple[sandbox.Case, ...]
    ) -> sandbox.Submission:
        hidden, legacy = submission.task.hidden, self.rules == "legacy"
        return sandbox.Submission(
            code=submission.content,
            entry=hidden["entry"],
            cases=cases,
            comparator="equal" if legacy else hidden.get("comparator", "value"),
            namespace="split" if legacy else "module",
            limits=self._limits,
        )

    def _refuse(self, code: str) -> str:
        if not code.strip():
            return NO_ANSWER
        if self.rules == "legacy":
            found = next((word for word in FORBIDDEN if word in code), None)
            if found:
                return f"the code holds the forbidden text {found!r}"
        return ""


@cache
def unit_tests(rules: str = "fixed") -> UnitTests:
    """Return the `UnitTests` that this process's environments share, so that scoring batches."""
    return UnitTests(rules=rules)


def _score(passed: int, total: int, counts: Mapping[str, int], message: str) -> Score:
    value = passed / total if total else 0.0
    return Score(
        value=value,
        components={"passed": value, "success": float(total > 0 and passed == total)},
        details={"calls": total, "outcomes": dict(counts), "message": message},
    )


def _key(task: Task) -> bytes:
    """A hash of everything that the expected results depend on."""
    content = [task.private[REFERENCE]["reference"], task.hidden["entry"], *task.hidden["calls"]]
    return hashlib.sha256(json.dumps(content).encode()).digest()
