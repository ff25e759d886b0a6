"""`load_tasks`: from a short name, a path or a collection to a `TaskSource`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Literal

from colbench_env.errors import ConfigError, TaskError
from colbench_env.records import Task
from colbench_env.tasks.builtin_tasks import builtin_tasks, read_toml
from colbench_env.tasks.jsonl import HubTasks, JsonlTasks
from colbench_env.tasks.pages import named_pages
from colbench_env.tasks.procedural import ProceduralTasks
from colbench_env.tasks.source import TaskList, TaskSource

TaskSpec = str | Path | TaskSource | Iterable[Task]
OnBad = Literal["raise", "skip"]


def load_tasks(
    spec: TaskSpec, kind: str = "backend", split: str | None = None, on_bad: OnBad = "raise"
) -> TaskSource:
    """Return the task source that `spec` means; equal specs share one object.

    A file that has been written again since is opened afresh.

    Args:
        spec: One of

            * `"builtin"`: the tasks that ship with this package;
            * `"procedural"`: the endless generator, also with its arguments, for instance
              `"procedural?difficulty=2&split=train&families=clip,join&seed=3"`;
            * the path of a JSONL file in ColBench's own format, plain or .gz;
            * the path of a TOML file written like the built-in ones (`builtin_tasks`);
            * `"hub:facebook/collaborative_agent_bench"`: the published records, through the
              `datasets` package;
            * a `TaskSource`, or tasks in memory.
        kind: Which environment the tasks are for.
        split: Only this split of it (`"train"`, `"test"`; procedural tasks also have `"heldout"`).
        on_bad: What to do with a malformed record: `"raise"`, or `"skip"` it and count it in the
            source's `skipped`.

    Raises:
        ConfigError: No source is called so, or the source lacks the split.
        TaskError: A record is malformed.
    """
    if isinstance(spec, TaskSource):
        source = spec
    elif isinstance(spec, str | Path):
        source = _named(str(spec), kind, on_bad, _changed(str(spec)))
    else:
        source = TaskList(spec)
    return source if split is None else source.split(split)


@lru_cache(maxsize=64)
def _named(spec: str, kind: str, on_bad: OnBad, changed: int | None) -> TaskSource:
    """Open a source; `changed`, when its file was last written, only tells versions apart."""
    if kind == "frontend" and (pages := named_pages(spec)) is not None:
        return pages
    if spec == "builtin":
        return builtin_tasks(kind)
    name, _, query = spec.partition("?")
    if name == "procedural":
        return _procedural(query)
    if spec.startswith("hub:"):
        return HubTasks(spec.removeprefix("hub:"), kind, on_bad=on_bad)
    if spec.endswith(".toml"):
        return _toml(spec)
    if spec.endswith((".jsonl", ".jsonl.gz", ".json", ".gz")):
        return JsonlTasks(spec, kind, on_bad)
    raise ConfigError(
        f"no task source {spec!r}; use 'builtin', 'procedural', 'hub:OWNER/NAME' or the path of "
        "a .jsonl, .jsonl.gz or .toml file"
    )


def _changed(spec: str) -> int | None:
    path = Path(spec)
    return path.stat().st_mtime_ns if path.is_file() else None


def _toml(path: str) -> TaskSource:
    try:
        return TaskList(read_toml(Path(path)))
    except OSError as error:
        raise TaskError(f"cannot read the task file {path}: {error}") from error


def _procedural(query: str) -> ProceduralTasks:
    values = dict(part.partition("=")[::2] for part in query.split("&") if part)
    known = {"difficulty", "split", "families", "seed"}
    if values.keys() - known:
        wrong = min(values.keys() - known)
        raise ConfigError(
            f"procedural has no argument {wrong!r}; it has {', '.join(sorted(known))}"
        )
    families = values.get("families")
    try:
        return ProceduralTasks(
            difficulty=int(values["difficulty"]) if "difficulty" in values else None,
            split=values.get("split"),
            families=tuple(families.split(",")) if families else None,
            seed=int(values.get("seed", "0")),
        )
    except ValueError as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"procedural?{query}: difficulty and seed are whole numbers") from error
