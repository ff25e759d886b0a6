"""From (family, difficulty, number) to a `Task`: the same on every machine and Python version."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from colbench_env.records import Fact, Task
from colbench_env.tasks.procedural.family import Arguments, Family, Parameter

VERSION = 1
DIFFICULTIES = range(1, 6)
CALLS = 10
PARAMETERS = {1: 1, 2: 2, 3: 3, 4: 3, 5: 4}  # how many a task has, by difficulty
HIDDEN = {1: 1, 2: 2, 3: 2, 4: 3, 5: 4}  # how many of them the brief leaves open
CLOSINGS = (
    "Signature: def {f}({x})",
    "The signature is: def {f}({x})",
    "The signature of the function is: def {f}({x})",
)
ASIDES = (
    "My team has {n} people.",
    "We have {n} shops.",
    "I ask for the {n}th time.",
    "It runs {n} times a day.",
    "We started {n} years ago.",
)


def generate(family: Family, difficulty: int, number: int) -> Task:
    """Make one task.

    Args:
        family: Its kind.
        difficulty: 1 to 5: more parameters, more of them hidden, from 3 on one value that the brief
            tells (difficulty 3) or a number that does not matter (4 and 5).
        number: Which task of this family and difficulty, from 0. Every fifth one is a test task.
    """
    rng = Random(f"{VERSION}/{family.name}/{difficulty}/{number}")
    active = _draw_parameters(family, difficulty, rng)
    values: dict[str, Any] = {}
    for parameter in active:
        values[parameter.name] = _draw_value(parameter, values, rng)
    others = active[1:]
    hidden = {active[0].name, *(p.name for p in rng.sample(others, HIDDEN[difficulty] - 1))}
    function, arguments = rng.choice(family.functions), rng.choice(family.arguments)

    parts = [rng.choice(family.heads)]
    facts = []
    for parameter in active:
        said = list(parameter.say(values[parameter.name]))
        rng.shuffle(said)
        if parameter.name not in hidden:
            parts.append(said[0])
            continue
        parts += [parameter.hint] if parameter.hint else []
        facts.append(_fact(parameter, said, values[parameter.name]))
    if difficulty >= 4:
        parts.insert(1, rng.choice(ASIDES).format(n=rng.randint(4, 19)))
    parts.append(rng.choice(CLOSINGS).format(f=function, x=", ".join(arguments)))
    rng.shuffle(facts)

    code = family.code(function, arguments, values)
    calls = [
        f"{function}({', '.join(map(repr, call))})" for call in _draw_calls(family, values, rng)
    ]
    mutations = {}
    for parameter in active:
        if parameter.name in hidden:
            other = {**values, parameter.name: _draw_value(parameter, values, rng)}
            mutations[parameter.name] = _changed_line(code, family.code(function, arguments, other))
    return Task(
        id=f"procedural/{family.name}/{difficulty}/{number}",
        brief=" ".join(parts),
        private={"human_0": {"reference": code, "facts": [fact.to_dict() for fact in facts]}},
        hidden={"entry": function, "calls": calls, "comparator": "value", "mutations": mutations},
        split="test" if family.heldout or is_test(number) else "train",
        labels={
            "source": "procedural",
            "family": family.name,
            "difficulty": difficulty,
            "heldout": family.heldout,
            "version": VERSION,
        },
    )


def is_test(number: int) -> bool:
    """Return whether the task with this number belongs to the test split of its family."""
    return number % 5 == 4


def _draw_parameters(family: Family, difficulty: int, rng: Random) -> list[Parameter]:
    """Choose which options the task has; always every parameter of the result."""
    wanted = max(PARAMETERS[difficulty] - len(family.core), 0)
    chosen = set(rng.sample(range(len(family.options)), min(wanted, len(family.options))))
    return [*family.core, *(o for i, o in enumerate(family.options) if i in chosen)]


def _draw_value(parameter: Parameter, taken: Mapping[str, Any], rng: Random) -> Any:
    """Draw a value that no parameter of the task has."""
    while True:
        value = parameter.values.draw(rng)
        if value not in taken.values():
            return value


def _draw_calls(family: Family, values: Mapping[str, Any], rng: Random) -> list[Arguments]:
    """Draw ten calls, among them those that tell each value from any other."""
    probes = [call for p in family.parameters if p.name in values for call in p.probes(values)]
    calls = {repr(call): call for call in probes}
    for _ in range(1000):
        if len(calls) >= CALLS:
            break
        call = family.inputs(rng, values)
        calls.setdefault(repr(call), call)
    drawn = list(calls.values())
    rng.shuffle(drawn)
    return drawn


def _fact(parameter: Parameter, said: list[str], value: Any) -> Fact:
    return Fact(
        id=parameter.name,
        text=said[0],
        also=tuple(said[1:]),
        topics=parameter.words,
        answers={parameter.name: value},
    )


def _changed_line(code: str, other: str) -> dict[str, str]:
    pairs = zip(code.splitlines(), other.splitlines())
    old, new = next((old, new) for old, new in pairs if old != new)
    return {"old": old, "new": new}
