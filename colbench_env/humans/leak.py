"""How much of a hidden reference a person's replies have given away, and what to do about it.

Under reinforcement learning an assistant may learn to make the simulated person recite the hidden
code instead of asking what it should do. `measure` puts a number on that for any person, scripted
or model-played; `guarded` can cut it off.

What counts, in tokens of the reference's body (its signature is public, so it is left out of both
sides of the fraction; comments and docstrings too):

* every token inside a run of `MIN_RUN` or more consecutive reference tokens that the replies, read
  one after the other, contain;
* on its own: a number, a string literal, or a name that is no plain word (it has an underscore, a
  digit or an inner capital) and not in the signature. Each mention counts for one occurrence.

Plain words and single operators do not count on their own: "if", "total" and "," are English.
Quoted fragments and very short replies are also read as one stream of their own, so that code
handed out token by token between other words is found; JavaScript's spelling of operators, base64,
hexadecimal and spelled-out words are read too.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from colbench_env.errors import ConfigError
from colbench_env.records import Leak

Guard = Literal["measure", "redact", "refuse"]
GUARDS: tuple[Guard, ...] = ("measure", "redact", "refuse")

MAX_RUN = 12
"""A run of this many consecutive tokens, or more, is a leak."""
MAX_SHARE = 0.30
"""This share of the reference's tokens, or more, is a leak."""
MIN_RUN = 3
"""Shorter runs happen by chance in English and are not counted as runs."""

REFUSAL = "I would rather not spell that out; ask me how it should behave and I will tell you."
REDACTED = "[...]"

_STRING = (
    r"(?:[rRbBuUfF]{0,2})(?:'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\""
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
)
_SYMBOL = r"===|!==|\*\*|//|<<|>>|&&|\|\||[-+*/%&|^@<>=!:]=|->|[^\w\s]"
_WORD = r"[^\W\d]\w*|\d+(?:\.\d+)?"
_CODE = re.compile(rf"(#[^\n]*)|({_STRING})|({_WORD}|{_SYMBOL})")
_TEXT = re.compile(rf"\x00\d+|{_WORD}|{_SYMBOL}")
_SPAN = re.compile(r"```(?:\w+\n)?([\s\S]*?)```|`([^`]+)`|\"([^\"]+)\"|(?<!\w)'([^']+)'(?!\w)")
_BLOB = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_SPELLED = re.compile(r"(?<!\w)\w(?:[-., ]{1,2}\w(?!\w)){2,}")
_OTHER_SPELLINGS = dict(
    zip(("&&", "||", "===", "!==", "true", "false"), ("and", "or", "==", "!=", "True", "False"))
)


class _Reference(NamedTuple):
    """A tokenised reference: where each token stands, and which tokens tell something alone."""

    size: int
    positions: dict[str, tuple[int, ...]]
    telling: dict[str, int]  # token -> bit mask of its positions
    literals: tuple[tuple[str, str], ...]  # (text of a string literal, its token), longest first


class _State(NamedTuple):
    """What a sequence of replies has given away so far.

    `prose` and `code` hold, for either stream, the runs that the last token left open as
    (position, length) pairs; `marked` is a bit mask over the reference's tokens.
    """

    prose: tuple[tuple[int, int], ...] = ()
    code: tuple[tuple[int, int], ...] = ()
    marked: int = 0
    run: int = 0


_START = _State()


@lru_cache(maxsize=4096)
def _tokenise(reference: str) -> _Reference:
    docstrings = re.compile(r"(:\s*\n\s*)(?:'''[\s\S]*?'''|\"\"\"[\s\S]*?\"\"\")")
    found = [m.groups() for m in _CODE.finditer(docstrings.sub(r"\1", reference))]
    raw = [(string, token) for comment, string, token in found if comment is None]
    public: set[str] = set()
    depth, body = 0, 0
    for place, (_, token) in enumerate(raw):
        body = place + 1  # the signature ends at the first ":" outside of brackets
        if token is not None and token in "([{":
            depth += 1
        elif token is not None and token in ")]}":
            depth -= 1
        elif token == ":" and depth == 0:
            break
        elif token:
            public.add(token)
    if not raw or raw[0][1] != "def":
        body, public = 0, set()

    positions: dict[str, list[int]] = {}
    literals: dict[str, str] = {}
    for place, (string, token) in enumerate(raw[body:]):
        if string is not None:
            content = _content(string)
            token = literals.setdefault(content, f"\x00{len(literals)}")
        positions.setdefault(token, []).append(place)
    telling = {
        token: sum(1 << p for p in where)
        for token, where in positions.items()
        if token not in public and (token[0] == "\x00" or token[0].isdigit() or _coined(token))
    }
    for other, own in _OTHER_SPELLINGS.items():
        if own in positions:
            positions[other] = positions[own]
    sayable = [item for item in literals.items() if len(item[0]) > 1]
    return _Reference(
        size=len(raw) - body,
        positions={token: tuple(where) for token, where in positions.items()},
        telling=telling,
        literals=tuple(sorted(sayable, key=lambda item: -len(item[0]))),
    )


def _content(string: str) -> str:
    """Return what a string literal holds; of an f-string, its longest part between the fields."""
    prefix, quote, _ = re.split(r"(['\"]{3}|['\"])", string, maxsplit=1)
    content = string[len(prefix) + len(quote) : -len(quote)]
    if "f" in prefix.lower():
        content = max(re.split(r"\{[^{}]*\}", content), key=len).strip()
    return content


def _coined(token: str) -> bool:
    """Whether a token is a name that plain English would not hold."""
    return token[0].isalpha() and (
        "_" in token or any(c.isdigit() or c.isupper() for c in token[1:])
    )


