import json
import math

import pytest
from toy_tasks import double_task

from colbench_env.baselines.evaluate import bootstrap, plan, summarise, wilson
from colbench_env.baselines.oracles import OracleAfter, misunderstandings, misunderstood
from colbench_env.baselines.rollout import Plan, collect
from colbench_env.baselines.scripted import POLICIES, make_policy, stub
from colbench_env.envs.backend import BackendEnv
from colbench_env.errors import ConfigError
from colbench_env.records import Episode, Score, Task
from colbench_env.tasks import load_tasks


def test_wilson_by_hand():
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3: 81 of 263, 15 of 148, 0 of 20.
    for x, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
    ):
        interval = wilson(x, n)
        assert interval.mean == x / n
        assert interval.low == pytest.approx(low, abs=5e-5)
        assert interval.high == pytest.approx(high, abs=5e-5)
    assert wilson(29, 29).high == 1.0
    assert math.isnan(wilson(0, 0).mean)
    assert str(wilson(1, 2)) == "50.0 [9.5, 90.5]"


def test_bootstrap_repeats_and_covers():
    values = [i / 100 for i in range(100)]
    interval = bootstrap(values)
    assert interval == bootstrap(values)
    assert interval.mean == pytest.approx(0.495)
    half = 1.96 * 0.2887 / 10
    assert interval.low == pytest.approx(0.495 - half, abs=0.01)
    assert interval.high == pytest.approx(0.495 + half, abs=0.01)
    assert bootstrap([0.5] * 9) == bootstrap([0.5] * 9, seed=3)
    assert math.isnan(bootstrap([]).mean)


def test_faults_are_counted_and_not_scored():
    good = Episode("e", "t", 0, (), score=Score(1.0))
    row = summarise("p", [good, Episode("e", "t", 1, (), fault="down")])
    assert (row.episodes, row.faults, row.passed.mean) == (1, 1, 1.0)
    json.dumps(row.to_dict())


def test_every_policy_gets_the_same_plan(tasks):
    plans = plan(lambda: BackendEnv(tasks=tasks), 7, seed=10)
    assert [p.task for p in plans] == [f"double/{i % 5}" for i in range(7)]
    assert [p.seed for p in plans] == list(range(10, 17))


def score(policy, tasks, count=None):
    plans = [Plan(i, i, task.id) for i, task in enumerate(tasks)][:count]
    played = collect(lambda: BackendEnv(tasks=tasks), make_policy(policy), plans)
    return summarise(policy, played).success.mean


def test_only_who_asks_and_uses_the_answers_succeeds():
    tasks = load_tasks("procedural").take(60)
    assert score("answer-at-once", tasks) <= 0.1
    assert score("ask", tasks) == 1.0
    assert score("ask-and-ignore", tasks) == score("answer-at-once", tasks)
    assert score("oracle", tasks) == 1.0


@pytest.mark.parametrize("name", [p for p in POLICIES if not p.startswith("draft")])
def test_every_policy_plays_any_task(name, tasks):
    plans = [Plan(i, i) for i in range(3)]
    played = list(collect(lambda: BackendEnv(tasks=tasks), make_policy(name), plans))
    assert len(played) == 3
    assert all(e.score is not None for e in played)


def test_collaboration_pays_by_the_fact():
    tasks = load_tasks("builtin").take(12)
    curve = [score(f"oracle-after-{n}", tasks) for n in (0, 3, 9)]
    assert curve[0] == 0.0
    assert curve == sorted(curve)
    assert curve[2] == 1.0


def test_a_task_without_stated_facts_is_misunderstood_where_a_call_shows_it():
    code = "def f(x):\n    if x > 7:\n        return 0\n    return x * 3"
    calls = [f"f({i})" for i in range(1, 11)]
    task = Task("t", "Def f.", {"human_0": {"reference": code}}, {"entry": "f", "calls": calls})
    mistakes = misunderstandings(task)
    assert len(mistakes) >= 2
    for mistake in mistakes:
        assert misunderstood(code, [mistake]) != code
    assert misunderstood(code, []) == code
    [episode] = collect(lambda: BackendEnv(tasks=[task]), OracleAfter(0), [Plan(0, 0)])
    assert episode.score is not None
    assert episode.score.value < 1.0


def test_several_stated_mistakes_are_all_made():
    task = load_tasks("builtin")[0]
    code = task.private["human_0"]["reference"]
    mistakes = misunderstandings(task)
    wrong = misunderstood(code, mistakes)
    assert sum(m.new in wrong for m in mistakes) >= len(mistakes) - 1


def test_stub_has_the_signature():
    assert (
        stub("Do it. The signature is: def f(a, b=(1, 2))")
        == "def f(a, b=(1, 2)):\n    return None"
    )
    assert stub("no signature").startswith("def solve(*args)")
    assert double_task().brief.endswith("def scale(x)")


def test_unknown_policies_are_named():
    with pytest.raises(ConfigError, match="oracle-after-N"):
        make_policy("genius")
    assert make_policy("oracle-after-3").name == "oracle-after-3"
