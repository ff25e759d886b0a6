"""Rank a person's facts against a question: BM25 on stemmed words, with a small synonym table.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
section 3. Facts are short, so their length is not normalised (b = 0).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from colbench_env.humans.questions import Question, generic, stem, stems
from colbench_env.humans.vocabulary import SYNONYMS, TECHNICAL

K1 = 1.2
_SYNONYM_WEIGHT = 0.6
_CUE_EVIDENCE, _WORD_EVIDENCE = 0.6, 1.0
_PREFIX = 5
_ASPECT_WEIGHT, _OFF_ASPECT, _UNCALLED, _PERSON = 0.8, 0.5, 0.6, 4.0
"""Weight of an aspect asked for; factors on what is not about it and on kinds nobody asked for; how
foreign a question about the person is. All weights here are the best of a few on the tuned sets."""
_MARKS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "fields": r'"[^"]+" of\b|(?:first|second|third|last) item of|'
        r"\b(?:each|every) (?:value|key|entry) of|\bof the form\b|\bsplit at\b|"
        r"\ba list of each\b|\bpairs from\b",
        "measure": r"\b(?:kilo\w*|grams?|pounds?|ounces?|metres?|meters?|miles?|inch(?:es)?|feet|"
        r"cm|km|kg|lit(?:er|re)s?|hours?|minutes?|seconds?|days?|weeks?|months?|degrees?|dollars?|"
        r"euros?|cents?|percent)\b",
        "literals": r'(?<!result )\bis (?:not )?["\d-]',
        "bound": r"smaller of|larger of|at most|at least|more than|less than|smallest|largest",
        "absent": r"\b(?:is|are) not\b(?! included| \d)|missing|empty|nothing|"
        r"(?<!result )\b(?:is|are) false",
    }.items()
}
"""Kinds that a fact's words show: what it says of data, of units, of values, of limits, of gaps."""
HEAD_WEIGHT, KIND_WEIGHT, NUMBER_WEIGHT, IDF_FLOOR = 1.2, 2.5, 1.0, 0.3
_HEAD = re.compile(r" (?:is|are|goes|go|says|has|belong)\b")
_TECHNICAL_STEMS = frozenset(stem(word) for word in TECHNICAL.split())
_FIGURE = re.compile(r"(?<![\w.])(?:[2-9]|\d\d+|\d+\.\d+)")
_NEGATIVE = re.compile(r"\bnot\b|less than|at most|false|missing|other cases|empty")


def features(text: str, kinds: Sequence[str]) -> dict[str, float]:
    """Return what a fact answers to: its words (those it begins with count more), kinds, negation.

    Args:
        text: The fact's first wording.
        kinds: Kinds of facts it belongs to, of `CUES`; its words may show more (`_MARKS`).
    """
    if tuple(kinds) == ("shape",):
        return {"kind:shape": KIND_WEIGHT}  # its words ("a number") are everybody's
    bag = dict.fromkeys(generic(text), 1.0)
    for word in stems(text):
        bag[word] = min(bag.get(word, 0.0) + 1.0, 2.0)
    for word in stems(_HEAD.split(text, maxsplit=1)[0]):
        bag[word] += HEAD_WEIGHT
    bag |= {f"{word[:_PREFIX]}-": 1.0 for word in bag if len(word) >= _PREFIX}
    bag |= {f"kind:{kind}": KIND_WEIGHT for kind in kinds}
    for kind, pattern in _MARKS.items():
        if pattern.search(text):
            bag[f"kind:{kind}"] = KIND_WEIGHT
    if _NEGATIVE.search(text):
        bag["negation"] = 0.5
    if _FIGURE.search(text):
        bag["number"] = NUMBER_WEIGHT
    return bag


def _synonym_table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in SYNONYMS:
        members = {stem(word) for word in group.split()}
        for member in members:
            table.setdefault(member, set()).update(members - {member})
    return {word: frozenset(others) for word, others in table.items()}


_SYNONYM_STEMS = _synonym_table()


@lru_cache(maxsize=65536)
def _relatives(word: str) -> frozenset[str]:
    """Synonyms of a stem, and the mark of its first letters if it is long."""
    prefix = {f"{word[:_PREFIX]}-"} if len(word) >= _PREFIX else set()
    if word.startswith(("un", "in", "non")) and len(word) > _PREFIX + 2:
        bare = word[3:] if word.startswith("non") else word[2:]
        prefix |= {bare, f"{bare[:_PREFIX]}-"}
    return _SYNONYM_STEMS.get(word, frozenset()) | prefix


