"""Which trajectory is preferred to which, and trajectories as tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import torch
from torch import Tensor

from colbench_env.baselines.batch import Row, TokenBatch, pad, turn_row
from colbench_env.baselines.collection import learner_rows, score_of
from colbench_env.baselines.losses import dpo_loss, masked_mean, sequence_sum
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.errors import ConfigError
from colbench_env.records import Episode

RULES = ("success", "margin")


def preferences(
    group: Sequence[Episode], rule: str = "success", margin: float = 0.1
) -> list[tuple[Episode, Episode]]:
    """Return the (better, worse) pairs among episodes of one task.

    Args:
        group: Episodes with scores.
        rule: `"success"`: the first episode with the full score against every one with less, and
            none where no episode has it (the paper's rule for Backend); `"margin"`: any two whose
            scores differ by `margin` or more (its rule for Frontend). A group of equal scores
            gives no pair under either.
        margin: See above.

    Raises:
        ConfigError: No rule is called so.
    """
    if rule not in RULES:
        raise ConfigError(f"pair rule {rule!r} is unknown; use one of {', '.join(RULES)}")
    if rule == "success":
        best = next((e for e in group if score_of(e) >= 1.0), None)
        return [] if best is None else [(best, e) for e in group if score_of(e) < 1.0]
    pairs = []
    for a, b in combinations(group, 2):
        if abs(score_of(a) - score_of(b)) >= margin:
            pairs.append((a, b) if score_of(a) > score_of(b) else (b, a))
    return pairs


@dataclass(frozen=True)
class Trajectory:
    """The learner's part of an episode.

    Attributes:
        rows: Its rows; turn ids count through the episode.
        ref_logprobs: The reference's log-probabilities, `[T]` for each row.
    """

    rows: tuple[Row, ...]
    ref_logprobs: tuple[Tensor, ...]


def trajectories(
    episodes: Sequence[Episode],
    reference: TransformersPolicy,
    prefixes: Sequence[Sequence[int]] | None = None,
) -> list[Trajectory]:
    """Return the trajectories of episodes, scored by the reference.

    Args:
        episodes: With token ids.
        reference: As its weights are now.
        prefixes: For each episode, ids of context to put in front of every row.
    """
    rows = [learner_rows(e) for e in episodes]
    if prefixes is not None:
        rows = [[row.after(p) for row in own] for own, p in zip(rows, prefixes, strict=True)]
    scored = iter(reference.score([row for own in rows for row in own]))
    return [Trajectory(tuple(own), tuple(next(scored) for _ in own)) for own in rows]


@dataclass(frozen=True)
class TrajectoryBatch:
    """Rows of several trajectories, stacked.

    Attributes:
        tokens: The rows, `[R, T]`.
        ref_logprobs: float32 `[R, T]`.
        turn_ids: int64 `[R, T]`, -1 for context and padding.
        owner: int64 `[R]`, which trajectory each row belongs to.
        size: Number of trajectories, N.
    """

    tokens: TokenBatch
    ref_logprobs: Tensor
    turn_ids: Tensor
    owner: Tensor
    size: int

    @classmethod
    def stack(cls, items: Sequence[Trajectory], policy: TransformersPolicy) -> TrajectoryBatch:
        """Stack trajectories on the policy's device."""
        rows = [row for item in items for row in item.rows]
        ref = [r.tolist() for item in items for r in item.ref_logprobs]
        owner = [i for i, item in enumerate(items) for _ in item.rows]
        device = policy.device
        return cls(
            TokenBatch.from_rows(rows, policy.pad_id).to(device),
            pad(ref, 0.0, torch.float32).to(device),
            pad([row.turn_ids for row in rows], -1, torch.int64).to(device),
            torch.tensor(owner, device=device),
            len(items),
        )

    @property
    def num_turns(self) -> int:
        """Most turns of any trajectory."""
        return int(self.turn_ids.max()) + 1

    def per_trajectory(self, per_row: Tensor) -> Tensor:
        """Add up a value of each row over its trajectory: `[R, ...] -> [N, ...]`."""
        zeros = per_row.new_zeros(self.size, *per_row.shape[1:])
        return zeros.index_add(0, self.owner, per_row)


Pair = tuple[Trajectory, Trajectory]


def preference_loss(
    policy: TransformersPolicy, batch: list[Pair], beta: float, nll: float = 0.0
) -> tuple[Tensor, dict[str, float]]:
    """DPO on pairs, plus `nll` times the better ones' negative log-likelihood a token.

    A trajectory's log-probability is the sum over all its sampled tokens.

    Args:
        policy: What is trained.
        batch: N pairs, the better trajectory first.
        beta: See `losses.dpo_loss`.
        nll: Weight of the second term.
    """
    n = len(batch)
    stacked = TrajectoryBatch.stack([a for a, _ in batch] + [b for _, b in batch], policy)
    mask = stacked.tokens.action_mask
    logprobs = policy.logprobs(stacked.tokens)  # [R, T]
    sums = stacked.per_trajectory(sequence_sum(logprobs, mask))  # [2N]
    ref = stacked.per_trajectory(sequence_sum(stacked.ref_logprobs, mask))
    loss = dpo_loss(sums[:n], sums[n:], ref[:n], ref[n:], beta=beta)
    own = mask & (stacked.owner < n)[:, None]
    likelihood = -masked_mean(logprobs, own)
    gain = (sums - ref).detach()
    metrics = {
        "dpo": float(loss.detach()),
        "nll": float(likelihood.detach()),
        "accuracy": float((gain[:n] > gain[n:]).float().mean()),
        "better_gain": float(gain[:n].mean()),
        "worse_gain": float(gain[n:].mean()),
    }
    return loss + nll * likelihood, metrics


def message_pairs(
    messages: Sequence[Mapping[str, Sequence[int]]], policy: TransformersPolicy
) -> list[Pair]:
    """Return pairs of single messages to the same prompt, scored by the policy as it is now.

    Args:
        messages: `{"prompt", "better", "worse"}`, token ids.
        policy: The reference.
    """
    sides = []
    for name in ("better", "worse"):
        rows = [turn_row(m["prompt"], m[name]) for m in messages]
        scored = zip(rows, policy.score(rows), strict=True)
        sides.append([Trajectory((row,), (ref,)) for row, ref in scored])
    return list(zip(*sides, strict=True))
