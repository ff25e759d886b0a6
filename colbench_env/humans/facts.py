"""All facts that a person knows about a task: those stated with it, then those derived from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from colbench_env.errors import TaskError
from colbench_env.humans.derived_facts import derived_facts
from colbench_env.humans.questions import question, stems
from colbench_env.humans.ranking import Ranking, features
from colbench_env.humans.vocabulary import CUES, NARROW
from colbench_env.records import Dialogue, Fact, Task

HUMAN = "human_0"
_STATED = 1.5
"""Factor on the scores of stated facts: they were written to be told."""
_SAME = 0.7
"""A derived fact is the same as a stated one if it shares this share of its content words."""


def knowledge_of(task: Task) -> Mapping[str, Any]:
    """Return what the person alone knows of a task.

    Raises:
        TaskError: The task holds nothing for the person.
    """
    knowledge = task.private.get(HUMAN)
    if not isinstance(knowledge, Mapping) or not isinstance(knowledge.get("reference"), str):
        raise TaskError(
            f"task {task.id!r} has no private[{HUMAN!r}]['reference']: a scripted person needs it"
        )
    return knowledge


def reference_of(task: Task) -> str:
    """Return a task's reference, or "" where it has none."""
    knowledge = task.private.get(HUMAN, {})
    reference = knowledge.get("reference", "") if isinstance(knowledge, Mapping) else ""
    return reference if isinstance(reference, str) else ""


def facts_for(task: Task) -> tuple[Fact, ...]:
    """Return what whoever plays the human knows: stated facts first, then derived ones.

    Derived facts that say the same as a stated one are left out.

    Args:
        task: A task with `private["human_0"]["reference"]`, and optionally `["facts"]`.

    Raises:
        TaskError: The task holds no reference for the person.
    """
    return knowledge(task).facts


def own_replies(dialogue: Dialogue) -> list[str]:
    """Return what the person has said so far, the brief left out."""
    said = [m.text for m in dialogue.messages if m.agent == HUMAN]
    return said[1:] if said and said[0] == dialogue.task.brief else said


class Knowledge(NamedTuple):
    """What the person knows about one task, ready to be searched.

    Attributes:
        reference: The hidden code.
        facts: Stated facts, then derived ones.
        texts: All wordings of all facts.
        owners: Index of the fact that each wording belongs to.
        ranking: Finds the fact that a question is about.
    """

    reference: str
    facts: tuple[Fact, ...]
    texts: tuple[str, ...]
    owners: tuple[int, ...]
    ranking: Ranking

    def told(self, replies: Sequence[str]) -> dict[int, int]:
        """Return how many of the replies held each fact, by the fact's index."""
        counts: dict[int, int] = {}
        for reply in replies:
            for fact in {self.owners[i] for i in _wordings_in(self.texts, reply)}:
                counts[fact] = counts.get(fact, 0) + 1
        return counts


@lru_cache(maxsize=65536)
def _wordings_in(texts: tuple[str, ...], reply: str) -> tuple[int, ...]:
    return tuple(i for i, text in enumerate(texts) if text in reply)


def knowledge(task: Task) -> Knowledge:
    """Return what the person knows about a task; built once for each content and then cached.

    Raises:
        TaskError: The task holds no reference for the person.
    """
    own = knowledge_of(task)
    stated = json.dumps(own["facts"]) if own.get("facts") else "[]"
    return _knowledge(task.brief, own["reference"], stated)


@lru_cache(maxsize=4096)
def _knowledge(brief: str, reference: str, stated: str) -> Knowledge:
    facts = _known_facts(reference, stated)
    documents = [features(f"{fact.text} {' '.join(fact.topics)}", _kinds(fact)) for fact in facts]
    wordings = [(i, text) for i, fact in enumerate(facts) for text in (fact.text, *fact.also)]
    return Knowledge(
        reference,
        facts,
        tuple(text for _, text in wordings),
        tuple(i for i, _ in wordings),
        Ranking(
            documents,
            stems(brief),
            [1.0 if "@" in fact.id else _STATED for fact in facts],
            [_kind(fact) if _kind(fact) in NARROW else "" for fact in facts],
            stems(brief.rpartition("def ")[2]),
        ),
    )


def _kind(fact: Fact) -> str:
    """Kind of a derived fact, or ""."""
    kind, at, _ = fact.id.partition("@")
    return kind if at else ""


def _kinds(fact: Fact) -> tuple[str, ...]:
    """Kinds of a fact: a derived one's own, or those that a stated one's words are cues of."""
    if _kind(fact) in CUES:
        return (_kind(fact),)
    cues = question(" ".join((fact.text, *fact.topics))).cues
    return tuple(cue.removeprefix("kind:") for cue, _ in cues if cue.startswith("kind:"))


def _known_facts(reference: str, stated_json: str) -> tuple[Fact, ...]:
    stated = tuple(Fact.from_dict(data) for data in json.loads(stated_json))
    bags = [set(stems(" ".join((fact.text, *fact.also)))) for fact in stated]
    fresh = []
    for derived in derived_facts(reference):
        words = set(stems(derived.fact.text))
        if not any(words and len(words & bag) >= _SAME * len(words) for bag in bags):
            fresh.append(derived.fact)
    return (*stated, *fresh)
