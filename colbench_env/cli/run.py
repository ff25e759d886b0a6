"""What the commands that play episodes share: the environment's factory, and a resumable run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from colbench_env.baselines.evaluate import plan
from colbench_env.baselines.rollout import collect
from colbench_env.baselines.scripted import make_policy
from colbench_env.core import CollabEnv
from colbench_env.episodes import EpisodeWriter, read_episodes
from colbench_env.records import Episode
from colbench_env.registration import env_class, find_env
from colbench_env.version import __version__


def factory(env: str, settings: dict[str, Any]) -> Callable[[], CollabEnv]:
    """Return a factory of the environment; settings that are None keep their defaults."""
    given = {name: value for name, value in settings.items() if value is not None}
    return partial(env_class(env), **given)


def progress_bar() -> Progress:
    """Return the progress bar of long work, with counts and times."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def play_and_record(
    env: str,
    settings: dict[str, Any],
    policy: str,
    out: Path,
    *,
    episodes: int,
    seed: int,
    num_envs: int,
    progress: Progress,
) -> list[Episode]:
    """Play the episodes that `out` does not hold yet, and return all of them, in order.

    Args:
        env: Name of the environment.
        settings: Its arguments.
        policy: Name of the policy.
        out: Episode file, begun or gone on with.
        episodes: How many in all.
        seed: Seed of the first; the others count up.
        num_envs: How many live at once.
        progress: Where to show it.

    Returns:
        The episodes 0 to `episodes - 1`.
    """
    make = factory(env, settings)
    run = {
        "env": find_env(env),
        "settings": {k: v for k, v in settings.items() if v is not None},
        "policy": policy,
        "seed": seed,
        "version": __version__,
    }
    with EpisodeWriter(out, run) as writer:
        todo = [p for p in plan(make, episodes, seed) if p.index not in writer.done]
        bar = progress.add_task(policy, total=episodes, completed=episodes - len(todo), note="")
        total, count = 0.0, 0
        for episode in collect(make, make_policy(policy), todo, num_envs=num_envs):
            writer.append(episode)
            total, count = total + (episode.score.value if episode.score else 0.0), count + 1
            progress.update(bar, advance=1, note=f"score {total / count:.2f}")
    return _first(read_episodes(out), episodes)


def _first(episodes: Sequence[Episode] | Any, count: int) -> list[Episode]:
    wanted = (e for e in episodes if e.extra["index"] < count)
    return sorted(wanted, key=lambda e: e.extra["index"])
