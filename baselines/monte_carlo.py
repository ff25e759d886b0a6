"""What a message is worth, by playing on: branch at a recorded turn, say it, play to the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from colbench_env.baselines.collection import Arena, score_of
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.rollout import Plan, collect
from colbench_env.calls import drive
from colbench_env.errors import ConfigError
from colbench_env.records import Episode, Turn


def play_out(
    arena: Arena,
    policy: TransformersPolicy,
    places: Sequence[tuple[Episode, Turn]],
    messages: Sequence[Sequence[int]],
    seed: int = 0,
    num_envs: int = 32,
) -> list[float]:
    """Return the score to which each message leads, one play-out each.

    The outside's noise is the same for all messages at a place (common random numbers). A message
    whose play-out meets a fault counts as 0 for all at its place, so that no pair is made there.

    Args:
        arena: Where the episodes were played.
        policy: Plays on after the message.
        places: For each message the episode and the turn, recorded with `snapshots`.
        messages: Token ids of each message.
        seed: Of the policy's noise.
        num_envs: How many environments live at once.

    Raises:
        ConfigError: A turn has no snapshot.
    """
    scores: list[float | None] = [None] * len(messages)
    plans = []
    for start in range(0, len(messages), num_envs):
        chosen = range(start, min(start + num_envs, len(messages)))
        envs = [arena.make() for _ in chosen]
        for env, i in zip(envs, chosen, strict=True):
            turn = places[i][1]
            if "snapshot" not in turn.extra:
                raise ConfigError("the episodes have no snapshots: collect with snapshots=True")
            env.restore(turn.extra["snapshot"])
        texts = [{places[i][1].agent: policy.text(messages[i])} for i in chosen]
        steps: list[Any] = [env.stepping(t) for env, t in zip(envs, texts, strict=True)]
        drive(steps)
        for env, i in zip(envs, chosen, strict=True):
            if env.agents:
                plans.append(Plan(i, i, start=env.snapshot(), policy_seed=seed * 10**6 + i))
            elif env.ep.score is not None:
                scores[i] = env.ep.score.value
    for episode in collect(arena.make, policy, plans, num_envs=num_envs, overlap=True):
        if episode.score is not None:
            scores[episode.extra["index"]] = score_of(episode)
    spoilt = {id(places[i][1]) for i, score in enumerate(scores) if score is None}
    return [
        0.0 if score is None or id(places[i][1]) in spoilt else score
        for i, score in enumerate(scores)
    ]
