"""One self-contained HTML page with results and dialogues."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from colbench_env.baselines.evaluate import Row
from colbench_env.cli.pictures import pictures
from colbench_env.cli.tables import outcome
from colbench_env.core import printable
from colbench_env.records import Episode


def write_report(
    path: Path,
    *,
    title: str,
    run: Mapping[str, Any],
    rows: Sequence[Row] = (),
    episodes: Sequence[Episode] = (),
) -> None:
    """Write the page, whole or not at all.

    Args:
        path: Where; folders are made.
        title: Its heading.
        run: Settings to show.
        rows: Results, one a policy.
        episodes: Dialogues to show, each with its outcome and the pages shown in it.
    """
    import jinja2

    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["printable"] = printable
    source = files("colbench_env.cli").joinpath("templates/report.html").read_text("utf-8")
    page = environment.from_string(source).render(
        title=title,
        run=run,
        rows=rows,
        episodes=[(e, outcome(e), pictures(e, run)) for e in episodes],
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(path.suffix + ".part")
    draft.write_text(page, "utf-8", errors="replace")
    os.replace(draft, path)
