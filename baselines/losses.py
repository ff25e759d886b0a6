"""Losses as pure functions of tensors: shapes are asserted first, sources are named.

`[B, T]`: B sequences of T tokens, masked by `action_mask`. `[N]`: N pairs. All return means, so a
loss does not depend on the size of the batch it is computed on.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean of the values where the mask is True; 0 where it never is.

    Args:
        values: Any shape.
        mask: The same shape, bool.
    """
    assert values.shape == mask.shape, (values.shape, mask.shape)
    return (values * mask).sum() / mask.sum().clamp(min=1)


def sequence_sum(values: Tensor, mask: Tensor) -> Tensor:
    """Sum over each sequence's masked tokens: `[B, T] -> [B]`."""
    assert values.ndim == 2, values.shape
    assert values.shape == mask.shape, (values.shape, mask.shape)
    return (values * mask).sum(dim=1)


def sequence_mean(values: Tensor, mask: Tensor) -> Tensor:
    """Mean over each sequence's masked tokens (0 when there is none): `[B, T] -> [B]`."""
    return sequence_sum(values, mask) / mask.sum(dim=1).clamp(min=1)


def nll_loss(logprobs: Tensor, action_mask: Tensor) -> Tensor:
    """Negative log-likelihood a token: behaviour cloning, rejection-sampling fine-tuning.

    Args:
        logprobs: `[B, T]`.
        action_mask: `[B, T]`, bool.
    """
    return -masked_mean(logprobs, action_mask)


def dpo_loss(
    chosen: Tensor, rejected: Tensor, ref_chosen: Tensor, ref_rejected: Tensor, *, beta: float
) -> Tensor:
    """Direct preference optimisation (Rafailov et al., arXiv 2305.18290, equation 7).

    `-log sigmoid(beta * [(chosen - ref_chosen) - (rejected - ref_rejected)])`, where each
    log-probability is a sum over the response's tokens.

    Args:
        chosen: `[N]`, of the preferred responses under the policy.
        rejected: `[N]`, of the others.
        ref_chosen: `[N]`, under the reference; no gradient.
        ref_rejected: `[N]`.
        beta: Strength of the pull towards the reference, above 0.
    """
    assert chosen.ndim == 1, chosen.shape
    assert chosen.shape == rejected.shape == ref_chosen.shape == ref_rejected.shape
    margin = (chosen - ref_chosen.detach()) - (rejected - ref_rejected.detach())
    return -F.logsigmoid(beta * margin).mean()


def bradley_terry_loss(chosen: Tensor, rejected: Tensor, *, beta: float) -> Tensor:
    """Bradley-Terry loss on the advantages of two trajectories summed over their turns.

    `-log sigmoid(beta * sum_t A(o+_t, a+_t, c) - beta * sum_t A(o-_t, a-_t, c))` (SWEET-RL,
    arXiv 2503.15478, section 4.2; the advantages are `advantages.turn_advantages`).

    Args:
        chosen: `[N]`, summed advantages of the better trajectories.
        rejected: `[N]`, of the worse ones.
        beta: Scale of the advantages, above 0.
    """
    assert chosen.ndim == 1, chosen.shape
    assert chosen.shape == rejected.shape, (chosen.shape, rejected.shape)
    return -F.logsigmoid(beta * (chosen - rejected)).mean()


def clipped_policy_loss(
    logprobs: Tensor,
    old_logprobs: Tensor,
    advantages: Tensor,
    action_mask: Tensor,
    *,
    clip_low: float = 0.2,
    clip_high: float | None = None,
    per_sequence: bool = False,
) -> Tensor:
    """Clipped surrogate of PPO (Schulman et al., arXiv 1707.06347, equation 7), to be minimised.

    Args:
        logprobs: `[B, T]` under the policy.
        old_logprobs: `[B, T]` under the policy that sampled; no gradient.
        advantages: `[B, T]`; no gradient.
        action_mask: `[B, T]`, bool.
        clip_low: The ratio counts down to `1 - clip_low`.
        clip_high: And up to `1 + clip_high`; None: the same as `clip_low`. A larger value lets rare
            tokens rise further (arXiv 2503.14476).
        per_sequence: Average each sequence first, as GRPO does (arXiv 2402.03300, equation 3);
            otherwise every token weighs the same.
    """
    assert logprobs.ndim == 2, logprobs.shape
    assert logprobs.shape == old_logprobs.shape == advantages.shape == action_mask.shape
    high = clip_low if clip_high is None else clip_high
    difference = (logprobs - old_logprobs.detach()) * action_mask
    ratio = difference.exp()
    advantages = advantages.detach()
    surrogate = torch.minimum(ratio * advantages, ratio.clamp(1 - clip_low, 1 + high) * advantages)
    if per_sequence:
        return -sequence_mean(surrogate, action_mask).mean()
    return -masked_mean(surrogate, action_mask)


def kl_estimate(logprobs: Tensor, ref_logprobs: Tensor, action_mask: Tensor) -> Tensor:
    """Mean of `exp(r) - 1 - r` with `r = ref - policy`, on tokens that the policy sampled.

    Unbiased for KL(policy || reference) and never negative ("k3", J. Schulman, "Approximating KL
    divergence", 2020).

    Args:
        logprobs: `[B, T]` under the policy.
        ref_logprobs: `[B, T]` under the reference; no gradient.
        action_mask: `[B, T]`, bool.
    """
    assert logprobs.shape == ref_logprobs.shape == action_mask.shape
    r = (ref_logprobs.detach() - logprobs) * action_mask
    return masked_mean(r.exp() - 1 - r, action_mask)
