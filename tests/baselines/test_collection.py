"""Episodes for training: resumable files, fault groups, play-outs, estimates."""

import math

import pytest
import torch

from colbench_env.baselines.batch import turn_row
from colbench_env.baselines.collection import (
    Arena,
    collection_metrics,
    divergence,
    entropy,
    grouped,
    score_of,
)
from colbench_env.baselines.monte_carlo import play_out
from colbench_env.baselines.rollout import Plan, group_plans
from colbench_env.baselines.scripted import make_policy
from colbench_env.errors import ConfigError, EpisodeFileError
from colbench_env.records import Episode, Score, Turn


def episode(index, score, logprobs=(-1.0,)):
    turn = Turn("a_0", 0, "", "", 0.0, (1,), tuple(range(len(logprobs))), tuple(logprobs))
    verdict = None if score is None else Score(score)
    fault = "sandbox: down" if score is None else None
    return Episode("E-v0", "t", 0, (turn,), score=verdict, fault=fault, extra={"index": index})


def test_a_fault_drops_its_whole_group():
    episodes = [episode(0, 1.0), episode(1, None), episode(2, 0.5), episode(3, 0.25)]
    groups = grouped(episodes, 2)
    assert [[e.extra["index"] for e in group] for group in groups] == [[2, 3]]
    metrics = collection_metrics(episodes, 2)
    assert metrics["fault_groups"] == 1.0
    assert metrics["passed"] == pytest.approx(0.375)
    with pytest.raises(ConfigError, match="sandbox: down"):
        score_of(episodes[1])


def test_groups_of_zero_variance_are_counted():
    episodes = [episode(i, s) for i, s in enumerate([1.0, 1.0, 0.0, 0.0, 1.0, 0.0])]
    assert collection_metrics(episodes, 2)["equal_groups"] == pytest.approx(2 / 3)


def test_entropy_is_minus_the_mean_log_probability():
    assert entropy([episode(0, 1.0, (-1.0, -2.0)), episode(1, 0.0, (-6.0,))]) == 3.0
    assert entropy([]) == 0.0


def test_divergence_by_hand():
    row = turn_row([5], [6, 7], [-1.0, -2.0])
    ref = torch.tensor([0.0, -1.0, -3.0])  # r = 0, -1: exp(-1) - 1 + 1
    assert divergence([row], [ref]) == pytest.approx(math.exp(-1) / 2)
    assert divergence([], []) == 0.0


@pytest.fixture
def arena():
    return Arena("backend", tasks="procedural?difficulty=1", human="scripted", split="train")


class Counting:
    """Hand in nothing, and count how often it was asked."""

    name, privileged = "counting", False

    def __init__(self):
        self.asked = 0

    def act(self, queries):
        self.asked += len(queries)
        return make_policy("answer-at-once").act(queries)


def test_an_interrupted_collection_goes_on(arena, tmp_path):
    plans = group_plans(arena.task_ids(3), 2)
    policy, file = Counting(), tmp_path / "episodes.jsonl"
    first = arena.play(policy, plans[:4], file)
    assert policy.asked == 4
    whole = arena.play(policy, plans, file)
    assert policy.asked == 6
    assert whole[:4] == first
    assert [e.extra["index"] for e in whole] == list(range(6))
    assert [e.task_id for e in whole] == [p.task for p in plans]
    other = Arena("backend", tasks="builtin", human="scripted")
    with pytest.raises(EpisodeFileError, match="another run"):
        other.play(policy, plans, file)


def test_environments_share_people_and_scorers(arena):
    a, b = arena.make(), arena.make()
    assert a is not b
    assert a.human is b.human
    assert a.reward is b.reward


def test_training_information_is_the_reference(arena):
    [task_id] = arena.task_ids(1)
    reference = arena.env.tasks.get(task_id).private["human_0"]["reference"]
    assert arena.training_information(task_id) == reference


class Speaker:
    """Stands in for a policy: its messages are numbers of texts, and it plays on with the last."""

    name, privileged = "speaker", False

    def __init__(self, texts):
        self.texts = texts

    def text(self, ids):
        return self.texts[ids[0]]

    def act(self, queries):
        return make_policy("answer-at-once").act(queries)


def test_a_play_out_is_worth_what_it_leads_to(arena, tmp_path):
    [task_id] = arena.task_ids(1)
    [episode] = arena.play(
        make_policy("ask"), [Plan(0, 0, task_id)], tmp_path / "e.jsonl", snapshots=True
    )
    reference = arena.training_information(task_id)
    speaker = Speaker([f"I WANT TO ANSWER: {reference}", "I WANT TO ANSWER: x", "Hello?"])
    turn = episode.turns[0]
    values = play_out(arena, speaker, [(episode, turn)] * 3, [(0,), (1,), (2,)])
    assert values[:2] == [1.0, 0.0]
    assert values[2] < 1.0
    bare = Turn("assistant_0", 0, "", "")
    with pytest.raises(ConfigError, match="snapshots=True"):
        play_out(arena, speaker, [(episode, bare)], [(0,)])
