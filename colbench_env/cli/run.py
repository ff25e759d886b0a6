"""What the commands that play episodes share: the environment's factory, and a resumable run."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
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
from colbench_env.errors import ConfigError
from colbench_env.records import Episode
from colbench_env.registration import env_class, find_env
from colbench_env.version import __version__


@dataclass(frozen=True)
class Settings:
    """The environment's arguments; those left out keep the environment's own defaults."""

    tasks: str | None = None
    """Task source: builtin, procedural, or the path of a JSONL file in ColBench's format."""
    split: str | None = None
    """train or test; without it, all tasks."""
    human: str | None = None
    """Who plays the person: scripted, scripted:PERSONA, null, openai:MODEL@URL, hf:MODEL."""
    rules: str | None = None
    """fixed, or legacy for the original's parsing and scoring."""
    max_turns: int | None = None
    """Messages of the learner in an episode."""

    def given(self) -> dict[str, Any]:
        """Return what was given, as keyword arguments."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DEFAULTS = Settings()


def factory(env: str, settings: Settings) -> Callable[[], CollabEnv]:
    """Return a factory of the environment.

    Raises:
        ConfigError: The environment has no such argument.
    """
    kind = env_class(env)
    known = inspect.signature(kind).parameters
    for name in settings.given():
        if name not in known:
            raise ConfigError(f"{kind.env_id} has no argument {name!r}: leave --{name} out")
    return partial(kind, **settings.given())


def file_name(policy: str) -> str:
    """Return the name of a policy's episode file; the names of models hold slashes and colons."""
    return re.sub(r"[^\w.-]+", "-", policy) + ".jsonl"


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
    settings: Settings,
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
        "settings": settings.given(),
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
    played = (e for e in read_episodes(out) if e.extra["index"] < episodes)
    return sorted(played, key=lambda e: int(e.extra["index"]))
