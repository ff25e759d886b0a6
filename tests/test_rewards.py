import copy
import json
import pickle

import pytest
from toy_tasks import double_task

from colbench_env import sandbox
from colbench_env.errors import ConfigError, Fault
from colbench_env.records import Score, Submission, Task
from colbench_env.rewards import UnitTests
from colbench_env.tasks import load_tasks


def task(reference, calls, comparator=None):
    hidden = {"entry": "f", "calls": list(calls)}
    if comparator:
        hidden["comparator"] = comparator
    return Task("t", "b", {"human_0": {"reference": reference}}, hidden)


def value(rules, reference, calls, code):
    [score] = UnitTests(rules=rules).score([Submission(task(reference, calls), code)])
    return score.value


def test_scores_come_in_order_and_say_why():
    tasks = [double_task(i) for i in range(3)]
    codes = ["def scale(x): return x * 2", "def scale(x): return x * 2", "def scale(x: return"]
    scores = UnitTests().score([Submission(t, c) for t, c in zip(tasks, codes, strict=True)])
    assert [s.value for s in scores] == [1.0, 0.1, 0.0]  # 0 * 2 == 0 * 3
    assert scores[1].components == {"passed": 0.1, "success": 0.0}
    assert scores[1].details["outcomes"] == {"pass": 1, "wrong": 9}
    assert scores[2].details["outcomes"] == {"boot_error": 10}


@pytest.mark.parametrize("code", ["", "  \n"])
def test_no_code_scores_nothing(code):
    [score] = UnitTests().score([Submission(double_task(), code)])
    assert score.value == 0.0
    assert score.details["message"] == "no code was handed in"


def test_the_reference_passes_against_itself():
    for rules in ("fixed", "legacy"):
        t = double_task()
        [score] = UnitTests(rules=rules).score([Submission(t, t.private["human_0"]["reference"])])
        assert score == Score(
            1.0,
            {"passed": 1.0, "success": 1.0},
            {"calls": 10, "outcomes": {"pass": 10}, "message": ""},
        )


HELPER = "def g(x):\n    return x + 1\ndef f(x):\n    return g(x)"
RECURSION = "def f(x):\n    return x + 1 if x < 1 else f(x - 1) + 1"
IMPORT = "import math\ndef f(x):\n    return math.floor(x) + 1"
LIAR = (
    "class E:\n    def __eq__(self, o): return True\n    def __hash__(self): return 0\n"
    "def f(x): return E()"
)


@pytest.mark.parametrize(
    ("code", "fixed", "legacy"),
    [
        ("def f(x): return x + 1", 1.0, 1.0),
        (HELPER, 1.0, 0.0),
        (RECURSION, 1.0, 0.5),
        (IMPORT, 1.0, 0.0),
        ("def f(x): return x + 1.0", 1.0, 1.0),
        ("import os\ndef f(x): return x + 1", 1.0, 0.0),
        (LIAR, 0.0, 0.0),
        ("def f(x): return str(x + 1)", 0.0, 0.0),
    ],
)
def test_rules(code, fixed, legacy):
    reference, calls = "def f(x): return x + 1", ["f(0)", "f(5)"]
    assert value("fixed", reference, calls, code) == fixed
    assert value("legacy", reference, calls, code) == legacy


def test_rounding_errors_pass_only_under_fixed():
    reference, code = "def f(x): return x * 3", "def f(x): return x + x + x"
    assert value("fixed", reference, ["f(0.1)"], code) == 1.0
    assert 0.1 * 3 == 0.1 + 0.1 + 0.1
    code = "def f(x): return 0.3"
    assert value("fixed", reference, ["f(0.1)"], code) == 1.0
    assert value("legacy", reference, ["f(0.1)"], code) == 0.0


def test_a_reference_that_raises_expects_the_same_exception_or_nothing():
    reference = "def f(x):\n    if x < 0: raise ValueError('no')\n    return x"
    calls = ["f(-1)", "f(1)"]
    other = "def f(x):\n    if x < 0: raise KeyError('no')\n    return x"
    assert value("fixed", reference, calls, reference) == 1.0
    assert value("fixed", reference, calls, other) == 0.5
    assert value("legacy", reference, calls, reference) == 0.5


def test_calls_that_cannot_be_judged_are_left_out_under_fixed():
    reference = "def f(x):\n    return object() if x else 1"
    calls = ["f(0)", "f(1)"]
    tests = UnitTests()
    [score] = tests.score([Submission(task(reference, calls), "def f(x): return 1")])
    assert score.value == 1.0
    assert score.details["calls"] == 1
    assert tests.expected(task(reference, calls))[1] is None
    [score] = tests.score([Submission(task(reference, ["f(1)"]), reference)])
    assert score.value == 0.0
    assert value("legacy", reference, calls, "def f(x): return 1") == 0.5


def test_comparisons_in_calls():
    reference = "def f(x): return x"
    calls = ["f(1) == 1", "f(2) == 3"]
    assert value("fixed", reference, calls, reference) == 1.0
    assert value("legacy", reference, calls, reference) == 1.0


def test_the_reference_runs_once_a_task():
    class Counting(sandbox.Sandbox):
        batches = []

        def run(self, batch):
            self.batches.append(len(batch))
            return super().run(batch)

    with Counting() as box:
        tests = UnitTests(box=box)
        work = Submission(double_task(), "def scale(x): return x")
        tests.score([work, work])
        tests.score([work])
    assert box.batches == [1, 2, 1]


def test_a_failing_sandbox_is_a_fault_and_never_a_score():
    class Broken:
        def __init__(self, good):
            self.good = good

        def run(self, batch):
            if self.good:
                self.good -= 1
                return sandbox.run(batch)
            return [sandbox.Verdict("sandbox_error", (), 0.0, "no zygote", "kernel") for _ in batch]

    work = Submission(double_task(), "def scale(x): return x")
    for good in (0, 1):
        [fault] = UnitTests(box=Broken(good)).score([work])
        assert isinstance(fault, Fault)
        assert fault.kind == "sandbox_error"


def test_scores_show_no_hidden_value():
    t = task("def f(x): return 987654321 + x", ["f(0)", "f(1)"])
    [score] = UnitTests().score([Submission(t, "def f(x): return 5")])
    assert "98765432" not in json.dumps(score.to_dict())


def test_it_copies_and_pickles():
    tests = UnitTests(rules="legacy")
    for twin in (copy.deepcopy(tests), pickle.loads(pickle.dumps(tests))):
        [score] = twin.score([Submission(double_task(), "def scale(x): return 2 * x")])
        assert score.value == 1.0


def test_unknown_rules_are_refused():
    with pytest.raises(ConfigError, match="'fixed' or 'legacy'"):
        UnitTests(rules="strict")


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")
def test_real_references_pass_against_themselves(data):
    tasks = list(load_tasks(data / "colbench" / "backend_dev.jsonl"))
    work = [Submission(t, t.private["human_0"]["reference"]) for t in tasks]
    scores = UnitTests().score(work)
    assert len(tasks) == 500
    assert sum(s.components["success"] for s in scores) >= 495
