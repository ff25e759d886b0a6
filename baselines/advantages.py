"""Advantages: how good an action was, compared with what else might have been done.

Pure functions of tensors; shapes are asserted first, sources are named.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def turn_advantages(
    logprobs: Tensor,
    ref_logprobs: Tensor,
    turn_ids: Tensor,
    num_turns: int,
    *,
    length_normalised: bool = True,
) -> Tensor:
    """Advantage of each turn as a log-ratio of two language models.

    `A_t = (1 / L_t) * sum_l log(pi_theta(a_l | ...) / pi_ref(a_l | ...))` over the L_t tokens of
    turn t (SWEET-RL, arXiv 2503.15478, section 4.2); without `length_normalised`, the sum itself.

    Args:
        logprobs: `[B, T]` under the critic.
        ref_logprobs: `[B, T]` under the reference; no gradient.
        turn_ids: int64 `[B, T]`, each token's turn, -1 for context and padding.
        num_turns: Number of turns that the result has room for, above every turn id.
        length_normalised: Divide by the turn's number of tokens.

    Returns:
        `[B, num_turns]`, 0 where a sequence lacks the turn.
    """
    assert logprobs.ndim == 2, logprobs.shape
    assert logprobs.shape == ref_logprobs.shape == turn_ids.shape
    mask = turn_ids >= 0
    ratio = (logprobs - ref_logprobs.detach()) * mask  # [B, T]
    where = turn_ids.clamp(min=0)
    zeros = ratio.new_zeros(len(ratio), num_turns)
    sums = zeros.scatter_add(1, where, ratio)  # [B, num_turns]
    if not length_normalised:
        return sums
    lengths = zeros.scatter_add(1, where, mask.to(ratio.dtype))
    return sums / lengths.clamp(min=1)


def group_relative(returns: Tensor, *, scale: bool = True, eps: float = 1e-6) -> Tensor:
    """Return minus the group's mean, over its standard deviation (GRPO, arXiv 2402.03300, 4.1).

    Args:
        returns: `[..., G]`, the last axis being a group of alternatives from one start.
        scale: Divide by the group's standard deviation (population); without it, as arXiv
            2503.20783 proposes, groups of small differences are not blown up.
        eps: Added to the standard deviation. A group of equal returns gets zeros.
    """
    assert returns.ndim >= 1, returns.shape
    centred = returns - returns.mean(dim=-1, keepdim=True)
    if not scale:
        return centred
    return centred / (returns.std(dim=-1, correction=0, keepdim=True) + eps)


def leave_one_out(returns: Tensor) -> Tensor:
    """Return minus the mean of the other members of the group (RLOO, arXiv 2402.14740).

    Args:
        returns: `[..., G]`; a group of one gets 0.
    """
    assert returns.ndim >= 1, returns.shape
    size = returns.shape[-1]
    if size < 2:
        return torch.zeros_like(returns)
    return (returns - returns.mean(dim=-1, keepdim=True)) * size / (size - 1)


def reward_to_go(rewards: Sequence[float], gamma: float = 1.0) -> list[float]:
    """Return the discounted sum of rewards from each step on.

    Args:
        rewards: One a step.
        gamma: Discount factor in [0, 1].
    """
    total, result = 0.0, []
    for reward in reversed(rewards):
        total = reward + gamma * total
        result.append(total)
    return result[::-1]


def per_token(advantages: Tensor, turn_ids: Tensor) -> Tensor:
    """Give every token its turn's advantage.

    Args:
        advantages: `[B, num_turns]`.
        turn_ids: int64 `[B, T]`, -1 for context and padding.

    Returns:
        `[B, T]`, 0 for context and padding.
    """
    assert advantages.ndim == turn_ids.ndim == 2, (advantages.shape, turn_ids.shape)
    assert len(advantages) == len(turn_ids), (advantages.shape, turn_ids.shape)
    return advantages.gather(1, turn_ids.clamp(min=0)) * (turn_ids >= 0)
