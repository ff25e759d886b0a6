"""The pool survives what happens to it, and leaves nothing behind."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from colbench_env.errors import IsolationError
from colbench_env.sandbox import Case, Limits, Sandbox, Submission
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
            own = sorted(settled() - others)
            assert len(own) == 2 + READY
            target = own[place]
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
        assert eventually(lambda: len(processes(pid)) >= 8)
        parent.kill()
        parent.wait()
        assert eventually(lambda: processes(pid) == [])
    finally:
        parent.kill()
        parent.wait()
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
