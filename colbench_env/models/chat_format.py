"""OpenAI's chat-completions format: requests to JSON, JSON to completions.

Source: the OpenAI API reference, "Chat completions", "Completions (legacy)" and "Embeddings".
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from colbench_env.models.budget import Price
from colbench_env.models.model import Completion, Request, Usage, unit


class BadReplyError(Exception):
    """The server answered, but not with what was asked for; the argument is a short label."""


def payload(request: Request, model: str, *, images: bool, limit: str) -> dict[str, Any]:
    """Return the body of a request.

    Args:
        request: What to ask.
        model: The model's name at the server.
        images: Whether the model can see: pictures go along as data URLs, else as descriptions.
        limit: Name of the field for the longest completion.
    """
    body: dict[str, Any] = {
        "model": model,
        "max_tokens" if request.text else limit: request.max_tokens,
        "seed": request.noise_seed(),
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.stop:
        body["stop"] = list(request.stop)
    if request.text:
        return {**body, "prompt": request.text}
    if not images:
        return {**body, "messages": [dict(m) for m in request.described()]}
    messages: list[dict[str, Any]] = [dict(m) for m in request.messages]
    if request.images:
        parts = [{"type": "text", "text": messages[-1]["content"]}, *map(_picture, request.images)]
        messages[-1] = {**messages[-1], "content": parts}
    return {**body, "messages": messages}


def _picture(image: Any) -> dict[str, Any]:
    data = base64.b64encode(image.png).decode()
    return {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}


def read_completion(reply: Any, request: Request, name: str, price: Price) -> Completion:
    """Return the completion that a server's JSON holds.

    A server that counts no tokens is charged one token for four characters.

    Raises:
        BadReplyError: It holds none. An empty text counts as a completion only if the server says
            that the model wrote at least one token (its end of sequence).
    """
    choice = _first(reply, "choices")
    text = choice.get("text") if request.text else _mapping(choice.get("message")).get("content")
    usage = _mapping(reply.get("usage"))
    written = usage.get("completion_tokens")
    if not isinstance(text, str | None):
        raise BadReplyError("bad reply")
    if not text and not written:
        raise BadReplyError("empty reply")
    if choice.get("finish_reason") == "content_filter":
        raise BadReplyError("content filter")
    text = text or ""
    prompt_tokens = _count(usage.get("prompt_tokens"), _estimate(request))
    completion_tokens = _count(written, len(text) // 4 + 1)
    return Completion(
        text,
        finish="length" if choice.get("finish_reason") == "length" else "stop",
        model=name,
        usage=Usage(
            1, 0, prompt_tokens, completion_tokens, price.of(prompt_tokens, completion_tokens)
        ),
    )


def read_embedding(reply: Any, text: str, price: Price) -> tuple[tuple[float, ...], Usage]:
    """Return the vector, of length 1, that a server's JSON holds, and what it took.

    Raises:
        BadReplyError: It holds none.
    """
    vector = _first(reply, "data").get("embedding")
    if not isinstance(vector, list) or not all(isinstance(x, int | float) for x in vector):
        raise BadReplyError("bad reply")
    tokens = _count(_mapping(reply.get("usage")).get("prompt_tokens"), len(text) // 4 + 1)
    return unit(vector), Usage(1, 0, tokens, 0, price.of(tokens, 0))


def at_most(request: Request) -> int:
    """Return how many tokens a prompt may have: one for two characters, and the chat's frame."""
    return 16 + sum(8 + _length(message) // 2 for message in request.dialogue())


def _estimate(request: Request) -> int:
    return sum(_length(m) for m in request.dialogue()) // 4 + 1


def _length(message: Mapping[str, str]) -> int:
    return len(message.get("content", message.get("text", "")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _first(reply: Any, field: str) -> Mapping[str, Any]:
    items = _mapping(reply).get(field)
    if not isinstance(items, list):
        raise BadReplyError("bad reply")
    if not items or not isinstance(items[0], Mapping):
        raise BadReplyError("empty reply")
    return items[0]


def _count(value: Any, otherwise: int) -> int:
    return value if isinstance(value, int) and value >= 0 else otherwise
