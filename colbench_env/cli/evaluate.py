"""`colbench evaluate`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from colbench_env.baselines.evaluate import summarise
from colbench_env.cli.report import write_report
from colbench_env.cli.run import DEFAULTS, Settings, file_name, play_and_record, progress_bar
from colbench_env.cli.tables import dialogue, results_table, usage_lines


def evaluate(
    env: Annotated[str, tyro.conf.Positional],
    /,
    policies: tuple[str, ...] = ("answer-at-once", "ask", "oracle"),
    episodes: Annotated[int, tyro.conf.arg(aliases=["-n"])] = 100,
    settings: tyro.conf.OmitArgPrefixes[Settings] = DEFAULTS,
    seed: int = 0,
    num_envs: int = 16,
    out: Path = Path("runs/evaluate"),
    show: str | None = None,
) -> None:
    """Compare policies on the same tasks and seeds: a table with 95 % intervals and a report.

    Examples:
        colbench evaluate Backend-v0 --tasks procedural -n 100
        colbench evaluate Backend-v0 --tasks records.jsonl -n 500 --policies oracle ask-generic

    Args:
        env: Id of the environment.
        policies: Names of policies, in the order of the table's rows.
        episodes: Episodes for each policy; tasks are taken in order.
        settings: The environment's arguments.
        seed: Seed of the first episode; the others count up.
        num_envs: How many environments live at once.
        out: Folder for the episode files and index.html; run again to go on after a stop.
        show: Print one dialogue of this policy.
    """
    console, rows, shown, printed = Console(), [], [], None
    with progress_bar() as progress:
        for policy in policies:
            played = play_and_record(
                env,
                settings,
                policy,
                out / file_name(policy),
                episodes=episodes,
                seed=seed,
                num_envs=num_envs,
                progress=progress,
            )
            rows.append(summarise(policy, played))
            shown += [
                dataclasses.replace(e, extra={**e.extra, "policy": policy}) for e in played[:5]
            ]
            if policy == show and played:
                printed = played[0]
    if printed is not None:
        console.print(dialogue(printed))
    named = settings.given()
    title = f"{env} {' '.join(map(str, named.values()))}".strip()
    console.print(results_table(rows, title=title))
    for line in usage_lines():
        console.print(line, highlight=False)
    run = {"environment": env, **named, "episodes": episodes, "seed": seed}
    write_report(out / "index.html", title=title, run=run, rows=rows, episodes=shown)
    console.print(f"report: {out / 'index.html'}", highlight=False)
