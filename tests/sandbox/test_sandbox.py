"""The sandbox as its callers see it: verdicts, limits, levels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from colbench_env import sandbox as package
from colbench_env.errors import ConfigError, IsolationError
from colbench_env.sandbox import Case, Limits, Sandbox, Submission, Verdict

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("sandbox")]

DOUBLE = Submission("def f(x): return 2 * x", "f", (Case(args=(4,), expected=8),))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(max_workers=2) as opened:
        yield opened


def run(sandbox: Sandbox, code: str, *cases: Case, **options: Any) -> Verdict:
    return sandbox.run([Submission(code, "f", cases or (Case(),), **options)])[0]


def test_verdicts_come_in_order(sandbox: Sandbox) -> None:
    batch = [
        Submission(
            f"import time\ndef f(): time.sleep({0.1 * (n % 3 == 0)}); return {n}",
            "f",
            (Case(expected=n),),
        )
        for n in range(30)
    ]
    batch[7] = replace(batch[7], code="def f(): return -1")
    verdicts = sandbox.run(batch)
    assert [n for n, v in enumerate(verdicts) if v.status != "pass"] == [7]
    assert sandbox.run([]) == []


def test_record_then_expect(sandbox: Sandbox) -> None:
    reference = Submission(
        "def f(n): return {n: [n / 3, (n,)]}", "f", (Case((1,)), Case(call="f(2)"))
    )
    [recorded] = sandbox.run([reference])
    assert [o.status for o in recorded.outcomes] == ["recorded"] * 2
    assert recorded.score == 1.0
    cases = tuple(replace(c, expected=o.value) for c, o in zip(reference.cases, recorded.outcomes))
    good = Submission("def f(n):\n    return dict([(n, [n / 3, tuple([n])])])", "f", cases)
    bad = replace(good, code="def f(n): return {n: [n / 3, [n]]}")
    assert [v.score for v in sandbox.run([good, bad])] == [1.0, 0.0]


def test_calls_that_hold_their_answer(sandbox: Sandbox) -> None:
    cases = (Case(call="f(1) == 2"), Case(call="f(1) == 3"))
    honest = run(sandbox, "def f(n): return n + 1", *cases)
    assert [o.value.decode() for o in honest.outcomes if o.value] == [True, False]
    liar = "class Y:\n    def __eq__(self, o): return True\ndef f(n): return Y()"
    assert [o.value.decode() for o in run(sandbox, liar, *cases).outcomes if o.value] == [False] * 2
    spy = "import sys\ndef f(n): return sys._getframe(1).f_code.co_consts[-1]"
    assert run(sandbox, spy, Case(call="f(1) == 77", expected=True)).status == "wrong"


def test_arguments_of_every_kind(sandbox: Sandbox) -> None:
    numpy = pytest.importorskip("numpy")
    things = ({1, 2}, {"a": (1, b"x")}, 1j, range(3), 2**70, float("inf"), numpy.eye(2), None)
    code = (
        "import numpy\ndef f(*a, k): return [type(x).__name__ for x in a], a[3][2], k, a[6].sum()"
    )
    [outcome] = run(sandbox, code, Case(args=things, kwargs={"k": [1]})).outcomes
    names = ["set", "dict", "complex", "range", "int", "float", "ndarray", "NoneType"]
    assert outcome.value is not None
    assert outcome.value.decode() == (names, 2, [1], 2.0)


def test_split_namespace_is_the_original_scorer(sandbox: Sandbox) -> None:
    helper = "import math\ndef g(): return 1\ndef f(): return g()"
    imports = "import math\ndef f(): return math.pi"
    recursion = "def f(n=3): return n and f(n - 1)"
    plain = "def f(): return 1"
    for code, status in (
        (helper, "exception"),
        (imports, "exception"),
        (recursion, "exception"),
        (plain, "pass"),
    ):
        assert run(sandbox, code, Case(call="f()"), namespace="split").status == status
        assert run(sandbox, code, Case(call="f()")).status == "pass"


def test_limits_are_the_callers(sandbox: Sandbox) -> None:
    slow = "import time\ndef f(): time.sleep(0.3); return 1"
    assert run(sandbox, slow, limits=Limits(case_seconds=0.1)).status == "timeout"
    assert run(sandbox, slow).status == "pass"
    big = "def f(): return len(bytearray(200 << 20))"
    assert run(sandbox, big, limits=Limits(memory_mb=64)).message == "raised MemoryError"
    assert run(sandbox, big).status == "pass"
    long = "def f(): return 'x' * 5000"
    assert run(sandbox, long, limits=Limits(output_bytes=1000)).status == "output_limit"
    late = "import time; time.sleep(0.5)\ndef f(): pass"
    assert run(sandbox, late, limits=Limits(boot_seconds=0.1)).status == "boot_error"
    busy = "def f():\n    while True: pass"
    spent = run(sandbox, busy, limits=Limits(case_seconds=30.0, cpu_seconds=0.5))
    assert (spent.status, spent.message) == ("timeout", "ran out of time")


def test_one_bad_call_costs_one_case(sandbox: Sandbox) -> None:
    code = """
