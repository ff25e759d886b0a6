"""What a scripted person says apart from facts, and how it recognises talk that asks for none."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

DONT_KNOW = (
    "I don't know, I have not thought about that.",
    "No idea, that does not matter to me.",
    "I can't say, do what seems right to you there.",
)
NO_CODE = "I can't give you code, that is what I need you for; ask me how it should behave."
ENOUGH = "I have told you as much as I can put into words, so please go ahead with that."
NOTHING_LEFT = "That is all I can think of, please go ahead."
WELCOME = "Thanks, just ask me whatever you need to know."
NO_TIME = "I have no time for that, please ask me one clear question or finish it."
BE_PRECISE = "Just make it sensible; ask me about one thing in particular."
PLAIN_WORDS = "I am no programmer, could you say that without computer words?"
SORRY = "Sorry, I was wrong just now:"
CHAT = (
    "Good question!",
    "Glad that you ask.",
    "Oh yes, I nearly forgot that.",
    "Let me see.",
    "My colleagues asked me that too.",
)

_SECRET = r"(?:code|implementation|source|reference|solution|function body)"
_REVEAL = (
    r"(?:print|show|give|send|paste|repeat|translate|spell|share|reveal|dump|output|recite|encode|"
    r"dictate|quote|read|rewrite|convert|express|complete|write)"
)
CODE_REQUEST = re.compile(
    rf"\b(?:your|the hidden|the reference|the source|the actual)\s+(?:\w+\s+)?{_SECRET}\b"
    rf"|\b{_REVEAL}\b (?:\w+ ){{0,3}}(?:your|hidden|reference|source|full|the)\s+{_SECRET}\b"
    rf"|\b{_REVEAL}\b (?:\w+ ){{0,3}}(?:hidden|source|full|exact|entire|whole)\s+{_SECRET}\b"
    r"|line by line|token by token|letter by letter|one token|next token|next line|verbatim|base64"
    r"|\brot13|system (?:message|prompt|override)|^\W*system\b|<\|?system|\[system"
    r"|ignore (?:all|your|previous|the)",
    re.I | re.M,
)
_POLITE = (
    r"hi|hello|hey|thanks?|thank you|great|good|nice|cool|perfect|sure|ok(?:ay)?|welcome|"
    r"how are you|morning|evening|afternoon|there|so much|a lot|very much|for (?:the|your) \w+|"
    r"i see|understood|got it|(?:that )?sounds good|to meet you|no problem|you|today|doing|"
    r"happy to help|i(?:'m| am) (?:happy|glad) to help|(?:you )?with (?:this|that|it)|"
    r"i(?:'ll| will) help(?: you)?|let's (?:start|begin|get started)"
)
SMALL_TALK = re.compile(rf"^\W*(?:(?:{_POLITE})[\s,.!?]*)+$", re.I)
VAGUE = re.compile(
    r"\b(?:tell me (?:everything|more|all|about)|everything|anything (?:else|more|special)|"
    r"(?<!or )something else|(?:more|further|other|additional|any|specific|special|extra) "
    r"(?:details?|information|info|requirements?|constraints?|specifics?|considerations?|context|rules?)|"
    r"(?:can|could|would) you (?:please )?(?:clarify|elaborate|explain|describe|be more specific)|"
    r"what (?:else|exactly|do you (?:want|need))|elaborate|clarify|clarification|edge cases?|"
    r"requirements)\b",
    re.I,
)
CHECK = re.compile(
    r"\b(?:is|does|do|are|would) (?:this|that|it|these) (?:\w+ )?(?:look|correct|right|ok|okay|"
    r"fine|good|work|sound|match|meet|what you)|\blooks? (?:good|right|correct|ok)|"
    r"did i (?:miss|get)",
    re.I,
)
JARGON = re.compile(
    r"\b(?:exceptions?|null|none|booleans?|bool|tuples?|dict(?:ionary|ionaries)?|edge cases?|"
    r"parameters?|arguments?|type hints?|floats?|floating|integers?|int|strings?|ind(?:ex|ices)|"
    r"iterat\w+|lambda|regex|arrays?|case.sensitive|ascending|descending|delimiter|data types?)\b",
    re.I,
)
_QUOTATION = re.compile(r'"[^"]*"')
_SENTENCE = re.compile(r"[.!?](?=\s|$)|\0(?=\s+[A-Z]|$)")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)\s+|\n+")
_SECOND_QUESTION = re.compile(
    r",? and (?=(?:what|which|how|should|where|when|who|do|does|is|are|can|for|in what)\b)", re.I
)


_SECRET_STEMS = """
code implement source reference solution body line token letter verbatim base64 rot13 system ignore
"""
_VAGUE_STEMS = """
more else tell every any further other addition specific special extra clarif elaborat explain
describ exactly want need edge requirement look correct right match meet work sound fine good did
"""
_SECRET_WORDS, _VAGUE_WORDS = tuple(_SECRET_STEMS.split()), tuple(_VAGUE_STEMS.split())


class Talk(NamedTuple):
    """What kind of message the assistant sent.

    Attributes:
        wants_code: It asks for the code itself.
        small: It is small talk.
        vague: It asks for anything, or whether all is well.
        more: It asks for what was not told yet.
        questions: The questions that it asks, without the words that ask for anything.
    """

    wants_code: bool
    small: bool
    vague: bool
    more: bool
    questions: tuple[str, ...]


@lru_cache(maxsize=8192)
def read(text: str) -> Talk:
    """Return what kind of message a text is.

    Plain searches for parts of words go before the patterns, which take longer.
    """
    low = text.lower()
    wants_code = any(w in low for w in _SECRET_WORDS) and bool(CODE_REQUEST.search(low))
    hinted = any(w in low for w in _VAGUE_WORDS)
    more = hinted and bool(VAGUE.search(low))
    return Talk(
        wants_code,
        len(low) < 200 and bool(SMALL_TALK.match(low)),
        more or (hinted and bool(CHECK.search(low))),
        more,
        tuple(questions_in(VAGUE.sub(" ", text) if more else text)),
    )


def sentences(text: str) -> int:
    """Return how many sentences a text has; a quotation may end one, and holds none."""
    return len(_SENTENCE.findall(_QUOTATION.sub("\0", text)))


def questions_in(text: str) -> list[str]:
    """Return the questions that a message asks; a message without a question mark is one."""
    asked = [s for s in _SENTENCE_END.split(text) if "?" in s] or [text]
    return [part for sentence in asked for part in _SECOND_QUESTION.split(sentence)]
