"""The tasks that ship with the package: TOML files under `builtin/<kind>/`.

A file holds any number of tasks::

    [[task]]
    id = "shopping/basket_total"        # unique over all files
    split = "train"                     # or "test"
    brief = '''...'''                   # what the person says first; ends with the signature
    reference = '''def basket_total(items): ...'''
    calls = ["basket_total([])", ...]   # 10 expressions
    comparator = "value"                # optional

    [[task.fact]]                       # what the brief leaves open and only the person knows
    id = "empty"
    text = "An empty basket costs nothing."       # as the person would say it
    also = ["If there is nothing in it, the total is zero."]
    topics = ["nothing", "no items"]    # words that a question may use and `text` lacks
    mutation = { old = "return 0", new = "return None" }    # what the code would do otherwise

`python -m colbench_env.tasks.check` verifies them.
"""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from colbench_env.errors import ConfigError, TaskError
from colbench_env.records import Fact, Task
from colbench_env.tasks.source import TaskList, entry_point

KINDS = ("backend",)
_TASK_FIELDS = {"id", "split", "brief", "reference", "calls", "comparator", "fact"}
_FACT_FIELDS = {"id", "text", "also", "topics", "mutation"}


@cache
def builtin_tasks(kind: str = "backend") -> TaskList:
    """Return the package's own tasks of a kind; read once and shared.

    Raises:
        ConfigError: There are none of this kind.
        TaskError: A file is malformed; the message names file, line and field.
    """
    if kind not in KINDS:
        raise ConfigError(f"no built-in tasks for {kind!r}; use {' or '.join(KINDS)}")
    folder = resources.files("colbench_env.tasks") / "builtin" / kind
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda f: f.name
    )
    return TaskList(task for file in files for task in read_toml(file))


def read_toml(file: Traversable) -> list[Task]:
    """Return the tasks of one TOML file (a path, or a file inside the package).

    Raises:
        TaskError: The file is malformed; the message names file, line and field.
    """
    text = file.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"{file.name}: {error}") from error
    lines = [n for n, line in enumerate(text.splitlines(), 1) if line.strip() == "[[task]]"]
    stray = set(data) - {"task"}
    if stray:
        raise TaskError(f"{file.name}: unknown table {min(stray)!r}; only [[task]] is known")
    tasks = []
    for position, entry in enumerate(data.get("task", ())):
        where = f"{file.name}:{lines[position] if position < len(lines) else '?'}"
        tasks.append(_task(entry, where))
    return tasks


def _task(entry: Mapping[str, Any], where: str) -> Task:
    where = f"{where}: task {entry.get('id', '?')!r}"
    _known(entry, _TASK_FIELDS, where)
    reference = _string(entry, "reference", where).strip("\n")
    calls = _strings(entry, "calls", where, required=True)
    for call in calls:
        try:
            ast.parse(call, mode="eval")
        except SyntaxError as error:
            raise TaskError(f"{where}: field 'calls': {call!r} is no expression") from error
    facts, mutations = [], {}
    for item in entry.get("fact", ()):
        spot = f"{where}: fact {item.get('id', '?')!r}"
        _known(item, _FACT_FIELDS, spot)
        fact = Fact(
            id=_string(item, "id", spot),
            text=_string(item, "text", spot),
            also=_strings(item, "also", spot),
            topics=_strings(item, "topics", spot),
        )
        if fact.id in mutations:
            raise TaskError(f"{spot}: field 'id': another fact of this task has it")
        facts.append(fact.to_dict())
        mutations[fact.id] = _mutation(item, reference, spot)
    split = _string(entry, "split", where)
    if split not in ("train", "test"):
        raise TaskError(f"{where}: field 'split' is {split!r}; use 'train' or 'test'")
    return Task(
        id=_string(entry, "id", where),
        brief=_string(entry, "brief", where).strip(),
        private={"human_0": {"reference": reference, "facts": facts}},
        hidden={
            "entry": entry_point(calls, reference, where),
            "calls": list(calls),
            "comparator": entry.get("comparator", "value"),
            "mutations": mutations,
        },
        split=split,
        labels={"source": "builtin", "family": where.split(".toml")[0], "difficulty": len(facts)},
    )


def _mutation(item: Mapping[str, Any], reference: str, where: str) -> dict[str, str]:
    mutation = item.get("mutation")
    if not isinstance(mutation, dict) or set(mutation) != {"old", "new"}:
        raise TaskError(f"{where}: field 'mutation': expected {{ old = ..., new = ... }}")
    count = reference.count(mutation["old"])
    if count != 1:
        raise TaskError(
            f"{where}: field 'mutation': old {mutation['old']!r} occurs {count} times in the "
            "reference; it must occur once"
        )
    return {"old": mutation["old"], "new": mutation["new"]}


def _known(entry: Mapping[str, Any], fields: set[str], where: str) -> None:
    unknown = set(entry) - fields
    if unknown:
        raise TaskError(f"{where}: unknown field {min(unknown)!r}; known: {sorted(fields)}")


def _string(entry: Mapping[str, Any], field: str, where: str) -> str:
    value = entry.get(field)
    if not isinstance(value, str) or not value.strip():
        raise TaskError(f"{where}: field {field!r}: expected a non-empty string, got {value!r}")
    return value


def _strings(
    entry: Mapping[str, Any], field: str, where: str, *, required: bool = False
) -> tuple[str, ...]:
    value = entry.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TaskError(f"{where}: field {field!r}: expected a list of strings, got {value!r}")
    if required and not value:
        raise TaskError(f"{where}: field {field!r} is missing")
    return tuple(value)
