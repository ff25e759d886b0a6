"""Records in ColBench's own format: from a JSONL file (plain or .gz), or from the Hugging Face hub.

A backend record of ColBench (arXiv 2503.15478) holds `problem_description`, `ground_truth` (the
reference), `hidden_information` (the same code again) and `test_cases` (a name for each of ten
call expressions). A record has no id of its own here: it is called `<file>/<number>`, counting
records from 0 as the published lists of bad records do.
"""

from __future__ import annotations

import gzip
import importlib
import io
import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from colbench_env.errors import ConfigError, MissingDependencyError, TaskError
from colbench_env.records import Task
from colbench_env.tasks.pages import page_task
from colbench_env.tasks.source import LazyIds, TaskSource, entry_point, no_split

HUB_FILES = {"train": "train.jsonl", "test": "test.jsonl"}


def backend_task(record: Mapping[str, Any], task_id: str, split: str, where: str) -> Task:
    """Turn a ColBench backend record into a `Task`.

    Args:
        record: The record's fields.
        task_id: What the task shall be called.
        split: `"train"` or `"test"`.
        where: File and line, for errors.

    Raises:
        TaskError: A field is missing or of the wrong type; the message names it.
    """
    if not isinstance(record, Mapping):
        raise TaskError(f"{where}: expected a JSON object, got {type(record).__name__}")
    brief = _text(record, "problem_description", where)
    reference = _text(record, "ground_truth", where)
    cases = record.get("test_cases")
    if isinstance(cases, Mapping):  # a table format fills the names that a record lacks with null
        cases = {name: call for name, call in cases.items() if call is not None}
    if not isinstance(cases, Mapping) or not cases:
        raise TaskError(f"{where}: field 'test_cases': expected {{name: call}}, got {cases!r:.60}")
    calls = [_text(cases, name, f"{where}: field 'test_cases'").strip() for name in cases]
    return Task(
        id=task_id,
        brief=brief,
        private={"human_0": {"reference": reference, "facts": []}},
        hidden={
            "entry": entry_point(calls, reference, where),
            "calls": calls,
            "comparator": "value",
        },
        split=split,
        labels={"source": task_id.rpartition("/")[0], "family": "colbench"},
    )


CONVERTERS: dict[str, Callable[[Mapping[str, Any], str, str, str], Task]] = {
    "backend": backend_task,
    "frontend": page_task,
}


class JsonlTasks(TaskSource):
    """A JSONL file of ColBench records, parsed one record at a time.

    The first use scans the file for line ends; a record is parsed when it is asked for. A .gz file
    is unpacked into memory. With `on_bad="skip"` the first use parses every record once, so that
    the length counts good ones only.

    Args:
        path: The file; not opened here.
        kind: Which environment the records are for.
        on_bad: `"raise"`: a malformed record raises when it is read. `"skip"`: it is left out and
            counted in `skipped`.

    Raises:
        ConfigError: No reader for this kind, or an unknown `on_bad`.
    """

    def __init__(self, path: str | Path, kind: str = "backend", on_bad: str = "raise") -> None:
        if kind not in CONVERTERS:
            raise ConfigError(f"no ColBench reader for {kind!r}; use {' or '.join(CONVERTERS)}")
        if on_bad not in ("raise", "skip"):
            raise ConfigError(f"on_bad={on_bad!r}; use 'raise' or 'skip'")
        self.path = Path(path)
        self._convert = CONVERTERS[kind]
        self._on_bad = on_bad
        name = self.path.name.split(".")[0]
        self._name = name
        self._split = "train" if "train" in name else "test"
        self._lines: array[int] | None = None  # line number and byte offset of each record
        self._unpacked: bytes | None = None

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        return LazyIds(len(self), lambda index: f"{self._name}/{self._records()[3 * index + 2]}")

    def __len__(self) -> int:
        return len(self._records()) // 3

    def split(self, name: str) -> TaskSource:
        """Return this source if all of its tasks are of the split: a file holds one split.

        It is `"train"` if the file's name holds "train", else `"test"`.
        """
        if name != self._split:
            raise no_split(name, [self._split])
        return self

    def _find(self, task_id: str) -> int | None:
        return _position(task_id, self._name, self._records()[2::3])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lines": None, "_unpacked": None, "skipped": 0}

    def _task(self, index: int) -> Task:
        line, offset, number = self._records()[3 * index : 3 * index + 3]
        if self._unpacked is not None:
            end = self._unpacked.find(b"\n", offset)
            text = self._unpacked[offset : end if end >= 0 else None]
        else:
            with self.path.open("rb") as file:
                file.seek(offset)
                text = file.readline()
        return self._parse(text, line, number)

    def _parse(self, text: bytes, line: int, number: int) -> Task:
        where = f"{self.path}:{line}"
        try:
            record = json.loads(text)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise TaskError(f"{where}: not a JSON object on one line: {error}") from error
        return self._convert(record, f"{self._name}/{number}", self._split, where)

    def _records(self) -> array[int]:
        """Return line number, byte offset and record number of each record, scanning once."""
        if self._lines is None:
            found, skipped, number, offset = array("q"), 0, 0, 0
            for line, text in enumerate(self._open(), 1):
                if text.strip():
                    if self._on_bad == "skip" and not self._good(text, line, number):
                        skipped += 1
                    else:
                        found.extend((line, offset, number))
                    number += 1
                offset += len(text)
            self.skipped, self._lines = skipped, found
        return self._lines

    def _good(self, text: bytes, line: int, number: int) -> bool:
        try:
            self._parse(text, line, number)
        except TaskError:
            return False
        return True

    def _open(self) -> Iterator[bytes]:
        try:
            if self.path.suffix == ".gz":
                with gzip.open(self.path) as packed:
                    self._unpacked = packed.read()
                yield from io.BytesIO(self._unpacked)
            else:
                with self.path.open("rb") as file:
                    yield from file
        except (OSError, EOFError) as error:
            raise TaskError(f"cannot read the task file {self.path}: {error}") from error


