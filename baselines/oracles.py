"""What is a fact worth? An assistant that knows the reference, but only as far as it has heard it.

`OracleAfter(n)` asks the person about one fact after another until it has heard n of those that the
hidden calls depend on, and hands in the reference with every fact it has not heard changed. So
success against n is the curve of what collaboration pays, without a model's skill in between.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from colbench_env.baselines.rollout import Action, Query
from colbench_env.baselines.scripted import hand_in, heard
from colbench_env.humans import facts_for
from colbench_env.humans.derived_facts import derived_facts, mutants
from colbench_env.humans.fact_analysis import counted_facts
from colbench_env.records import Fact, Score, Submission, Task
from colbench_env.rewards import unit_tests

REMEMBERED = 2_000  # tasks whose facts are kept


@dataclass(frozen=True, slots=True)
class Misunderstanding:
    """A fact, and the reference as written by somebody who has it wrong.

    Attributes:
        fact: The fact.
        old: A piece of the reference that says it; empty for a fact derived from the reference.
        new: What stands there instead; for a derived fact, the whole changed reference.
    """

    fact: Fact
    old: str
    new: str


def misunderstandings(task: Task) -> tuple[Misunderstanding, ...]:
    """Return the facts that the task's hidden calls depend on, each with a way to have it wrong.

    Stated facts carry their change (`task.hidden["mutations"]`). Where a task states none, facts
    are derived from the reference, and of each fact's changes the one is taken that costs most.
    """
    stated = task.hidden.get("mutations", {})
    known = {fact.id: fact for fact in facts_for(task)}
    if stated:
        return tuple(
            Misunderstanding(known[i], change["old"], change["new"]) for i, change in stated.items()
        )
    reference = task.private["human_0"]["reference"]
    [counted] = counted_facts([task])
    by_id = {derived.fact.id: derived for derived in derived_facts(reference)}
    wrong: list[tuple[Fact, str]] = [
        (derived.fact, code)
        for derived in counted
        for code in mutants(reference, by_id[derived.fact.id])
    ]
    scores = unit_tests().score([Submission(task, code) for _, code in wrong])
    worst: dict[str, tuple[float, Misunderstanding]] = {}
    for (fact, code), score in zip(wrong, scores, strict=True):
        value = score.value if isinstance(score, Score) else math.inf
        if value < worst.get(fact.id, (1.0,))[0]:
            worst[fact.id] = value, Misunderstanding(fact, "", code)
    return tuple(mistake for _, mistake in worst.values())


def misunderstood(reference: str, mistakes: Sequence[Misunderstanding]) -> str:
    """Return the reference with all stated mistakes made, or the first derived one."""
    for mistake in mistakes:
        if not mistake.old:
            return mistake.new
        if mistake.old in reference:  # an earlier change may have taken its place
            reference = reference.replace(mistake.old, mistake.new, 1)
    return reference


class OracleAfter:
    """Hears `count` facts, then hands in the reference as far as it has heard it.

    Args:
        count: Facts to hear; as many as there are when the task has fewer, or when the person tells
            no more, or the turns run out.
    """

    privileged = True

    def __init__(self, count: int) -> None:
        self.name, self.count = f"oracle-after-{count}", count

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Answer each query."""
        return [Action(self._say(query)) for query in queries]

    def _say(self, query: Query) -> str:
        assert query.task is not None
        reference = query.task.private["human_0"]["reference"]
        mistakes = _mistakes(query.task, reference)
        _, said, replies = heard(query)
        told = " ".join(replies)
        unheard = [m for m in mistakes if not _told(m.fact, told)]
        unasked = [m for m in unheard if question(m.fact) not in said]
        enough = len(mistakes) - len(unheard) >= self.count
        if enough or not unasked or len(said) >= query.info["max_turns"] - 1:
            return hand_in(misunderstood(reference, unheard))
        return question(unasked[0].fact)


_known: dict[tuple[str, str], tuple[Misunderstanding, ...]] = {}


def _mistakes(task: Task, reference: str) -> tuple[Misunderstanding, ...]:
    """`misunderstandings`, kept: deriving them runs many mutants in the sandbox."""
    key = (task.id, reference)
    if key not in _known:
        while len(_known) >= REMEMBERED:
            del _known[next(iter(_known))]
        _known[key] = misunderstandings(task)
    return _known[key]


def question(fact: Fact) -> str:
    """Return a question about this fact, in the words that are likely to be used for it."""
    return (
        f"What about {', '.join(fact.topics)}?" if fact.topics else f"What about this: {fact.text}"
    )


def _told(fact: Fact, replies: str) -> bool:
    return any(text in replies for text in (fact.text, *fact.also))