class Match(NamedTuple):
    """How well one document answers a question.

    Attributes:
        document: Index of the document.
        score: BM25 score, over words and cues.
        evidence: How many of the question's words the document holds; a synonym or a cue is less
            than one.
        foreign: How many of the question's words no document holds, nor the background; more for
            technical words and in questions about the person.
    """

    document: int
    score: float
    evidence: float
    foreign: float


class Ranking:
    """An index over a few short documents.

    Args:
        documents: Each a mapping from stems to weights (a count, or a count times a field weight).
        priors: Factor on each document's scores; 1 without it.
        background: Stems of the brief: a question that uses them is not foreign, even if no
            document holds them.
        narrow: The kind of each document that answers only questions for its kind; "" for others.
        names: Stems of the signature; where one is in a question, it tells no aspect.
    """

    def __init__(
        self,
        documents: Sequence[Mapping[str, float]],
        background: Iterable[str] = (),
        priors: Sequence[float] = (),
        narrow: Sequence[str] = (),
        names: Iterable[str] = (),
    ) -> None:
        self.size = len(documents)
        holders: dict[str, list[tuple[int, float]]] = {}
        for i, document in enumerate(documents):
            for word, count in document.items():
                holders.setdefault(word, []).append((i, count * (K1 + 1) / (count + K1)))
        self._postings: dict[str, tuple[tuple[int, float], ...]] = {}
        for word, held in holders.items():
            idf = IDF_FLOOR + math.log(1 + (self.size - len(held) + 0.5) / (len(held) + 0.5))
            scales = [(i, idf * (priors[i] if priors else 1.0), value) for i, value in held]
            self._postings[word] = tuple((i, scale * value) for i, scale, value in scales)
        self._narrow = [(i, f"kind:{kind}") for i, kind in enumerate(narrow) if kind]
        self._own = {*self._postings, *names} - {"empti", "0"}
        brief = frozenset(background)
        self._background = brief | {f"{w[:_PREFIX]}-" for w in brief if len(w) >= _PREFIX}

    def matches(self, asked: Question) -> list[Match]:
        """Return the documents that share a word or a cue with the question, best first."""
        scores: dict[int, float] = {}
        evidence: dict[int, float] = {}
        postings, foreign = self._postings, _PERSON * asked.personal
        for cue, weight in asked.cues:
            strength = (
                min(weight, 1.0) * _CUE_EVIDENCE if cue.startswith("kind:") else _WORD_EVIDENCE
            )
            for document, value in postings.get(cue, ()):
                scores[document] = scores.get(document, 0.0) + weight * value
                evidence[document] = max(evidence.get(document, 0.0), strength)
        for word in asked.words:
            weight = 1.0
            found = dict(postings.get(word, ()))
            if not found:
                weight = _SYNONYM_WEIGHT
                for other in _relatives(word):
                    for document, value in postings.get(other, ()):
                        found[document] = max(value, found.get(document, 0.0))
            if (
                not found
                and word not in asked.examples
                and not word[0].isdigit()
                and not self.is_background(word)
            ):
                foreign += 1.0 + (word in _TECHNICAL_STEMS)
            for document, value in found.items():
                scores[document] = scores.get(document, 0.0) + weight * value
                evidence[document] = evidence.get(document, 0.0) + weight
        answering = set()
        for kind in asked.wanted:
            for document, value in postings.get(kind, ()):
                answering.add(document)
                scores[document] = scores.get(document, 0.0) + _ASPECT_WEIGHT * value
                evidence[document] = max(evidence.get(document, 0.0), _WORD_EVIDENCE)
        wanted = asked.wanted | {cue for cue, _ in asked.cues}
        for document, kind in self._narrow:
            if document in scores and kind not in wanted:
                scores[document] *= _UNCALLED
        for document in scores.keys() - answering if answering else ():
            scores[document] *= _OFF_ASPECT
        ranked = [Match(d, score, evidence[d], foreign) for d, score in scores.items()]
        ranked.sort(key=lambda m: (-m.score, m.document))
        return ranked

    def lacks_aspect(self, asked: Question) -> bool:
        """Whether no document is about the aspects (rounding, order ...) that a question is about.

        Words that the task itself uses tell no aspect.
        """
        foreign = any(self._own.isdisjoint(told_by) for _, told_by in asked.aspects)
        return foreign and all(
            self._postings.keys().isdisjoint(kinds) for kinds, _ in asked.aspects
        )

    def is_background(self, word: str) -> bool:
        """Whether the brief holds a stem, or a relative of it."""
        return word in self._background or not self._background.isdisjoint(_relatives(word))
