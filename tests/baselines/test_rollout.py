"""Rollouts: branches, overlap, groups."""

import pytest

from colbench_env.baselines.rollout import Plan, collect, group_plans
from colbench_env.baselines.scripted import make_policy
from colbench_env.envs.backend import BackendEnv
from colbench_env.records import Score


class CountingReward:
    """Full score for everything, and how large its batches were."""

    def __init__(self):
        self.batches = []

    def score(self, submissions):
        self.batches.append(len(submissions))
        return [Score(1.0) for _ in submissions]


def factory(reward=None):
    return lambda: BackendEnv(
        tasks="procedural?difficulty=2&split=train", reward=reward or CountingReward()
    )


def played(**kwargs):
    plans = kwargs.pop("plans", [Plan(i, i) for i in range(7)])
    episodes = collect(factory(), make_policy("random"), plans, **kwargs)
    return sorted((e.to_dict() for e in episodes), key=lambda e: e["extra"]["index"])


@pytest.mark.parametrize("num_envs", [1, 3, 16])
@pytest.mark.parametrize("overlap", [False, True])
def test_episodes_do_not_depend_on_how_they_are_played(num_envs, overlap):
    assert played(num_envs=num_envs, overlap=overlap) == played(num_envs=2)


def test_environments_share_their_services():
    reward = CountingReward()
    list(collect(factory(reward), make_policy("answer-at-once"), [Plan(i, i) for i in range(8)]))
    assert reward.batches == [8]


def test_no_plans_no_episodes():
    assert played(plans=[]) == []


def test_a_branch_with_the_same_policy_noise_is_the_same_episode():
    make, policy = factory(), make_policy("random")
    [whole] = collect(make, policy, [Plan(0, 5)], snapshots=True)
    assert len(whole.turns) > 2
    for turn in whole.turns:
        plan = Plan(1, 99, start=turn.extra["snapshot"], policy_seed=5)
        [branch] = collect(make, policy, [plan], snapshots=True)
        assert branch.turns == whole.turns[turn.step :]
        assert branch.messages == whole.messages
        assert branch.task_id == whole.task_id


def test_a_branch_with_other_policy_noise_differs_only_after_it():
    make, policy = factory(), make_policy("random")
    [whole] = collect(make, policy, [Plan(0, 5)], snapshots=True)
    plan = Plan(1, 6, start=whole.turns[1].extra["snapshot"])
    [branch] = collect(make, policy, [plan])
    before = 3  # brief, message, reply
    assert branch.messages[:before] == whole.messages[:before]
    assert branch.messages[before] != whole.messages[before]


def test_groups_are_planned_one_after_the_other():
    plans = group_plans(["a", "b"], 3, seed=10)
    assert [p.task for p in plans] == ["a", "a", "a", "b", "b", "b"]
    assert [p.index for p in plans] == list(range(6))
    assert [p.seed for p in plans] == list(range(10, 16))
