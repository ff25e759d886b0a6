"""Aspects: what a question can be about apart from its subject, such as an order or a unit."""

from __future__ import annotations

import re
from typing import NamedTuple


class Aspect(NamedTuple):
    """One thing that a person may never have thought about.

    Attributes:
        pattern: What a question about it says, in lower case.
        kinds: Features of the facts that answer it (`ranking.features`).
        in_conditions: Whether a condition ("if the list is empty") asks for it too.
        by_words: Whether single words tell it; where they belong to the task, they do not.
    """

    pattern: re.Pattern[str]
    kinds: frozenset[str]
    in_conditions: bool = False
    by_words: bool = True


def _aspect(
    pattern: str, kinds: str, *, in_conditions: bool = False, by_words: bool = True
) -> Aspect:
    features = frozenset(f"kind:{kind}" for kind in kinds.split())
    return Aspect(re.compile(pattern), features, in_conditions, by_words)


_TYPE = (
    r"(?:(?:data )?types?|formats?|form|structure|keys?|(?:true|yes)\W+(?:or |and )?(?:false|no)|"
    r"(?:an?|one|single|as)\s(?:\w+ )?(?:lists?|arrays?|dict\w*|tuples?|strings?|texts?|bool\w*|"
    r"numbers?|int(?:eger)?s?|floats?|objects?|messages?)"
    r"(?=\s+(?:or|of|with|like|where|for)\b|\s*[?,;.]|\s*$))\b"
)
_RESULT = r"\b(?:returns?|returned|outputs?|results?|(?:give|get|come)s? back|function|produces?)\b"

ASPECTS = {
    "shape": _aspect(
        rf"{_RESULT}.*\b{_TYPE}|\b{_TYPE}.*{_RESULT}", "shape returns text fields", by_words=False
    ),
    "extreme": _aspect(
        r"\b(?:(?:is|are|of|with|equals?|be) (?:zero|0)|zero or|negative|out of range|"
        r"what if .* equals?)\b",
        "empty error otherwise default case limit filter bound",
        in_conditions=True,
    ),
    "absence": _aspect(
        r"\b(?:empty|missing|invalid|unknown|lacks?|cannot be|without|nothing|(?:if|when) no\b|"
        r"(?:is|are|has|have|had|seen|were) no|(?:(?:is|are|do|does|was)n't|not) "
        r"(?:in|exist|known|found|given|valid|fit|match|recognised|listed))\b",
        "empty error otherwise default absent",
        in_conditions=True,
    ),
    "lengths": _aspect(
        r"\b(?:same|different|equal|unequal) (?:lengths?|sizes?)\b|\bdiffer in length\b|"
        r"\b(?:more|fewer) \w+ than\b",
        "error",
        in_conditions=True,
        by_words=False,
    ),
    "bound": _aspect(
        r"\bcap(?:ped)?\b|\b(?:be )?limited\b|\b(?:upper|lower) (?:limit|bound)\b|\bgo over\b|"
        r"\bexceed|\b(?:highest|lowest|maximum|minimum) possible|"
        r"\bis there an? (?:maximum|minimum|limit)|\bfrom (?:what|which|how many)\b|"
        r"\b(?:what|which) is the (?:maximum|minimum|lowest|highest)\b",
        "limit bound",
        in_conditions=True,
    ),
    "units": _aspect(
        r"\bunits?\b|\b(?:what|which|as) currency\b|\bscale\b|\bwhat ranges?\b|\btime ?zone\b",
        "units measure",
    ),
    "measured in": _aspect(
        r"\b(?:in|per) \w+(?:,? \w+)? or\b|\bor in \w+|"
        r"^\W*(?:is|are) (?:\w+ ){1,4}in \w+\W*$|\b(?:a|as) (?:percentage|fraction)s?\b.*\bor\b|"
        r"\bor (?:as )?(?:an? )?(?:percentage|fraction|decimal)",
        "units measure",
        by_words=False,
    ),
    "values": _aspect(
        r"\bvalues (?:can|may|does|do)\b|"
        r"\b(?:what|which) (?:\w+ )?(?:types|kinds|forms|options)\b.*\b(?:are there|should|can)\b",
        "units members lookup literals",
        by_words=False,
    ),
    "letters": _aspect(
        r"\b(?:upper|lower|letter)[ -]?case\b|\bcase[ -](?:in)?sensitiv|\bcapital|\bignore case",
        "letters",
    ),
    "order": _aspect(
        r"\bsort(?:ed|ing)?\b|\border(?:ed|ing)?\b|\bties?\b|\btied\b", "order returns"
    ),
    "rounding": _aspect(r"\bround(?:ed|ing)?\b|\bdecimals\b|\bdecimal place", "rounding"),
    "duplicates": _aspect(r"\bduplicates?\b|\brepeated\b", "duplicates"),
    "separator": _aspect(r"\bseparator|\bdelimiter|\bseparated\b", "separator"),
    "fields": _aspect(
        rf"(?:\blooks? like|\bstructure|\brepresented|"
        rf"\b(?:what|which) (?:data )?(?:types?|keys?|fields?)\b|\b(?:is|are|as)\b.*\b{_TYPE}|"
        rf"\b(?:in|what) (?:\w+ )?form(?:at)?\b|\bcontain\b)",
        "fields members lookup text error",
        by_words=False,
    ),
}
"""What a question can be about, by name."""

_BEFORE = re.compile(r"^(?:if|when)\b[^,?]*,")
_CONDITION = re.compile(r"[, ]+(?:if|when|for|in case)\b.*")


def aspects_in(text: str) -> list[tuple[Aspect, str]]:
    """Return the aspects that a question is about, each with the words that tell it."""
    low = text.lower()
    main = _CONDITION.sub("", _BEFORE.sub("", low))
    found = []
    for aspect in ASPECTS.values():
        searched = low if aspect.in_conditions else main
        if words := [match[0] for match in aspect.pattern.finditer(searched)]:
            found.append((aspect, " ".join(words) if aspect.by_words else ""))
    return found
