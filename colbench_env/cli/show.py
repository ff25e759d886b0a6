"""`colbench show`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from colbench_env.cli.report import write_report
from colbench_env.cli.tables import dialogue
from colbench_env.episodes import read_episodes, read_header
from colbench_env.errors import ConfigError


def show(
    file: Annotated[Path, tyro.conf.Positional],
    /,
    first: int = 3,
    episode: int | None = None,
    html: Path | None = None,
) -> None:
    """Show episodes of a file in colour, or as one self-contained HTML page.

    Example: colbench show runs/ask.jsonl --html runs/ask.html

    Args:
        file: Episode file.
        first: How many to show, from the start (with --html: 100 at most by default).
        episode: Show only the episode with this index.
        html: Write a page here instead of printing.
    """
    if not file.exists():
        raise ConfigError(
            f"there is no file {file}; write one with `colbench rollout ENV --out {file}`"
        )
    if episode is not None:
        chosen = [e for e in read_episodes(file) if e.extra.get("index") == episode]
        if not chosen:
            raise ConfigError(f"{file} holds no episode {episode}")
    else:
        chosen = list(islice(read_episodes(file), first if html is None else max(first, 100)))
    console = Console()
    if html is not None:
        write_report(html, title=f"Episodes of {file.name}", run=read_header(file), episodes=chosen)
        console.print(f"wrote {html}", highlight=False)
        return
    for one in chosen:
        console.print(dialogue(one))
