"""A busy machine changes no score: waiting for a core is not the submission's time."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Iterator

import pytest

from colbench_env.sandbox import Case, Limits, Sandbox, Submission, clocks
from colbench_env.sandbox.clocks import StageClock, Usage, usage


class World:
    """The machine as the clock sees it, moved by hand."""

    def __init__(self) -> None:
        self.now, self.usage = 100.0, Usage()

    def pass_time(self, wall: float, cpu: float = 0.0, waited: float = 0.0) -> None:
        self.now += wall
        self.usage = Usage(self.usage.cpu + cpu, self.usage.waited + waited)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(clocks.time, "monotonic", lambda: made.now)
    monkeypatch.setattr(clocks, "usage", lambda pid: made.usage)
    return made


def test_computing_and_sleeping_use_up_the_allowance(world: World) -> None:
    for cpu in (1.0, 0.0):
        clock = StageClock()
        clock.begin(1.0)
        world.pass_time(1.0, cpu=cpu)
        assert clock.expired() == "timeout"


def test_waiting_for_a_core_does_not(world: World) -> None:
    clock = StageClock()
    clock.begin(1.0)
    world.pass_time(1.0, cpu=0.2, waited=0.8)
    assert clock.expired() == ""
    assert clock.deadline == pytest.approx(world.now + 0.8)
    world.pass_time(0.9, cpu=0.8, waited=0.1)
    assert clock.expired() == "timeout"


def test_waiting_for_ever_is_tried_again(world: World) -> None:
    clock = StageClock()
    clock.begin(1.0)
    world.pass_time(31.0, cpu=0.5, waited=30.5)
    assert clock.expired() == "starved"


def test_many_threads_starve_each_other_at_their_own_cost(world: World) -> None:
    clock = StageClock()
    clock.begin(1.0)
    world.pass_time(1.0, cpu=2.0, waited=0.9)
    assert clock.expired() == "timeout"


def test_each_stage_starts_afresh(world: World) -> None:
    clock = StageClock()
    clock.begin(1.0)
    world.pass_time(0.9, cpu=0.5, waited=0.4)
    assert clock.begin(1.0) == pytest.approx(0.5)
    world.pass_time(0.9, cpu=0.9)
    assert clock.begin(1.0) == pytest.approx(0.9)
    world.pass_time(0.01)
    assert clock.begin(1.0) == 0.0


def test_without_the_kernels_word_the_wall_decides(world: World) -> None:
    world.usage = None  # type: ignore[assignment]
    clock = StageClock()
    clock.begin(1.0)
    world.now += 1.0
    assert clock.expired() == "timeout"


def test_usage_of_this_process() -> None:
    before = usage(os.getpid())
    if before is None:
        pytest.skip("this kernel does not tell how long a process waited")
    deadline = time.process_time() + 0.1
    while time.process_time() < deadline:
        pass
    after = usage(os.getpid())
    assert after is not None
    assert after.cpu - before.cpu >= 0.05
    assert usage(2**22 + 1) is None


WORK = "def f(n):\n    return sum(i * i for i in range(n)) % 1000\n"
SLEEP = "import time\ndef f(n):\n    time.sleep(0.2)\n    return n\n"
LOOP = "def f(n):\n    while n % 2: pass\n    return n\n"
CRASH = "import os\ndef f(n):\n    os._exit(n) if n == 2 else None\n    return n\n"
LIMITS = Limits(case_seconds=0.6, boot_seconds=2.0)


def batch() -> list[Submission]:
    work = [Case(args=(n,), expected=sum(i * i for i in range(n)) % 1000) for n in (10, 10**6)]
    others = [Case(args=(n,), expected=n) for n in range(4)]
    return [
        Submission(code, "f", tuple(work if code is WORK else others), limits=LIMITS)
        for code in (WORK, SLEEP, LOOP, CRASH) * 2
    ]


def burn() -> None:
    while True:
        pass


@pytest.fixture
def eight_busy_processes() -> Iterator[None]:
    context = multiprocessing.get_context("fork")
    busy = [context.Process(target=burn, daemon=True) for _ in range(8)]
    for process in busy:
        process.start()
    yield
    for process in busy:
        process.kill()
        process.join()


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")
def test_scores_are_the_same_beside_eight_busy_processes(eight_busy_processes: None) -> None:
    with Sandbox(max_workers=2) as sandbox:
        if usage(os.getpid()) is None:
            pytest.skip("this kernel does not tell how long a process waited")
        busy = sandbox.run(batch())
    good, loop, crash = ["pass"] * 4, ["pass", "timeout"] * 2, ["pass", "pass", "crash", "pass"]
    expected = [good[:2], good, loop, crash] * 2
    assert [[o.status for o in v.outcomes] for v in busy] == expected


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")
def test_a_starved_submission_is_begun_again_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[int] = []
    sleepy = Submission("import time\ndef f(): time.sleep(0.3)", "f", (Case(),), limits=Limits(0.1))
    with Sandbox(max_workers=1) as sandbox:
        assert sandbox.level

        def starved_twice(clock: StageClock) -> str:
            begun.append(clock.pid)
            return "starved" if len(begun) < 3 else "timeout"

        monkeypatch.setattr(StageClock, "expired", starved_twice)
        assert sandbox.run([sleepy])[0].status == "timeout"
        assert len(set(begun)) == 3
        monkeypatch.setattr(StageClock, "expired", lambda clock: "starved")
        [verdict] = sandbox.run([sleepy])
        assert verdict.status == "sandbox_error"
        assert "too busy" in verdict.message
