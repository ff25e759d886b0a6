"""What a language model is asked and what it answers: plain data, the same for every backend."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from colbench_env.errors import ColbenchError, Fault
from colbench_env.records import Record


class ModelError(ColbenchError, RuntimeError):
    """A model cannot go on: its budget is spent, or its server refuses every request.

    Unlike a passing fault it would end every further episode, so it stops the run. What was
    written before stays valid, and the same command goes on from there.
    """


FINAL_KINDS = ("budget", "http 401", "http 403", "http 404")
"""Kinds of `Fault` that every further request would meet too."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture for a model to look at.

    Attributes:
        png: The picture as a PNG file.
        description: The same in words (the boxes of a page, say), for a model without eyes.
    """

    png: bytes
    description: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: a chat to answer, or a text to go on with.

    Attributes:
        messages: The chat, `{"role": "system" | "user" | "assistant", "content": text}`.
            Characters that cannot be encoded become question marks.
        text: Where it is not empty, the model continues this text and there is no chat.
        images: Pictures that belong to the chat's last message.
        max_tokens: Longest completion, in tokens.
        temperature: 0 takes the likeliest token each time; None leaves it to the server.
        stop: Strings that end the completion and are not part of it.
        seed: Of the sampling noise.
        task: Id of the task that this is about.
        prompt: Version of the prompt; changes whenever the prompt's wording does.
    """

    messages: tuple[Mapping[str, str], ...] = ()
    text: str = ""
    images: tuple[Image, ...] = ()
    max_tokens: int = 256
    temperature: float | None = 0.0
    stop: tuple[str, ...] = ()
    seed: int = 0
    task: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        clean = tuple({**m, "content": _encodable(m["content"])} for m in self.messages)
        object.__setattr__(self, "messages", clean)
        object.__setattr__(self, "text", _encodable(self.text))

    def dialogue(self) -> list[dict[str, str]]:
        """Return what the model is shown, as JSON-serialisable data."""
        shown = [dict(m) for m in self.messages] if not self.text else [{"text": self.text}]
        return shown + [{"image": hashlib.sha256(i.png).hexdigest()} for i in self.images]

    def dialogue_hash(self) -> str:
        """Return 32 hexadecimal digits that stand for `dialogue()`."""
        shown = json.dumps(self.dialogue(), sort_keys=True)
        return hashlib.sha256(shown.encode()).hexdigest()[:32]

    def noise_seed(self) -> int:
        """Return a seed of 31 bits that depends on task, dialogue and seed alone."""
        key = json.dumps([self.task, self.dialogue_hash(), self.seed])
        return int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big") >> 1

    def described(self) -> tuple[Mapping[str, str], ...]:
        """Return the chat with each picture replaced by its description."""
        words = [i.description or "(a picture that cannot be shown here)" for i in self.images]
        if not words:
            return self.messages
        *before, last = self.messages
        content = "\n\n".join([last["content"], *words])
        return (*before, {"role": last["role"], "content": content})


@dataclass(frozen=True, slots=True)
class Usage(Record):
    """What a model has been used for; usages add up.

    Attributes:
        requests: Requests answered, faults included.
        faults: Requests that ended in a fault.
        prompt_tokens: Tokens read.
        completion_tokens: Tokens written.
        cost: In US dollars; 0 where no price is known.
    """

    requests: int = 0
    faults: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens read and written."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.requests + other.requests,
            self.faults + other.faults,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cost + other.cost,
        )


@dataclass(frozen=True, slots=True)
class Completion(Record):
    """What a model wrote.

    Attributes:
        text: The words, without the stop string.
        finish: `"stop"` (the model ended) or `"length"` (`max_tokens` were written).
        model: Which model wrote it.
        usage: Of this one request.
        prompt_ids: Token ids as the model read them; None from a server.
        completion_ids: Token ids written, the end-of-sequence token included; None from a server.
        logprobs: Log-probability of each written token at the sampling temperature (at 1 for
            temperature 0); None from a server.
    """

    text: str
    finish: str = "stop"
    model: str = ""
    usage: Usage = Usage()
    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None


class Model(Protocol):
    """Anything that completes batches of requests.

    Attributes:
        name: Its specification, fit to be logged.
    """

    name: str

    @property
    def usage(self) -> Usage:
        """What it has been used for so far in this process."""
        ...

    def generate(self, requests: Sequence[Request]) -> list[Completion | Fault]:
        """Complete each request, in order; a `Fault` where that failed."""
        ...

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...] | Fault]:
        """Return a vector of Euclidean length 1 for each text, in order."""
        ...


def spoken(text: str) -> str:
    """Return what a model says aloud: without its `<think>` block, closed or cut off."""
    return text.rpartition("</think>")[2].partition("<think>")[0].strip()


def raise_final(answers: Iterable[Any]) -> None:
    """Raise for a fault that every further request would meet too.

    Raises:
        ModelError: One of the answers is a `Fault` of such a kind.
    """
    for answer in answers:
        if isinstance(answer, Fault) and answer.kind in FINAL_KINDS:
            raise ModelError(f"{answer.service} stopped ({answer.kind}): {answer.message}")


def _encodable(text: str) -> str:
    """Replace what has no UTF-8 form (lone surrogates) by a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def unit(vector: Sequence[float]) -> tuple[float, ...]:
    """Return the vector scaled to Euclidean length 1."""
    length = sum(x * x for x in vector) ** 0.5 or 1.0
    return tuple(x / length for x in vector)
