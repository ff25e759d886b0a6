"""A family of small tasks, written as data: `Family` and its `Parameter`s.

All tasks of a family share the shape of their code; what differs is the values of a few parameters
that only the person knows, and the wording. The same templates write the brief, the person's facts
and the code, and read them back, so that nothing can drift apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from string import Template
from typing import Any

from colbench_env.tasks.procedural.values import Values

Arguments = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Parameter:
    """One value that shapes the code.

    Attributes:
        name: Unique in its family.
        values: What it can be.
        facts: Ways to state it, `{v}` standing for the spoken value.
        questions: Ways to ask for it.
        topics: Other words that somebody might ask with.
        hint: What a brief says where an optional parameter is left open.
        line: The line of code that an optional parameter adds, `$v` standing for the value: a
            guard (`if ...`) goes before the result is computed, `r = ...` changes it.
        probes: From all values of a task, the arguments of calls that tell any two values apart.
    """

    name: str
    values: Values
    facts: tuple[str, ...]
    questions: tuple[str, ...]
    topics: str = ""
    hint: str = ""
    line: str = ""
    probes: Callable[[Mapping[str, Any]], Sequence[Arguments]] = lambda values: ()

    def say(self, value: Any) -> tuple[str, ...]:
        """Return the value stated in each way."""
        return tuple(fact.replace("{v}", self.values.spoken(value)) for fact in self.facts)

    def read(self, text: str) -> Any | None:
        """Return the value that a text states, or None if it states none."""
        found = next(filter(None, (pattern.search(text) for pattern in self._patterns)), None)
        return None if found is None else self.values.parse(found.group(1))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that questions about this parameter are likely to use."""
        asked = re.findall(r"[a-z]{3,}", " ".join(self.questions).lower())
        return tuple(dict.fromkeys([*self.topics.split(), *asked]))

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        value = self.values.pattern()
        again = value.replace("(", "(?:", 1)
        patterns = []
        for fact in self.facts:
            first, *others = (re.escape(part) for part in fact.rstrip(".").split("{v}"))
            patterns.append(re.compile(first + value + again.join(others), re.IGNORECASE))
        return tuple(patterns)


@dataclass(frozen=True, eq=False)
class Family:
    """A kind of small function.

    Attributes:
        name: Part of the ids of its tasks.
        heads: Ways to begin a brief.
        functions: Names the function may have.
        arguments: Names its arguments may have; `$x`, `$y`, `$z` in code.
        result: The expression that the function returns.
        core: Parameters of `result`. The first has at least 20 equally likely values and is never
            told in the brief, so that no guess passes often.
        options: Parameters that a task may have besides.
        inputs: Draws the arguments of an ordinary call.
        heldout: Kept out of training: the `heldout` split.
    """

    name: str
    heads: tuple[str, ...]
    functions: tuple[str, ...]
    arguments: tuple[tuple[str, ...], ...]
    result: str
    core: tuple[Parameter, ...]
    options: tuple[Parameter, ...]
    inputs: Callable[[Random, Mapping[str, Any]], Arguments]
    heldout: bool = False

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All parameters, those of the result first."""
        return self.core + self.options

    def code(self, function: str, arguments: Sequence[str], values: Mapping[str, Any]) -> str:
        """Return the function with these values.

        Args:
            function: Its name.
            arguments: Names of its arguments.
            values: One for each core parameter and for each option that the task has.
        """
        options = [option for option in self.options if option.name in values]
        guards = [option for option in options if option.line.startswith("if ")]
        changes = [option for option in options if option not in guards]
        spelled = dict(zip("xyz", arguments))
        for parameter in self.parameters:
            if parameter.name in values:
                literal = parameter.values.literal(values[parameter.name])
                spelled[parameter.name] = Template(literal).safe_substitute(spelled)

        def write(parameter: Parameter) -> str:
            return Template(parameter.line).substitute(spelled, v=spelled[parameter.name])

        body = [write(guard) for guard in guards]
        body += ["r = " + Template(self.result).substitute(spelled)]
        body += [*(write(change) for change in changes), "return r"]
        return "\n    ".join([f"def {function}({', '.join(arguments)}):", *body])
