"""Models that need no weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from colbench_env.errors import Fault
from colbench_env.models import Completion, Request, Usage


class ScriptedModel:
    """Answers with a function of the request; remembers its batches."""

    def __init__(self, answer: Callable[[Request], str | Fault], name: str = "model") -> None:
        self.answer, self.name = answer, name
        self.batches: list[list[Request]] = []
        self.usage = Usage()

    def generate(self, requests: Any) -> list[Completion | Fault]:
        self.batches.append(list(requests))
        answers = [self.answer(request) for request in requests]
        return [a if isinstance(a, Fault) else Completion(a, model=self.name) for a in answers]

    def embed(self, texts: Any) -> list[tuple[float, ...] | Fault]:
        return [(1.0,) for _ in texts]
