"""`colbench rollout`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from colbench_env.baselines.evaluate import summarise
from colbench_env.cli.run import DEFAULTS, Settings, play_and_record, progress_bar
from colbench_env.cli.tables import results_table, usage_lines


def rollout(
    env: Annotated[str, tyro.conf.Positional],
    /,
    policy: str = "ask",
    episodes: Annotated[int, tyro.conf.arg(aliases=["-n"])] = 10,
    out: Path = Path("runs/rollout.jsonl"),
    settings: tyro.conf.OmitArgPrefixes[Settings] = DEFAULTS,
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
        settings: The environment's arguments.
        seed: Seed of the first episode; the others count up.
        num_envs: How many environments live at once.
    """
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
    for line in usage_lines():
        console.print(line, highlight=False)
    console.print(f"Look at them: colbench show {out}", highlight=False)