import os
def f(n):
    if n == 1: os._exit(0)
    if n == 3: os.kill(os.getpid(), 11)
    if n == 5:
        while True: pass
    return n
"""
    cases = [Case(args=(n,), expected=n) for n in range(7)]
    verdict = run(sandbox, code, *cases, limits=Limits(case_seconds=0.3))
    statuses = ["pass", "crash", "pass", "crash", "pass", "timeout", "pass"]
    assert [o.status for o in verdict.outcomes] == statuses
    assert verdict.message == "ended the process"
    assert verdict.score == 4 / 7


def test_children_share_nothing(sandbox: Sandbox) -> None:
    code = """
import builtins, random
builtins.seen = getattr(builtins, 'seen', 0) + 1
def f(): return builtins.seen, random.random(), hash('a')
"""
    results = {v.outcomes[0].value for v in sandbox.run([Submission(code, "f", (Case(),))] * 8)}
    assert len(results) == 1


def test_packages(sandbox: Sandbox) -> None:
    pytest.importorskip("numpy")
    code = "import numpy as np\ndef f(n): return np.linalg.inv(np.eye(n)), np.random.default_rng(0)"
    assert run(sandbox, code, Case(args=(2,))).status == "pass"
    assert run(sandbox, "import hypothesis\ndef f(): pass").status == "boot_error"
    assert run(sandbox, "import colbench_env\ndef f(): pass").status == "boot_error"


def test_shared_sandbox() -> None:
    assert [v.status for v in package.run([DOUBLE, DOUBLE])] == ["pass", "pass"]


@pytest.mark.parametrize(
    "options",
    [{"max_workers": 0}, {"min_isolation": "none"}, {"backend": "docker"}, {"without": ["x"]}],
)
def test_impossible_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"m(ust|ay)"):
        Sandbox(**options)


def test_below_the_minimum_it_refuses() -> None:
    with Sandbox(without=("seccomp",)) as weak:
        with pytest.raises(IsolationError, match=r"min_isolation='rlimits'") as caught:
            weak.run([DOUBLE])
        assert "microVM" in str(caught.value)
        assert "seccomp" in str(caught.value)
    with (
        Sandbox(without=("landlock",), min_isolation="hard") as weak,
        pytest.raises(IsolationError),
    ):
        _ = weak.level
    with Sandbox(without=("seccomp",), min_isolation="rlimits", max_workers=1) as weak:
        [verdict] = weak.run([DOUBLE])
        assert (verdict.status, verdict.level) == ("pass", "rlimits")


def test_nothing_of_the_parent_reaches_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLBENCH_SECRET", "123")
    code = "import os, sys\ndef f(): return sorted(os.environ), sys.argv, os.getcwd()"
    looks = "import os\ndef f(): return list(filter(os.path.exists, ['/etc', '/proc', '/dev']))"
    with Sandbox(max_workers=1) as fresh:
        [outcome] = run(fresh, code).outcomes
        seen = run(fresh, looks, Case(expected=[])).status
        hidden = fresh.level == "hard"
    assert outcome.value is not None
    environ, argv, folder = outcome.value.decode()
    assert "COLBENCH_SECRET" not in json.dumps([environ, argv])
    assert folder == "/"
    assert not hidden or seen == "pass"


def test_closed_profile_reads_no_file(sandbox: Sandbox) -> None:
    reads = """
import os
def f():
    try: return open(os.__file__).read(5)
    except PermissionError: return 'closed'
"""
    imports = "import ast, sqlite3, asyncio\ndef f(): return ast.literal_eval('[1]')"
    assert run(sandbox, reads, Case(expected="closed"), profile="closed").status == "pass"
    assert run(sandbox, imports, Case(expected=[1]), profile="closed").status == "pass"
    assert run(sandbox, reads, Case(expected="closed")).status == "wrong"
