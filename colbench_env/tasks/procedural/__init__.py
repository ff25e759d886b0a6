"""An endless seeded source of short tasks that can be solved only by asking.

Each family (`FAMILIES`) is a small function with one to four parameters that the brief leaves open
and only the person knows. `ProceduralTasks` is the source, `recognise` what scripted assistants
need. Nothing is stored: a task is made from its id, alike in every process.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from colbench_env.errors import ConfigError, TaskNotFoundError
from colbench_env.records import Task
from colbench_env.tasks.procedural import (
    accounts,
    amounts,
    entries,
    formats,
    lists,
    measures,
    texts,
)
from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.generate import DIFFICULTIES, VERSION, generate, is_test
from colbench_env.tasks.procedural.solver import Question, Solver, solve
from colbench_env.tasks.source import LazyIds, TaskSource, no_split

__all__ = [
    "FAMILIES",
    "VERSION",
    "Family",
    "Parameter",
    "ProceduralTasks",
    "Question",
    "Solver",
    "recognise",
]

_THEMES = (amounts, accounts, measures, texts, formats, lists, entries)
FAMILIES = MappingProxyType({family.name: family for theme in _THEMES for family in theme.FAMILIES})
"""All families by name."""

SPLITS = ("train", "test", "heldout")
NUMBERS = 10_000_000
"""Numbers that one seed covers, of each family and difficulty."""


class ProceduralTasks(TaskSource):
    """Tasks made on demand, family after family.

    The id `procedural/<family>/<difficulty>/<number>` says all there is to make a task.
    Consecutive positions run through the families, then through the difficulties.

    Args:
        difficulty: 1 to 5, or None for all of them in turn.
        split: `"train"` and `"test"`: different numbers of the families seen in training;
            `"heldout"`: the families kept out of training; None: all.
        families: Names of families to draw from; by default all of the split.
        seed: Which stretch of ten million numbers of each family and difficulty to take.

    Raises:
        ConfigError: An argument is out of range; the message names what there is.
    """

    def __init__(
        self,
        difficulty: int | None = None,
        split: str | None = None,
        families: Sequence[str] | None = None,
        seed: int = 0,
    ) -> None:
        if difficulty is not None and difficulty not in DIFFICULTIES:
            raise ConfigError(f"difficulty={difficulty!r}; use 1 to 5, or None for all")
        if split is not None and split not in SPLITS:
            raise no_split(split, SPLITS)
        if seed < 0:
            raise ConfigError(f"seed={seed}; use 0 or more")
        unknown = set(families or ()) - set(FAMILIES)
        if unknown:
            raise ConfigError(f"no family {min(unknown)!r}; there are {', '.join(FAMILIES)}")
        self._arguments = (difficulty, families, seed)
        self._split = split
        chosen = [f for f in FAMILIES.values() if families is None or f.name in families]
        if split is not None:
            chosen = [family for family in chosen if family.heldout == (split == "heldout")]
        if not chosen:
            raise ConfigError(f"none of the families {families} is in the split {split!r}")
        difficulties = DIFFICULTIES if difficulty is None else (difficulty,)
        self._kinds = [(family, d) for d in difficulties for family in chosen]

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, computed on demand."""
        return LazyIds(len(self), self._id)

    def __len__(self) -> int:
        """Return the number of tasks of this seed: over a million, and no limit in practice."""
        return len(self._kinds) * NUMBERS * {"train": 4, "test": 1}.get(self._split or "", 5) // 5

    def get(self, task_id: str) -> Task:
        """Make the task with this id, of any split, difficulty and seed.

        Raises:
            TaskNotFoundError: It is not the id of a procedural task.
        """
        kind = _parse(task_id)
        if kind is None:
            raise self._not_found(task_id)
        return generate(*kind)

    def split(self, name: str) -> TaskSource:
        """Return the tasks of a split: `"train"`, `"test"` or `"heldout"`."""
        if name == self._split:
            return self
        if self._split is not None:
            raise no_split(name, [self._split])
        difficulty, families, seed = self._arguments
        return ProceduralTasks(difficulty, name, families, seed)

    def __reduce__(self) -> tuple[type[ProceduralTasks], tuple[Any, ...]]:
        difficulty, families, seed = self._arguments
        return ProceduralTasks, (difficulty, self._split, families, seed)

    def _id(self, index: int) -> str:
        family, difficulty, number = self._kind(index)
        return f"procedural/{family.name}/{difficulty}/{number}"

    def _task(self, index: int) -> Task:
        return generate(*self._kind(index))

    def _kind(self, index: int) -> tuple[Family, int, int]:
        position, kind = divmod(index, len(self._kinds))
        if self._split == "train":
            number = position // 4 * 5 + position % 4
        elif self._split == "test":
            number = position * 5 + 4
        else:
            number = position
        return (*self._kinds[kind], self._arguments[2] * NUMBERS + number)

    def _find(self, task_id: str) -> int | None:
        kind = _parse(task_id)
        if kind is None or kind[:2] not in self._kinds:
            return None
        number = kind[2] - self._arguments[2] * NUMBERS
        if not 0 <= number < NUMBERS:
            return None
        if self._split in ("train", "test"):
            if is_test(number) != (self._split == "test"):
                return None
            number = number // 5 if self._split == "test" else number // 5 * 4 + number % 5
        return number * len(self._kinds) + self._kinds.index(kind[:2])

    def _not_found(self, task_id: str) -> TaskNotFoundError:
        parts = task_id.split("/")
        near = difflib.get_close_matches(parts[1] if len(parts) > 1 else task_id, FAMILIES, n=3)
        hint = f"did you mean the family {' or '.join(near)}? " if near else ""
        return TaskNotFoundError(
            f"no procedural task {task_id!r}; {hint}ids are procedural/FAMILY/DIFFICULTY/NUMBER, "
            f"for instance {self._id(0)!r}"
        )


@lru_cache(maxsize=4096)
def recognise(brief: str) -> Solver | None:
    """Return how to solve the task with this brief; None if it is of no procedural family."""
    return solve(FAMILIES, brief)


def _parse(task_id: str) -> tuple[Family, int, int] | None:
    """Return family, difficulty and number of an id `procedural/<family>/<difficulty>/<number>`."""
    found = re.fullmatch(r"procedural/(\w+)/([1-5])/(0|[1-9]\d{0,17})", task_id, re.ASCII)
    if found is None or found[1] not in FAMILIES:
        return None
    return FAMILIES[found[1]], int(found[2]), int(found[3])
