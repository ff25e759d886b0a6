"""Pictures of the pages in an episode of `ColBench/Frontend-v0`, for reports."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from colbench_env.browser import Page, make_renderer
from colbench_env.envs.frontend import FrontendEnv
from colbench_env.envs.frontend_messages import extract_page
from colbench_env.errors import ColbenchError
from colbench_env.records import Episode
from colbench_env.tasks import load_tasks

WANTED = -1
WIDTH = 560  # pixels of a picture in a report


def pictures(episode: Episode, run: Mapping[str, Any]) -> dict[int, str]:
    """Return the pages shown, and the page wanted, drawn again with the engine that scored them.

    Args:
        episode: Of any environment; others than the Frontend have no pictures.
        run: The run's settings, which say where its tasks come from.

    Returns:
        `data:` addresses of PNG files by the index of the message that showed the page, and under
        `WANTED` that of the reference. What cannot be drawn or found here is left out.
    """
    if episode.env_id != FrontendEnv.env_id:
        return {}
    sources = {}
    settings = run.get("settings", run)
    with suppress(ColbenchError):  # where the tasks are not here, the pages shown still are
        tasks = load_tasks(settings.get("tasks") or "builtin", kind="frontend")
        sources[WANTED] = tasks.get(episode.task_id).private["human_0"]["reference"]
    for number, message in enumerate(episode.messages):
        page = extract_page(message.text) if message.agent.startswith("assistant") else None
        if page is not None:
            sources[number] = page
    engine = episode.score.details.get("engine", "auto") if episode.score else "auto"
    try:
        drawn = make_renderer(str(engine)).render(list(sources.values()))
    except ColbenchError:
        return {}
    return {
        number: "data:image/png;base64," + base64.b64encode(page.png(WIDTH)).decode()
        for number, page in zip(sources, drawn, strict=True)
        if isinstance(page, Page) and page.problem is None
    }
