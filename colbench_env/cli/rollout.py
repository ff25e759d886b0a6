"""`colbench rollout`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from colbench_env.baselines.evaluate import summarise
from colbench_env.cli.run import play_and_record, progress_bar
from colbench_env.cli.tables import results_table


def rollout(
    env: Annotated[str, tyro.conf.Positional],
    /,
    policy: str = "ask",
    episodes: Annotated[int, tyro.conf.arg(aliases=["-n"])] = 10,
    out: Path = Path("runs/rollout.jsonl"),
    tasks: str | None = None,
    split: str | None = None,
    human: str | None = None,
    rules: str | None = None,
    seed: int = 0,
    num_envs: int = 16,
) -> None:
    """Play episodes with a policy and write them to a file; run again to go on after a stop.

    Example: colbench rollout Backend-v0 --policy ask -n 100 --tasks procedural --out runs/ask.jsonl

    Args:
        env: Id of the environment.
        policy: Name of a policy.
        episodes: How many episodes; tasks are taken in order.
        out: Episode file to write.
        tasks: Task source: builtin, procedural, or the path of a JSONL file in ColBench's format.
        split: train or test; without it, all tasks.
        human: Who plays the person: scripted, null.
        rules: fixed, or legacy for the original's parsing and scoring.
        seed: Seed of the first episode; the others count up.
        num_envs: How many environments live at once.
    """
    settings = {"tasks": tasks, "split": split, "human": human, "rules": rules}
    with progress_bar() as progress:
        played = play_and_record(
            env,
            settings,
            policy,
            out,
            episodes=episodes,
            seed=seed,
            num_envs=num_envs,
            progress=progress,
        )
    console = Console()
    console.print(results_table([summarise(policy, played)], title=str(out)))
    console.print(f"Look at them: colbench show {out}", highlight=False)
