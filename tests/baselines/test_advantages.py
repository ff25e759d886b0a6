"""Advantages against numbers worked out by hand, and against numpy in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_env.baselines import advantages


def test_turn_advantages_by_hand():
    logprobs = torch.tensor([[0.0, -1.0, -2.0, 9.0, -1.0]])
    ref = torch.tensor([[0.0, -2.0, -4.0, 0.0, -0.5]])
    turns = torch.tensor([[-1, 0, 0, -1, 1]])
    mean = advantages.turn_advantages(logprobs, ref, turns, 3)
    total = advantages.turn_advantages(logprobs, ref, turns, 3, length_normalised=False)
    assert mean.tolist() == [[1.5, -0.5, 0.0]]
    assert total.tolist() == [[3.0, -0.5, 0.0]]


@given(seed=st.integers(0, 10_000))
@settings(max_examples=30, deadline=None)
def test_turn_advantages_against_float64(seed):
    rng = np.random.default_rng(seed)
    new, ref = rng.normal(size=(3, 12)), rng.normal(size=(3, 12))
    turns = rng.integers(-1, 4, size=(3, 12))
    expected = np.zeros((3, 4))
    for b in range(3):
        for t in range(4):
            chosen = turns[b] == t
            if chosen.any():
                expected[b, t] = (new - ref)[b, chosen].mean()
    got = advantages.turn_advantages(
        torch.tensor(new, dtype=torch.float32),
        torch.tensor(ref, dtype=torch.float32),
        torch.tensor(turns),
        4,
    )
    np.testing.assert_allclose(got.numpy(), expected, atol=1e-5)


def test_turn_advantages_train_the_critic_alone():
    new, ref = (torch.zeros(1, 2, requires_grad=True) for _ in range(2))
    advantages.turn_advantages(new, ref, torch.tensor([[0, 0]]), 1).sum().backward()
    assert new.grad.tolist() == [[0.5, 0.5]]
    assert ref.grad is None


def test_group_relative_by_hand():
    got = advantages.group_relative(torch.tensor([1.0, 0.0, 0.0, 1.0]))
    assert got.tolist() == pytest.approx([1.0, -1.0, -1.0, 1.0], rel=1e-5)
    plain = advantages.group_relative(torch.tensor([3.0, 0.0]), scale=False)
    assert plain.tolist() == [1.5, -1.5]


def test_a_group_of_equals_gets_zeros():
    assert advantages.group_relative(torch.full((2, 4), 0.7)).abs().max() < 1e-6


def test_leave_one_out_by_hand():
    # each against the mean of the two others
    got = advantages.leave_one_out(torch.tensor([3.0, 0.0, 6.0]))
    assert got.tolist() == pytest.approx([0.0, -4.5, 4.5])
    assert advantages.leave_one_out(torch.tensor([5.0])).tolist() == [0.0]


def test_reward_to_go_by_hand():
    assert advantages.reward_to_go([1.0, 0.0, 4.0]) == [5.0, 4.0, 4.0]
    assert advantages.reward_to_go([1.0, 0.0, 4.0], gamma=0.5) == [2.0, 2.0, 4.0]
    assert advantages.reward_to_go([]) == []


def test_per_token_gives_each_token_its_turn():
    got = advantages.per_token(torch.tensor([[5.0, 7.0]]), torch.tensor([[-1, 0, 1, 1, -1]]))
    assert got.tolist() == [[0.0, 5.0, 7.0, 7.0, 0.0]]
