"""What a question asks with: stems of its words, and cues for kinds of facts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

import snowballstemmer  # type: ignore[import-untyped]

from colbench_env.humans.aspects import aspects_in
from colbench_env.humans.vocabulary import (
    CUES,
    GENERIC,
    NEGATIONS,
    NUMERIC,
    PERSONAL,
    PHRASES,
    STOP_WORDS,
)

_PHRASE_WEIGHT, _CUE_WORD, _CUE_LIMIT = 0.4, 1.2, 2.0
_STEMMER = snowballstemmer.stemmer("english")
_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)?")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word (Snowball's English stemmer)."""
    return str(_STEMMER.stemWord(word))


@lru_cache(maxsize=65536)
def _content(word: str) -> str | None:
    return None if word in STOP_WORDS else stem(word)


@lru_cache(maxsize=65536)
def _cues(word: str) -> tuple[str, ...]:
    """Features that a word of a question asks for: kinds of facts, and negation."""
    found = [f"kind:{kind}" for kind, words in _CUE_STEMS.items() if stem(word) in words]
    if word in NUMERIC:
        found.append("number")
    return (*found, "negation") if word in NEGATIONS else tuple(found)


_CUE_STEMS = {kind: {stem(word) for word in words.split()} for kind, words in CUES.items()}
_PERSONAL = "personal"
_PAIRS: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(phrase.split()): tuple(f"kind:{kind}" for kind in kinds.split())
    for phrase, kinds in PHRASES.items()
}
for _pair in PERSONAL:
    _PAIRS[tuple(_pair.split())] = (_PERSONAL,)


_EXAMPLES = re.compile(r"\b(?:e\.g|i\.e|for example|for instance|such as)\b[^?]*|:[^?]*")


def _words(text: str) -> list[str]:
    if not text.islower():
        text = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    return _WORD.findall(text)


def stems(text: str) -> list[str]:
    """Return the stems of the content words of `text`; identifiers are split into words."""
    return [s for s in map(_content, _words(text)) if s is not None]


def generic(text: str) -> tuple[str, ...]:
    """Return a mark if a text holds a word that counts where there is no other."""
    return ("result",) if not GENERIC.isdisjoint(_words(text)) else ()


class Question(NamedTuple):
    """What a question asks with.

    Attributes:
        words: Stems of its content words that are no cues.
        cues: Features it asks for, stems of the words that are cues, and their weights.
        aspects: Kinds of facts that answer each aspect that it is about, and the stems of the
            words that tell that aspect.
        wanted: Kinds of facts that answer best, for those aspects that are no edges.
        examples: Stems that it holds only as examples.
        personal: Whether it is about the person.
    """

    words: tuple[str, ...]
    cues: tuple[tuple[str, float], ...]
    aspects: tuple[tuple[frozenset[str], frozenset[str]], ...]
    wanted: frozenset[str]
    examples: frozenset[str]
    personal: bool


@lru_cache(maxsize=8192)
def question(text: str) -> Question:
    """Return the words and cues of a question."""
    words: dict[str, None] = {}
    cues: dict[str, float] = {}
    previous = ""
    for word in _words(text):
        content, kinds = _content(word), _cues(word)
        for hint in _PAIRS.get((previous, word), ()):
            cues.setdefault(hint, _PHRASE_WEIGHT)
        for kind in kinds:
            cues[kind] = min(cues.get(kind, 0.5) + 0.5, _CUE_LIMIT)
        if content is not None:
            if kinds:
                cues[content] = _CUE_WORD
            else:
                words[content] = None
        previous = word
    if not words and not cues:
        words = dict.fromkeys(generic(text))
    found = aspects_in(text)
    main = frozenset(stems(_EXAMPLES.sub(" ", text)))
    return Question(
        tuple(words),
        tuple(cues.items()),
        tuple((aspect.kinds, frozenset(stems(told_by))) for aspect, told_by in found),
        frozenset().union(*(aspect.kinds for aspect, _ in found if not aspect.in_conditions)),
        frozenset(w for w in words if w not in main) if main else frozenset(),
        _PERSONAL in cues,
    )
