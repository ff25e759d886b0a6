"""Kinds of people: how patient, how talkative, how expert, how prone to mistakes.

Whatever a persona does is a pure function of the dialogue and the seed, and every task stays
solvable: what is withheld or wrong at first is told or put right on the next turn (see each
description).
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass

from colbench_env.errors import ConfigError
from colbench_env.records import Fact

_NUMBER = re.compile(r"(?<![\w.\"])\d+(?:\.\d+)?(?![\w\"]|\.\d)")
_TOPIC = re.compile(r" (?:is|are|goes|go|says|has|have|belong|should|must|if|when)\b|[,:]")
_QUOTED = re.compile(r'"[^"]*"|<[^>]*>')


@dataclass(frozen=True, slots=True)
class Persona:
    """One kind of person.

    Attributes:
        name: As `make_human("scripted:NAME")` takes it.
        description: What they are like and how to get along with them, in one or two sentences.
        patience: After so many replies they answer no more vague questions; None: never mind.
        facts_at_once: Most facts in one reply.
        chats: Whether a friendly remark goes before each fact.
        hints_first: Chance that a fact is only hinted at when it is first asked for.
        forgets: Chance that a fact has slipped their mind when it is first asked for.
        slips: Chance that a fact's number is wrong when it is first told; put right on the next
            turn.
        answers_vague: Whether vague questions get a fact at all.
        knows_jargon: Whether they understand programmers' words.
    """

    name: str
    description: str
    patience: int | None = None
    facts_at_once: int = 2
    chats: bool = False
    hints_first: float = 0.0
    forgets: float = 0.0
    slips: float = 0.0
    answers_vague: bool = True
    knows_jargon: bool = True


PERSONAS = {
    p.name: p
    for p in (
        Persona("plain", "Answers what is asked, one or two facts at a time."),
        Persona("terse", "One fact a reply, never a second one: ask one thing at a time.", None, 1),
        Persona("chatty", "A friendly remark before every fact.", None, 1, chats=True),
        Persona(
            "vague",
            "Often only hints at first and tells the fact when asked again; does not react to "
            "vague questions.",
            None,
            1,
            hints_first=0.7,
            answers_vague=False,
        ),
        Persona(
            "forgetful",
            "Half of the facts slip their mind at first; asked again, they remember.",
            forgets=0.5,
        ),
        Persona(
            "impatient",
            "Answers no vague question after three replies, and one thing at a time.",
            3,
            1,
        ),
        Persona(
            "changes_mind",
            "Half of the numbers are wrong at first; the next reply, whatever it is about, begins "
            "with the correction, so ask once more before you answer.",
            slips=0.5,
        ),
        Persona(
            "novice",
            "Does not understand programmers' words and asks for plain ones; a second try in any "
            "words is answered.",
            knows_jargon=False,
        ),
    )
}


def get_persona(persona: str | Persona) -> Persona:
    """Return a persona by name; a `Persona` is returned as it is.

    Raises:
        ConfigError: No persona has this name.
    """
    if isinstance(persona, Persona):
        return persona
    if persona not in PERSONAS:
        raise ConfigError(f"persona={persona!r} is unknown; choose one of {', '.join(PERSONAS)}")
    return PERSONAS[persona]


def chance(seed: int, *what: str) -> float:
    """Return a number in [0, 1) that depends on the seed and `what` alone."""
    return zlib.crc32("\x00".join((str(seed), *what)).encode()) / 2**32


def topic(fact: Fact) -> str:
    """Return what a fact is about, without what it says: no number and no quotation."""
    about = _TOPIC.split(_QUOTED.sub("", fact.text), maxsplit=1)[0]
    about = _NUMBER.sub("", about).strip(" .").removeprefix("For ").removeprefix("I want ")
    return " ".join(about.split())[:80].lower() or "that"


def hint(fact: Fact) -> str:
    """Return a hint at a fact: what it is about, and that asking again helps."""
    return f"I do have a wish there, about {topic(fact)}; ask me once more and I will be precise."


def forgotten(fact: Fact) -> str:
    """Return that a fact has slipped the person's mind."""
    return f"I can't recall it right now, about {topic(fact)}; ask me again in a moment."


def slip(text: str) -> str:
    """Return a fact's text with its last number wrong; unchanged if it has none outside quotes."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    last = found[-1]
    number = last[0]
    wrong = str(int(number) + 1) if number.isdigit() else f"{float(number) * 2:g}"
    return text[: last.start()] + wrong + text[last.end() :]
