"""Which derived facts matter: those whose mutation changes what a hidden call gives."""

from __future__ import annotations

from collections.abc import Sequence

from colbench_env import sandbox
from colbench_env.humans.derived_facts import DerivedFact, derived_facts, mutants
from colbench_env.humans.facts import knowledge_of
from colbench_env.records import Task

_LIMITS = sandbox.Limits(case_seconds=1.0)


def counted_facts(tasks: Sequence[Task]) -> list[tuple[DerivedFact, ...]]:
    """Return for each task the derived facts that its hidden calls depend on.

    Reference and mutants run in the sandbox, recorded and compared call by call. The reference
    runs twice: a call whose result differs between the two runs, or that ends without one, proves
    nothing.

    Args:
        tasks: Backend tasks with `hidden["entry"]` and `hidden["calls"]`.

    Raises:
        TaskError: A task holds no reference.
        IsolationError: This host cannot isolate untrusted code.
    """
    facts = [derived_facts(knowledge_of(task)["reference"]) for task in tasks]
    codes: list[str] = []
    places: list[tuple[int, int]] = []  # (task, fact) of each code; fact -1: the reference
    for i, task in enumerate(tasks):
        reference = knowledge_of(task)["reference"]
        codes += [reference, reference]
        places += [(i, -1), (i, -1)]
        for j, fact in enumerate(facts[i]):
            for mutant in mutants(reference, fact):
                codes.append(mutant)
                places.append((i, j))
    verdicts = sandbox.run(
        [_submission(tasks[i], code) for (i, _), code in zip(places, codes, strict=True)]
    )
    results = [_results(verdict) for verdict in verdicts]
    counted: list[set[int]] = [set() for _ in tasks]
    original: list[tuple[str, ...]] = []
    for k, (i, j) in enumerate(places):
        if j < 0 and places[k - 1] != (i, j):
            original = [results[k], results[k + 1]]
        elif j >= 0 and any(
            a == b != c and a for a, b, c in zip(*original, results[k], strict=True)
        ):
            counted[i].add(j)
    return [
        tuple(fact for j, fact in enumerate(facts[i]) if j in counted[i]) for i in range(len(tasks))
    ]


def _submission(task: Task, code: str) -> sandbox.Submission:
    cases = tuple(sandbox.Case(call=call) for call in task.hidden["calls"])
    return sandbox.Submission(code, task.hidden["entry"], cases, limits=_LIMITS)


def _results(verdict: sandbox.Verdict) -> tuple[str, ...]:
    """Return what each call gave as text; "" for a call without a result that can be compared."""
    return tuple(
        outcome.value.text if outcome.value is not None and not outcome.value.is_opaque else ""
        for outcome in verdict.outcomes
    )
