"""Rank a person's facts against a question: BM25 on stemmed words, with a small synonym table.

BM25: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009),
section 3. Facts are short, so document length is hardly normalised (b = 0.3).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer  # type: ignore[import-untyped]

from colbench_env.humans.vocabulary import STOP_WORDS, SYNONYMS

K1, B = 1.2, 0.3
_SYNONYM_WEIGHT = 0.6
_STEMMER = snowballstemmer.stemmer("english")
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word (Snowball's English stemmer)."""
    return str(_STEMMER.stemWord(word))


_STOP = frozenset(STOP_WORDS)


@lru_cache(maxsize=65536)
def _content(word: str) -> str | None:
    return None if word in _STOP else stem(word)


def stems(text: str) -> list[str]:
    """Return the stems of the content words of `text`; identifiers are split into words."""
    split = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text) if not text.islower() else text
    found = (_content(word) for word in _WORD.findall(split.lower()))
    return [s for s in found if s is not None]


def _synonym_table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in SYNONYMS:
        members = {stem(word) for word in group.split()}
        for member in members:
            table.setdefault(member, set()).update(members - {member})
    return {word: frozenset(others) for word, others in table.items()}


_SYNONYM_STEMS = _synonym_table()


class Match(NamedTuple):
    """How well one document answers a question.

    Attributes:
        document: Index of the document.
        score: BM25 score.
        coverage: Share of the question's weight that the document's words hold, in [0, 1].
    """

    document: int
    score: float
    coverage: float


class Ranking:
    """An index over a few short documents.

    Args:
        documents: Each a mapping from stems to weights (a count, or a count times a field weight).
        background: Stems that every document may be asked with (the brief's words): matched by
            none, they still do not make a question foreign.
    """

    def __init__(
        self, documents: Sequence[Mapping[str, float]], background: Iterable[str] = ()
    ) -> None:
        self.size = len(documents)
        lengths = [sum(d.values()) for d in documents]
        average = sum(lengths) / max(1, self.size) or 1.0
        holders: dict[str, list[tuple[int, float]]] = {}
        for i, document in enumerate(documents):
            norm = K1 * (1 - B + B * lengths[i] / average)
            for word, count in document.items():
                holders.setdefault(word, []).append((i, count * (K1 + 1) / (count + norm)))
        self._postings: dict[str, tuple[tuple[int, float], ...]] = {}
        for word, held in holders.items():
            idf = math.log(1 + (self.size - len(held) + 0.5) / (len(held) + 0.5))
            self._postings[word] = tuple((i, idf * value) for i, value in held)
        self._background = frozenset(background) - holders.keys()

    def matches(self, words: Sequence[str]) -> list[Match]:
        """Return the documents that share a word with the question, best first.

        Args:
            words: The question's stems, as `stems` returns them.
        """
        scores: dict[int, float] = {}
        hits: dict[int, float] = {}
        total = 0.0
        postings = self._postings
        for word in dict.fromkeys(words):
            direct = postings.get(word)
            total += 0.5 if direct is None and word in self._background else 1.0
            seen: set[int] = set()
            for document, value in direct or ():
                scores[document] = scores.get(document, 0.0) + value
                hits[document] = hits.get(document, 0.0) + 1.0
                seen.add(document)
            best: dict[int, float] = {}
            for other in _SYNONYM_STEMS.get(word, ()):
                for document, value in postings.get(other, ()):
                    if document not in seen and value > best.get(document, 0.0):
                        best[document] = value
            for document, value in best.items():
                scores[document] = scores.get(document, 0.0) + _SYNONYM_WEIGHT * value
                hits[document] = hits.get(document, 0.0) + _SYNONYM_WEIGHT
        found = [Match(d, score, hits[d] / total) for d, score in scores.items()]
        found.sort(key=lambda m: (-m.score, m.document))
        return found
