"""`TaskSource`: an ordered collection of tasks, read lazily.

A source knows how many tasks it has and what they are called before it has parsed any of them.
Environments share one source object, open nothing when they are built, and read a task when an
episode needs it. `source[3]`, `source["shopping/basket"]`, `for task in source`,
`source.split("train")` and `len(source)` work alike for every kind.
"""

from __future__ import annotations

import difflib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, overload

from colbench_env.errors import ConfigError, TaskError, TaskNotFoundError
from colbench_env.records import Task

if TYPE_CHECKING:
    import numpy as np


class TaskSource(ABC):
    """Tasks by position and by id.

    A subclass gives `ids` and `_task(index)`; the rest follows. A source is immutable, may be
    shared between threads and environments, and pickles without its open files.

    Attributes:
        skipped: Records left out as malformed so far (`on_bad="skip"`).
    """

    skipped: int = 0

    @property
    @abstractmethod
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order; computed on demand where there are very many."""

    @abstractmethod
    def _task(self, index: int) -> Task:
        """Read the task at `index`, 0 <= index < len(self)."""

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, key: int | str) -> Task:
        """Return the task at a position (negative counts from the end) or with an id.

        Raises:
            IndexError: No such position.
            TaskNotFoundError: No such id; the message names near matches.
            TaskError: The record is malformed.
        """
        if isinstance(key, str):
            return self.get(key)
        size = len(self)
        if not -size <= key < size:
            raise IndexError(f"task {key} of {size}; positions are 0 to {size - 1}")
        return self._task(key % size)

    def __iter__(self) -> Iterator[Task]:
        return (self._task(index) for index in range(len(self)))

    def __contains__(self, task_id: object) -> bool:
        return isinstance(task_id, str) and self._find(task_id) is not None

    def get(self, task_id: str) -> Task:
        """Return the task called `task_id`.

        Raises:
            TaskNotFoundError: No such id; the message names near matches.
        """
        index = self._find(task_id)
        if index is None:
            raise self._not_found(task_id)
        return self._task(index)

    def split(self, name: str) -> TaskSource:
        """Return the part of this source that `Task.split` assigns to `name`.

        Raises:
            ConfigError: The source has no task of that split; the message names those it has.
        """
        found = [task.split for task in self]
        indices = [index for index, split in enumerate(found) if split == name]
        if not indices:
            raise no_split(name, sorted(set(found)))
        return self if len(indices) == len(found) else View(self, indices)

    def sample(self, rng: np.random.Generator) -> Task:
        """Draw a task, each with the same probability."""
        return self._task(int(rng.integers(len(self))))

    def take(self, count: int) -> TaskSource:
        """Return the first `count` tasks (all, if there are fewer) as a source of their own."""
        return View(self, range(min(count, len(self))))

    def _find(self, task_id: str) -> int | None:
        try:
            return self.ids.index(task_id)
        except ValueError:
            return None

    def _not_found(self, task_id: str) -> TaskNotFoundError:
        near = difflib.get_close_matches(task_id, self.ids, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "see `source.ids`"
        return TaskNotFoundError(f"no task {task_id!r} among {len(self)}; {hint}")


class TaskList(TaskSource):
    """Tasks that are in memory already.

    Args:
        tasks: The tasks, with distinct ids.

    Raises:
        TaskError: Two tasks share an id.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._tasks = tuple(tasks)
        self._ids = tuple(task.id for task in self._tasks)
        self._positions = {task_id: index for index, task_id in enumerate(self._ids)}
        if len(self._positions) < len(self._ids):
            twice = next(i for i in self._ids if self._ids.count(i) > 1)
            raise TaskError(f"two tasks have the id {twice!r}; ids must differ")

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        return self._ids

    def _task(self, index: int) -> Task:
        return self._tasks[index]

    def _find(self, task_id: str) -> int | None:
        return self._positions.get(task_id)


class View(TaskSource):
    """Some tasks of another source, which is shared and not copied."""

    def __init__(self, source: TaskSource, indices: Sequence[int]) -> None:
        self._source = source
        self._indices = indices

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        return LazyIds(len(self._indices), lambda index: self._source.ids[self._indices[index]])

    def _task(self, index: int) -> Task:
        return self._source[self._indices[index]]

    def _find(self, task_id: str) -> int | None:
        index = self._source._find(task_id)
        if index is None or index not in self._indices:
            return None
        return self._indices.index(index)


class LazyIds(Sequence[str]):
    """A sequence of ids computed one at a time.

    Args:
        size: How many there are.
        make: Gives the id at a position.
    """

    def __init__(self, size: int, make: Callable[[int], str]) -> None:
        self._size = size
        self._make = make

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(self._size))]
        return self._make(range(self._size)[index])


def no_split(name: str, have: Sequence[str]) -> ConfigError:
    """Return the error for a split that a source lacks."""
    return ConfigError(f"no task of split {name!r}; this source has {', '.join(have) or 'none'}")


def entry_point(calls: Sequence[str], reference: str, where: str = "") -> str:
    """Return the name of the function that the calls call.

    That is the first function called in the first call which the reference also defines, else
    the first name called, else the reference's last function.

    Raises:
        TaskError: Neither a call nor a definition can be found.
    """
    defined: list[str] = re.findall(r"^(?:async\s+)?def\s+(\w+)", reference, re.MULTILINE)
    called: list[str] = re.findall(r"\b([A-Za-z_]\w*)\s*\(", "\n".join(calls))
    known = [name for name in called if name in defined]
    candidates = [*known, *called, *reversed(defined)]
    if not candidates:
        raise TaskError(f"{where}: no test call calls a function; expected 'name(...)'")
    return candidates[0]
