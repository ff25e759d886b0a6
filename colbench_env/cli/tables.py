"""Episodes and results for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from colbench_env.baselines.evaluate import Row
from colbench_env.core import printable
from colbench_env.records import Episode

COLOURS = ("green", "magenta", "yellow", "blue", "red")


def results_table(rows: Sequence[Row], title: str) -> Table:
    """Return the table of results, one row a policy, with 95 % confidence intervals."""
    table = Table(title=title, box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("policy", no_wrap=True)
    for name in ("n", "tests, %", "success, %", "turns", "leak %"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(
            row.policy,
            str(row.episodes),
            str(row.passed),
            str(row.success),
            f"{row.turns:.1f}",
            f"{100 * row.leak:.1f}",
        )
    faults = ", ".join(f"{row.policy} {row.faults}" for row in rows if row.faults)
    table.caption = "95 % intervals: bootstrap over episodes; Wilson for success"
    if faults:
        table.caption += f"\nepisodes ended by a fault and left out: {faults}"
    return table


def dialogue(episode: Episode) -> RenderableType:
    """Return an episode's dialogue in colour, one panel a message."""
    speakers = list(dict.fromkeys(m.agent for m in episode.messages))
    panels: list[RenderableType] = [
        Text(f"{episode.env_id}  task {episode.task_id}  seed {episode.seed}", style="bold")
    ]
    for message in episode.messages:
        colour = COLOURS[speakers.index(message.agent) % len(COLOURS)]
        body = Text(printable(message.text).strip() or "(nothing)")
        if message.thought.strip():
            body = Text(printable(message.thought).strip() + "\n", style="dim italic") + body
        panels.append(Panel(body, title=message.agent, title_align="left", border_style=colour))
    panels.append(Text(outcome(episode), style="bold"))
    return Group(*panels)


def outcome(episode: Episode) -> str:
    """Return how the episode ended, in one line."""
    if episode.score is None:
        return f"no score: {episode.fault or 'the episode did not end'}"
    parts = ", ".join(f"{k} {v:g}" for k, v in episode.score.components.items())
    return f"score {episode.score.value:.2f}" + (f" ({parts})" if parts else "")


def usage_lines() -> list[str]:
    """Return what each language model of this run was used for, a line each."""
    from colbench_env.models import usage_by_model

    return [
        f"{name}: {usage.requests:,} requests, {usage.prompt_tokens:,} tokens read, "
        f"{usage.completion_tokens:,} written, {usage.faults:,} faults"
        + (f", ${usage.cost:.4f}" if usage.cost else "")
        for name, usage in usage_by_model().items()
    ]
