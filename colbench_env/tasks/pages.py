"""Tasks of `ColBench/Frontend-v0`: a brief, and the page that the person has in mind.

The built-in ones lie in `builtin/frontend/*.toml`::

    [[task]]
    id = "forms/contact"       # unique over all files
    split = "train"            # or "test"
    brief = '''...'''          # what the person says first
    html = '''<html>...'''     # the page

ColBench's records hold `problem_description` and `ground_truth`; they were made from rows of
WebSight v0.2 (CC BY 4.0), where the same two are called `llm_generated_idea` and `text`.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any
from urllib.parse import parse_qsl

from colbench_env.errors import ConfigError, MissingDependencyError, TaskError, TaskNotFoundError
from colbench_env.records import Task
from colbench_env.tasks.page_generator import VERSION, generate_page
from colbench_env.tasks.source import LazyIds, TaskList, TaskSource, no_split

WEBSIGHT = "HuggingFaceM4/WebSight"
_BRIEF = ("problem_description", "llm_generated_idea")
_PAGE = ("ground_truth", "text")


def page_task(record: Mapping[str, Any], task_id: str, split: str, where: str) -> Task:
    """Turn a record of ColBench's frontend task, or a row of WebSight, into a `Task`.

    Args:
        record: Its fields.
        task_id: What the task shall be called.
        split: `"train"` or `"test"`.
        where: File and line, for errors.

    Raises:
        TaskError: A field is missing or no text; the message names it.
    """
    if not isinstance(record, Mapping):
        raise TaskError(f"{where}: expected a JSON object, got {type(record).__name__}")
    brief, page = _text(record, _BRIEF, where), _text(record, _PAGE, where)
    source = task_id.rpartition("/")[0]
    return make_task(task_id, brief, page, split, {"source": source, "family": "colbench"})


def make_task(
    task_id: str, brief: str, page: str, split: str, labels: Mapping[str, Any] | None = None
) -> Task:
    """Return the task of a brief and the page that the person alone knows."""
    private = {"human_0": {"reference": page}}
    return Task(id=task_id, brief=brief, private=private, split=split, labels=dict(labels or {}))


@cache
def builtin_pages() -> TaskList:
    """Return the package's own pages; read once and shared.

    Raises:
        TaskError: A file is malformed; the message names file and field.
    """
    folder = resources.files("colbench_env.tasks") / "builtin" / "frontend"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return TaskList(
        task for file in files for task in read_pages(file.read_text("utf-8"), file.name)
    )


def read_pages(toml: str, name: str) -> list[Task]:
    """Return the tasks of the text of one TOML file.

    Args:
        toml: The text.
        name: The file's name, for errors.

    Raises:
        TaskError: It is malformed.
    """
    try:
        entries = tomllib.loads(toml).get("task", [])
    except tomllib.TOMLDecodeError as error:
        raise TaskError(f"{name}: {error}") from error
    tasks = []
    for position, entry in enumerate(entries):
        where = f"{name}: task {entry.get('id', position)!r}"
        unknown = set(entry) - {"id", "split", "brief", "html"}
        if unknown:
            raise TaskError(f"{where}: unknown field {min(unknown)!r}; known: id split brief html")
        task_id, split, brief, page = (
            _text(entry, (field,), where).strip() for field in ("id", "split", "brief", "html")
        )
        if split not in ("train", "test"):
            raise TaskError(f"{where}: field 'split' is {split!r}; use 'train' or 'test'")
        labels = {"source": "builtin", "family": task_id.partition("/")[0]}
        tasks.append(make_task(task_id, brief, page, split, labels))
    return tasks


class GeneratedPages(TaskSource):
    """An endless source of pages made from a seed: sections, palette, words and sizes vary.

    The id `page/<number>` says all there is to make a page. Every fifth one is of the test split.

    Args:
        size: How many there are.
        split: Only `"train"` or `"test"`.
    """

    def __init__(self, size: int = 1_000_000, split: str | None = None) -> None:
        if split not in (None, "train", "test"):
            raise no_split(str(split), ["test", "train"])
        if size < 5:
            raise ConfigError(f"size must be at least 5, got {size}")
        self._size, self._split = size, split

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        size = {None: self._size, "test": self._size // 5, "train": self._size // 5 * 4}
        return LazyIds(size[self._split], lambda index: f"page/{self._number(index)}")

    def split(self, name: str) -> TaskSource:
        """Return the pages of a split."""
        return self if name == self._split else GeneratedPages(self._size, name)

    def _number(self, index: int) -> int:
        if self._split == "test":
            return 5 * index + 4
        return index if self._split is None else index // 4 * 5 + index % 4

    def _task(self, index: int) -> Task:
        number = self._number(index)
        brief, page, family = generate_page(number)
        labels = {"source": "procedural", "family": family, "version": VERSION}
        split = "test" if number % 5 == 4 else "train"
        return make_task(f"page/{number}", brief, page, split, labels)

    def _find(self, task_id: str) -> int | None:
        prefix, _, number = task_id.partition("/")
        if prefix != "page" or not number.isdecimal() or number != str(int(number)):
            return None
        value = int(number)
        if value >= self._size or (self._split and (value % 5 == 4) != (self._split == "test")):
            return None
        if self._split == "test":
            return value // 5
        return value if self._split is None else value // 5 * 4 + value % 5

    def _not_found(self, task_id: str) -> TaskNotFoundError:
        of = f" of the {self._split} split" if self._split else ""
        return TaskNotFoundError(
            f"no generated page {task_id!r}{of}; ids are page/0 to page/{self._size - 1}"
        )


class WebSightTasks(TaskSource):
    """Rows of WebSight v0.2 through the `datasets` package, as ColBench's frontend tasks are made.

    The published tasks are a selection of rows that was not published; this source takes the first
    rows in order, the first 1,000 of them as the test split.

    Args:
        repository: `HuggingFaceM4/WebSight` or one with the same columns.
        rows: How many of the first rows to take.
        split: Only `"train"` or `"test"`.
    """

    TEST_ROWS = 1_000

    def __init__(
        self, repository: str = WEBSIGHT, rows: int = 10_000, split: str | None = None
    ) -> None:
        if split not in (None, "train", "test"):
            raise no_split(str(split), ["test", "train"])
        self.repository, self._count, self._split = repository, rows, split
        self._rows: Any = None

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        first, last = self._range()
        return LazyIds(last - first, lambda index: f"{self.repository}/{first + index}")

    def split(self, name: str) -> TaskSource:
        """Return the rows of a split."""
        return self if name == self._split else WebSightTasks(self.repository, self._count, name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": None}

    def _range(self) -> tuple[int, int]:
        size = len(self._open())
        test = min(self.TEST_ROWS, size)
        return {None: (0, size), "test": (0, test), "train": (test, size)}[self._split]

    def _task(self, index: int) -> Task:
        row = self._range()[0] + index
        split = "test" if row < self.TEST_ROWS else "train"
        where = f"hub:{self.repository}, row {row}"
        return page_task(self._open()[row], f"{self.repository}/{row}", split, where)

    def _find(self, task_id: str) -> int | None:
        prefix, _, number = task_id.rpartition("/")
        first, last = self._range()
        if prefix != self.repository or not number.isdecimal():
            return None
        return int(number) - first if first <= int(number) < last else None

    def _open(self) -> Any:
        if self._rows is None:
            try:
                datasets = importlib.import_module("datasets")
            except ImportError as error:
                raise MissingDependencyError(
                    "tasks from the hub need the datasets package: pip install 'colbench-env[hub]'"
                ) from error
            part = f"train[:{self._count}]"
            rows = datasets.load_dataset(self.repository, "v0.2", split=part)
            self._rows = rows.select_columns(["llm_generated_idea", "text"])
        return self._rows


def named_pages(spec: str) -> TaskSource | None:
    """Return the source of pages that a short name stands for; None where it is none of these.

    Args:
        spec: `"builtin"`, `"procedural"`, `"procedural?size=1000"`, or
            `"hub:HuggingFaceM4/WebSight?rows=5000"`.

    Raises:
        ConfigError: An argument is unknown or no number.
    """
    name, _, query = spec.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if name == "builtin":
        return builtin_pages()
    if name == "procedural":
        return GeneratedPages(_number(spec, options, "size", 1_000_000))
    if name.startswith("hub:"):
        return WebSightTasks(name.removeprefix("hub:"), _number(spec, options, "rows", 10_000))
    return None


def _number(spec: str, options: Mapping[str, str], known: str, default: int) -> int:
    for name, value in options.items():
        if name != known or not value.isdecimal():
            raise ConfigError(f"tasks={spec!r}: expected '{known}=NUMBER', got '{name}={value}'")
    return int(options.get(known, default))


def _text(record: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    field = next((name for name in names if name in record), names[0])
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise TaskError(f"{where}: field {field!r}: expected a non-empty text, got {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise TaskError(f"{where}: field {field!r}: not encodable as UTF-8: {error}") from error
    return value
