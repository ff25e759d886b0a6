"""Losses against numbers worked out by hand, and against numpy in float64."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_env.baselines import losses

LOG2 = math.log(2)


def tensors(seed, *shape, number=1):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for _ in range(number)]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def test_nll_is_the_mean_over_action_tokens():
    logprobs = torch.tensor([[-1.0, -2.0, -9.0], [-3.0, -9.0, -9.0]])
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert losses.nll_loss(logprobs, mask).item() == pytest.approx(2.0)


def test_nll_of_no_action_is_zero():
    assert losses.nll_loss(torch.ones(2, 3), torch.zeros(2, 3, dtype=torch.bool)).item() == 0.0


def test_dpo_without_a_preference_is_log_2():
    x = torch.tensor([-5.0, -7.0])
    assert losses.dpo_loss(x, x, x, x, beta=0.1).item() == pytest.approx(LOG2)


def test_dpo_by_hand():
    # margin = (-4 - -5) - (-8 - -6) = 1 + 2 = 3; loss = log(1 + exp(-0.5 * 3))
    args = [torch.tensor([v]) for v in (-4.0, -8.0, -5.0, -6.0)]
    assert losses.dpo_loss(*args, beta=0.5).item() == pytest.approx(math.log1p(math.exp(-1.5)))


def test_bradley_terry_by_hand():
    loss = losses.bradley_terry_loss(torch.tensor([3.0]), torch.tensor([1.0]), beta=0.1)
    assert loss.item() == pytest.approx(math.log1p(math.exp(-0.2)))


@given(seed=st.integers(0, 10_000), n=st.integers(1, 6), beta=st.floats(0.01, 2.0))
@settings(max_examples=30, deadline=None)
def test_pair_losses_against_float64(seed, n, beta):
    c, r, rc, rr = tensors(seed, n, number=4)
    args = [torch.tensor(v, dtype=torch.float32) for v in (c, r, rc, rr)]
    expected = -np.log(sigmoid(beta * ((c - rc) - (r - rr)))).mean()
    assert losses.dpo_loss(*args, beta=beta).item() == pytest.approx(expected, rel=1e-4)
    expected = -np.log(sigmoid(beta * (c - r))).mean()
    assert losses.bradley_terry_loss(*args[:2], beta=beta).item() == pytest.approx(
        expected, rel=1e-4
    )


def test_clipped_loss_by_hand():
    # ratios 2, 0.5, 1; advantages 1, -1, 4 -> min(2, 1.2), min(-0.5, -0.8), 4 -> 1.2, -0.8, 4
    old = torch.zeros(1, 4)
    new = torch.tensor([[math.log(2), math.log(0.5), 0.0, 5.0]])
    advantages = torch.tensor([[1.0, -1.0, 4.0, 100.0]])
    mask = torch.tensor([[True, True, True, False]])
    loss = losses.clipped_policy_loss(new, old, advantages, mask)
    assert loss.item() == pytest.approx(-(1.2 - 0.8 + 4.0) / 3)


def test_clip_high_lets_the_ratio_rise_further():
    old, new, mask = torch.zeros(1, 1), torch.tensor([[math.log(2)]]), torch.ones(1, 1) > 0
    one = torch.ones(1, 1)
    assert losses.clipped_policy_loss(
        new, old, one, mask, clip_low=0.2, clip_high=0.5
    ).item() == pytest.approx(-1.5)


def test_per_sequence_average_weighs_sequences_alike():
    old = torch.zeros(2, 2)
    advantages = torch.tensor([[1.0, 1.0], [4.0, 0.0]])
    mask = torch.tensor([[True, True], [True, False]])
    tokens = losses.clipped_policy_loss(old, old, advantages, mask)
    rows = losses.clipped_policy_loss(old, old, advantages, mask, per_sequence=True)
    assert (tokens.item(), rows.item()) == pytest.approx((-2.0, -2.5))


def test_no_gradient_where_the_clip_holds():
    new = torch.tensor([[math.log(2), 0.0]], requires_grad=True)
    losses.clipped_policy_loss(
        new, torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2) > 0
    ).backward()
    assert new.grad.tolist() == [[0.0, -0.5]]


@given(seed=st.integers(0, 10_000), clip=st.floats(0.05, 0.5))
@settings(max_examples=30, deadline=None)
def test_clipped_loss_and_kl_against_float64(seed, clip):
    new, old, adv = tensors(seed, 3, 5, number=3)
    new, old = new * 0.3, old * 0.3
    mask = np.random.default_rng(seed).random((3, 5)) < 0.7
    ratio = np.exp(new - old)
    surrogate = np.minimum(ratio * adv, np.clip(ratio, 1 - clip, 1 + clip) * adv)
    expected = -(surrogate * mask).sum() / max(mask.sum(), 1)
    t = [torch.tensor(v, dtype=torch.float32) for v in (new, old, adv)]
    m = torch.tensor(mask)
    assert losses.clipped_policy_loss(*t, m, clip_low=clip).item() == pytest.approx(
        expected, rel=1e-4, abs=1e-5
    )
    r = old - new
    kl = ((np.exp(r) - 1 - r) * mask).sum() / max(mask.sum(), 1)
    assert losses.kl_estimate(t[0], t[1], m).item() == pytest.approx(kl, rel=1e-3, abs=1e-5)
    assert losses.kl_estimate(t[0], t[1], m).item() >= 0


def test_masked_tokens_cannot_overflow():
    new = torch.tensor([[0.0, 200.0]])
    mask = torch.tensor([[True, False]])
    zeros = torch.zeros(1, 2)
    assert losses.clipped_policy_loss(new, zeros, zeros + 1, mask).isfinite()
    assert losses.kl_estimate(zeros, new, mask).item() == 0.0


def test_wrong_shapes_are_refused():
    with pytest.raises(AssertionError):
        losses.nll_loss(torch.zeros(2, 3), torch.zeros(3, 2, dtype=torch.bool))
    with pytest.raises(AssertionError):
        losses.dpo_loss(*[torch.zeros(2, 2)] * 4, beta=0.1)
