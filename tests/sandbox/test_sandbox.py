"""The sandbox as its callers see it: verdicts, limits, levels, and a pool that survives."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colbench_env import sandbox as package
from colbench_env.errors import ConfigError, IsolationError
from colbench_env.sandbox import Case, Limits, Sandbox, Submission, Verdict
from colbench_env.sandbox.zygote import READY

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("sandbox")]

DOUBLE = Submission("def f(x): return 2 * x", "f", (Case(args=(4,), expected=8),))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(max_workers=2) as opened:
        yield opened


def processes(parent: int | None = None) -> list[int]:
    """Sandbox processes of a parent: their command line names it."""
    mark, found = f'"parent": {parent or os.getpid()}}}'.encode(), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                found += [int(entry.name)] if state != "Z" else []
        except OSError:
            continue
    return sorted(found)


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (holds := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds


def settled() -> set[int]:
    """The processes at a time when no zygote is replacing a child."""
    seen = processes()
    while True:
        time.sleep(0.2)
        before, seen = seen, processes()
        if before == seen:
            return set(seen)


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
    assert verdict.message == "ended the process (exit status 0)"
    assert verdict.score == 4 / 7


def test_children_share_nothing(sandbox: Sandbox) -> None:
    code = """
import builtins, random
builtins.seen = getattr(builtins, 'seen', 0) + 1
def f(): return builtins.seen, random.random(), hash('a')
"""
    results = {v.outcomes[0].value for v in sandbox.run([Submission(code, "f", (Case(),))] * 8)}
    assert len(results) == 1


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


def test_packages(sandbox: Sandbox) -> None:
    pytest.importorskip("numpy")
    code = "import numpy as np\ndef f(n): return np.linalg.inv(np.eye(n)), np.random.default_rng(0)"
    assert run(sandbox, code, Case(args=(2,))).status == "pass"
    assert run(sandbox, "import hypothesis\ndef f(): pass").status == "boot_error"
    assert run(sandbox, "import colbench_env\ndef f(): pass").status == "boot_error"


def test_shared_sandbox() -> None:
    assert [v.status for v in package.run([DOUBLE, DOUBLE])] == ["pass", "pass"]


@pytest.mark.parametrize(
    "options", [{"max_workers": 0}, {"min_isolation": "none"}, {"backend": "docker"}]
)
def test_impossible_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="must be"):
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


def test_a_zygote_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with Sandbox(max_workers=1) as broken, pytest.raises(IsolationError, match="does not start"):
        broken.run([DOUBLE])


def test_a_killed_worker_costs_no_score() -> None:
    slow = Submission("import time\ndef f(): time.sleep(0.5); return 1", "f", (Case(expected=1),))
    others = settled()
    with Sandbox(max_workers=1) as sandbox:
        for place in (2, 1, 0):  # a child, its zygote, the launcher
            assert sandbox.run([DOUBLE])[0].status == "pass"
            assert eventually(lambda: len(set(processes()) - others) == 2 + READY)
            target = sorted(set(processes()) - others)[place]
            killer = threading.Timer(0.2, os.kill, (target, signal.SIGKILL))
            killer.start()
            assert [v.status for v in sandbox.run([slow] * 3)] == ["pass"] * 3
            killer.join()
    assert eventually(lambda: set(processes()) <= others)


def test_workers_killed_again_and_again_are_a_fault() -> None:
    slow = Submission("import time\ndef f(): time.sleep(0.9); return 1", "f", (Case(expected=1),))
    others = settled()
    with Sandbox(max_workers=1) as sandbox:
        sandbox.run([DOUBLE])
        stop = threading.Event()

        def kill_all() -> None:
            while not stop.wait(0.05):
                for pid in set(processes()) - others:
                    try:
                        os.kill(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        continue

        killer = threading.Thread(target=kill_all)
        killer.start()
        try:
            [verdict] = sandbox.run([slow])
        finally:
            stop.set()
            killer.join()
        assert verdict.status == "sandbox_error"
        assert verdict.score == 0.0
        assert verdict.message
        assert sandbox.run([DOUBLE])[0].status == "pass"


def test_threads_share_a_pool(sandbox: Sandbox) -> None:
    results: list[list[str]] = []

    def client() -> None:
        results.append([v.status for v in sandbox.run([DOUBLE] * 20)])

    threads = [threading.Thread(target=client) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [["pass"] * 20] * 4


def test_interrupt_in_the_parent(sandbox: Sandbox) -> None:
    slow = Submission("import time\ndef f(): time.sleep(30)", "f", (Case(),), limits=Limits(60.0))
    main = threading.get_ident()
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        sandbox.run([slow] * 4)
    timer.join()
    assert [v.status for v in sandbox.run([DOUBLE] * 4)] == ["pass"] * 4


def test_close_and_garbage_collection_leave_nothing() -> None:
    before = settled()
    sandbox = Sandbox(max_workers=2)
    sandbox.run([DOUBLE] * 4)
    assert set(processes()) - before
    sandbox.close()
    assert eventually(lambda: set(processes()) <= before)
    assert sandbox.run([DOUBLE])[0].status == "pass"
    del sandbox
    gc.collect()
    assert eventually(lambda: set(processes()) <= before)


PARENT = """
import os, sys, time
from colbench_env.sandbox import Case, Sandbox, Submission
sandbox = Sandbox(max_workers=2)
sandbox.run([Submission("def f(): return 1", "f", (Case(),))] * 4)
pid = os.fork()
if pid == 0:
    time.sleep(60)
print(os.getpid(), pid, flush=True)
time.sleep(60)
"""


def test_a_killed_parent_leaves_nothing() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid, forked = map(int, parent.stdout.readline().split())
    try:
        assert len(processes(pid)) >= 8
        parent.kill()
        parent.wait()
        assert eventually(lambda: processes(pid) == [])
    finally:
        os.kill(forked, signal.SIGKILL)
        parent.stdout.close()


def in_fork(sandbox: Sandbox, queue: Any) -> None:
    queue.put([v.status for v in sandbox.run([DOUBLE] * 2)])
    sandbox.close()


def test_a_forked_copy_has_workers_of_its_own(sandbox: Sandbox) -> None:
    sandbox.run([DOUBLE])
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=in_fork, args=(sandbox, queue))
    child.start()
    assert queue.get(timeout=60) == ["pass", "pass"]
    child.join()
    assert sandbox.run([DOUBLE])[0].status == "pass"


def test_a_full_disk_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TMPDIR", "TEMP", "TMP", "HOME"):
        monkeypatch.setenv(name, "/dev/full")
    with Sandbox(max_workers=1) as sandbox:
        assert sandbox.run([DOUBLE])[0].status == "pass"


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
