"""What a programmer knows about the families without knowing what the person wants.

`recognise(brief)` finds the family from the words of the brief; the `Solver` knows which questions
matter, reads values from a person's replies, and writes the code. Scripted assistants use it.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from colbench_env.errors import ConfigError
from colbench_env.tasks.procedural.family import Family, Parameter


@dataclass(frozen=True)
class Question:
    """A question that settles one parameter.

    Attributes:
        parameter: Its name.
        text: The question.
        also: The same in other words.
    """

    parameter: str
    text: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Solver:
    """How to solve one task of a family, hidden values aside.

    Attributes:
        family: The family's name.
        function: The name that the brief asks for.
        arguments: Names of its arguments.
        told: Values that the brief tells, by parameter.
        questions: What it leaves open, one question for each parameter.
    """

    family: str
    function: str
    arguments: tuple[str, ...]
    told: Mapping[str, Any]
    questions: tuple[Question, ...]
    _family: Family

    def read(self, question: Question, reply: str) -> Any | None:
        """Return the value of the question's parameter that a reply states, else None."""
        return self._parameter(question.parameter).read(reply)

    def code(self, values: Mapping[str, Any], *, guess: bool = True) -> str:
        """Return the function.

        Args:
            values: What the person said, by parameter; what the brief tells need not be in it.
            guess: Fill what is missing with what a programmer would assume.

        Raises:
            ConfigError: A value is missing and `guess` is False, or a parameter is unknown.
        """
        filled = {**self.told, **values}
        for question in self.questions:
            if question.parameter not in filled:
                if not guess:
                    raise ConfigError(f"no value for {question.parameter!r}: ask, or guess=True")
                values_of = self._parameter(question.parameter).values
                filled[question.parameter] = values_of.plausible()
        for name in filled:
            self._parameter(name)
        return self._family.code(self.function, self.arguments, filled)

    def _parameter(self, name: str) -> Parameter:
        for parameter in self._family.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self._family.parameters)
        raise ConfigError(f"{self.family} has no parameter {name!r}; it has {known}")


def solve(families: Mapping[str, Family], brief: str) -> Solver | None:
    """Return how to solve the task with this brief, or None if no family begins so."""
    brief = brief.strip()
    family = next(
        (f for f in families.values() if any(brief.startswith(head) for head in f.heads)), None
    )
    signature = re.search(r"def (\w+)\(([^)]*)\)", brief)
    if family is None or signature is None:
        return None
    told, questions = {}, []
    for parameter in family.parameters:
        value = parameter.read(brief)
        if value is not None:
            told[parameter.name] = value
        elif parameter in family.core or parameter.hint in brief:
            pick = zlib.crc32(f"{parameter.name} {brief}".encode()) % len(parameter.questions)
            text = parameter.questions[pick]
            also = tuple(q for q in parameter.questions if q != text)
            questions.append(Question(parameter.name, text, also))
    return Solver(
        family=family.name,
        function=signature[1],
        arguments=tuple(name.strip() for name in signature[2].split(",")),
        told=told,
        questions=tuple(questions),
        _family=family,
    )
