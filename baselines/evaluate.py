"""Policy x environment -> a table of scores with 95 % confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from colbench_env.baselines.rollout import Plan
from colbench_env.core import CollabEnv
from colbench_env.records import Episode, Record

Z95 = 1.959963984540054  # two-sided 95 % quantile of the normal distribution


@dataclass(frozen=True, slots=True)
class Interval(Record):
    """A mean in [0, 1] with its 95 % confidence interval; prints as percent."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


@dataclass(frozen=True, slots=True)
class Row(Record):
    """One policy's results.

    Attributes:
        policy: Its name.
        episodes: Episodes scored; those that a fault ended are left out.
        faults: Episodes that a fault ended.
        passed: Mean score, bootstrapped over episodes.
        success: Share of episodes with the full score, Wilson's interval.
        turns: Mean number of the learner's messages.
        leak: Mean share of the reference's tokens that the person's words gave away.
    """

    policy: str
    episodes: int
    faults: int
    passed: Interval
    success: Interval
    turns: float
    leak: float


def wilson(successes: int, total: int) -> Interval:
    """Return a proportion with Wilson's score interval (Wilson, 1927, JASA 22), 95 %.

    Args:
        successes: How many succeeded.
        total: Of how many, at least 0; of none, the interval is [0, 1] and the mean nan.
    """
    if total == 0:
        return Interval(math.nan, 0.0, 1.0)
    p, zz = successes / total, Z95 * Z95
    centre = (p + zz / (2 * total)) / (1 + zz / total)
    half = Z95 * math.sqrt(p * (1 - p) / total + zz / (4 * total * total)) / (1 + zz / total)
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == total else centre + half
    return Interval(p, low, high)


def bootstrap(values: Sequence[float], *, resamples: int = 2_000, seed: int = 0) -> Interval:
    """Return a mean with its percentile bootstrap interval (Efron, 1979), 95 %.

    Args:
        values: One number an episode; of none, the mean is nan.
        resamples: How many samples with replacement are drawn.
        seed: Of the draws.
    """
    if not values:
        return Interval(math.nan, 0.0, 1.0)
    sample = np.asarray(values, dtype=np.float64)  # [N]
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(sample), np.full(len(sample), 1 / len(sample)), size=resamples)
    means = counts @ sample / len(sample)  # [resamples]
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(sample.mean()), float(low), float(high))


def summarise(policy: str, episodes: Iterable[Episode]) -> Row:
    """Return the row of a policy's episodes."""
    episodes = list(episodes)
    scored = [e for e in episodes if e.score is not None]
    values = [e.score.value for e in scored if e.score is not None]
    return Row(
        policy=policy,
        episodes=len(scored),
        faults=len(episodes) - len(scored),
        passed=bootstrap(values),
        success=wilson(sum(value >= 1.0 for value in values), len(values)),
        turns=float(np.mean([len(e.turns) for e in scored])) if scored else math.nan,
        leak=float(np.mean([e.extra.get("leak", {}).get("share", 0.0) for e in scored]))
        if scored
        else math.nan,
    )


def plan(make: Callable[[], CollabEnv], episodes: int, seed: int = 0) -> list[Plan]:
    """Plan episodes over the source's tasks in order, beginning again when they run out.

    Every policy gets the same plan, so that rows compare on the same tasks and seeds.
    """
    ids = make().tasks.ids
    return [Plan(i, seed + i, ids[i % len(ids)]) for i in range(episodes)]