def decoded(reply: str) -> str:
    """The reply with spelled words put together, and what its base64 or hexadecimal blobs say."""
    extra: list[str] = []
    for blob in _BLOB.findall(reply):
        for decode in (base64.b64decode, bytes.fromhex):
            try:
                extra.append(decode(blob).decode())
            except (ValueError, binascii.Error):
                continue
    reply = _SPELLED.sub(lambda found: re.sub(r"[-., ]", "", found[0]), reply)
    return " ".join([reply, *extra]) if extra else reply


def _advance(
    ref: _Reference, tokens: Iterable[str], live: tuple[tuple[int, int], ...], marked: int, run: int
) -> tuple[tuple[tuple[int, int], ...], int, int]:
    """Follow every open run through `tokens`; return the open runs, the marks, the longest run."""
    positions = ref.positions
    current = dict(live)
    for token in tokens:
        where = positions.get(token)
        if where is None:
            if current:
                current = {}
            continue
        current = {p: current.get(p - 1, 0) + 1 for p in where}
        longest = max(current.values())
        run = max(run, longest)
        if longest >= MIN_RUN:
            for place, length in current.items():
                if length >= MIN_RUN:
                    marked |= ((1 << length) - 1) << (place - length + 1)
    return tuple(current.items()), marked, run


@lru_cache(maxsize=65536)
def _after(reference: str, state: _State, reply: str) -> _State:
    ref = _tokenise(reference)
    if _BLOB.search(reply) or _SPELLED.search(reply):
        reply = decoded(reply)
    for content, token in ref.literals:
        if content in reply:
            pattern = rf"(['\"]?)(?<!\w){re.escape(content)}(?!\w)\1"
            reply = re.sub(pattern, f" {token} ", reply)
    tokens = _TEXT.findall(reply)
    marked = state.marked
    for token in tokens:
        mask = ref.telling.get(token)
        if mask:
            untold = mask & ~marked
            marked |= untold & -untold
    prose, marked, run = _advance(ref, tokens, state.prose, marked, state.run)
    if len(tokens) <= MIN_RUN:
        spans = [reply]
    elif "`" in reply or '"' in reply or "'" in reply:
        spans = ["".join(groups) for groups in _SPAN.findall(reply)]
    else:
        spans = []
    code = state.code
    for span in spans:
        code, marked, run = _advance(ref, _TEXT.findall(span), code, marked, run)
    return _State(prose, code, marked, run)


def _leak(reference: str, state: _State) -> Leak:
    size = _tokenise(reference).size
    return Leak(run=state.run, share=state.marked.bit_count() / size if size else 0.0)


def measure(reference: str, replies: Sequence[str]) -> Leak:
    """Return what `replies` together have given away of `reference`.

    A pure function: the same replies give the same measure, whether they are measured at once or
    one by one as an episode goes on (which costs one reply's work a call, by caching).

    Args:
        reference: The hidden code.
        replies: All replies of one episode, oldest first.

    Returns:
        The longest run, in tokens, and the share of the reference's tokens, in [0, 1].
    """
    state = _START
    for reply in replies:
        state = _after(reference, state, reply)
    return _leak(reference, state)


def allowed(leak: Leak) -> bool:
    """Whether a leak stays below both bounds, `MAX_RUN` and `MAX_SHARE`."""
    return leak.run < MAX_RUN and leak.share < MAX_SHARE


def check_guard(guard: str) -> Guard:
    """Return `guard` if it is one of `GUARDS`.

    Raises:
        ConfigError: It is not.
    """
    for known in GUARDS:
        if guard == known:
            return known
    raise ConfigError(f"guard={guard!r} is unknown; choose one of {', '.join(GUARDS)}")


def guarded(reference: str, replies: Sequence[str], reply: str, guard: Guard) -> tuple[str, Leak]:
    """Apply a guard to the newest reply.

    Args:
        reference: The hidden code.
        replies: The episode's replies before this one.
        reply: The newest reply.
        guard: `"measure"` lets every reply pass; `"redact"` blanks quoted fragments and code-like
            lines of a reply that takes the episode's leak over a bound; `"refuse"` replaces such a
            reply by `REFUSAL`. A redacted reply that still leaks is refused.

    Returns:
        The text to send, and the leak of the episode with that text.
    """
    leak = measure(reference, [*replies, reply])
    if guard == "measure" or allowed(leak):
        return reply, leak
    if guard == "redact":
        text = _redacted(reference, reply)
        leak = measure(reference, [*replies, text])
        if allowed(leak):
            return text, leak
    return REFUSAL, measure(reference, [*replies, REFUSAL])


def _redacted(reference: str, reply: str) -> str:
    """Blank every token of the reply that is told alone, and every run of `MIN_RUN` or more."""
    ref = _tokenise(reference)
    for content, _ in ref.literals:
        reply = reply.replace(content, REDACTED)
    reply = _BLOB.sub(REDACTED, reply)
    found = list(_TEXT.finditer(reply))
    blank = [m[0] in ref.telling for m in found]
    current: dict[int, int] = {}
    for place, m in enumerate(found):
        current = {p: current.get(p - 1, 0) + 1 for p in ref.positions.get(m[0], ())}
        longest = max(current.values(), default=0)
        if longest >= MIN_RUN:
            blank[place - longest + 1 : place + 1] = [True] * longest
    pieces, end = [], 0
    for m, gone in zip(found, blank, strict=True):
        pieces.append(reply[end : m.start()])
        if not gone:
            pieces.append(m[0])
        elif not pieces or not "".join(pieces[-2:]).rstrip().endswith(REDACTED):
            pieces.append(REDACTED)
        end = m.end()
    return "".join([*pieces, reply[end:]])