class HubTasks(TaskSource):
    """ColBench records from the Hugging Face hub, through the `datasets` package.

    The repository keeps them in `<kind>_tasks/train.jsonl` and `<kind>_tasks/test.jsonl`. The test
    set that the paper reports on is the first 1,000 of the test file.

    Args:
        repository: `facebook/collaborative_agent_bench` or a repository laid out like it.
        kind: Which environment the records are for.
        split: `"train"` or `"test"`.
        on_bad: As for `JsonlTasks`.
    """

    def __init__(
        self, repository: str, kind: str = "backend", split: str = "test", on_bad: str = "raise"
    ) -> None:
        if kind not in CONVERTERS:
            raise ConfigError(f"no ColBench reader for {kind!r}; use {' or '.join(CONVERTERS)}")
        self.repository = repository
        self._kind = kind
        self._split = split
        self._on_bad = on_bad
        self._rows: Any = None
        self._good: Sequence[int] = ()

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        return LazyIds(len(self), lambda index: self._id(self._good[index]))

    def __len__(self) -> int:
        self._open()
        return len(self._good)

    def split(self, name: str) -> TaskSource:
        """Return the records of another file of the same repository."""
        if name not in HUB_FILES:
            raise no_split(name, sorted(HUB_FILES))
        if name == self._split:
            return self
        return HubTasks(self.repository, self._kind, name, self._on_bad)

    def _find(self, task_id: str) -> int | None:
        self._open()
        return _position(task_id, f"{self.repository}/{self._split}", self._good)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": None, "_good": (), "skipped": 0}

    def _id(self, row: int) -> str:
        return f"{self.repository}/{self._split}/{row}"

    def _task(self, index: int) -> Task:
        rows = self._open()
        return self._convert(rows, self._good[index])

    def _convert(self, rows: Any, row: int) -> Task:
        where = f"hub:{self.repository} ({self._split}), row {row}"
        return CONVERTERS[self._kind](rows[row], self._id(row), self._split, where)

    def _open(self) -> Any:
        if self._rows is None:
            try:
                datasets = importlib.import_module("datasets")
            except ImportError as error:
                raise MissingDependencyError(
                    "tasks from the hub need the datasets package: pip install 'colbench-env[hub]'"
                ) from error
            file = f"{self._kind}_tasks/{HUB_FILES[self._split]}"
            rows = datasets.load_dataset(self.repository, data_files=file, split="train")
            good: Sequence[int] = range(len(rows))
            if self._on_bad == "skip":
                good = [row for row in good if self._is_good(rows, row)]
            self.skipped, self._good, self._rows = len(rows) - len(good), good, rows
        return self._rows

    def _is_good(self, rows: Any, row: int) -> bool:
        try:
            self._convert(rows, row)
        except TaskError:
            return False
        return True


def _text(record: Mapping[str, Any], field: str, where: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise TaskError(f"{where}: field {field!r}: expected a non-empty string, got {value!r:.60}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise TaskError(f"{where}: field {field!r}: not encodable as UTF-8: {error}") from error
    return value


def _position(task_id: str, prefix: str, numbers: Sequence[int]) -> int | None:
    """Return where in the ascending `numbers` the id `<prefix>/<number>` stands."""
    head, _, tail = task_id.rpartition("/")
    if head != prefix or not tail.isdecimal() or tail != str(int(tail)):
        return None
    index = bisect_left(numbers, int(tail))
    return index if index < len(numbers) and numbers[index] == int(tail) else None
