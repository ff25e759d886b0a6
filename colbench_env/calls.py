"""Calls to services: how an environment reaches the outside, one batch at a time.

A step is a generator that yields lists of `Call` and is sent their answers. `drive` runs many such
generators in rounds and makes one call to each service a round, so a batch of environments costs as
many requests as one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from colbench_env.errors import Fault, FaultError

ATTEMPTS = 3  # how often a call that answers with a Fault is made
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """One request to something outside the environment.

    Attributes:
        service: Takes a list of requests and returns as many answers (or `Fault`s), in order.
            Calls are batched by service, so share the object between environments.
        request: Plain data.
    """

    service: Callable[[list[Any]], list[Any]]
    request: Any


Steps = Generator[list[Call], list[Any], T]


def drive(steps: Sequence[Steps[T]]) -> list[T]:
    """Run generators to their end, answering their calls in rounds, batched by service.

    A call answered by a `Fault` is made again, up to three times in all (the request is plain data,
    so it is the same call); then `FaultError` is thrown into its generator.

    Args:
        steps: Generators that yield lists of `Call` and receive lists of answers.

    Returns:
        What each generator returned, in order.
    """
    results: list[Any] = [None] * len(steps)
    waiting: dict[int, list[Call]] = {}

    def advance(i: int, answers: list[Any] | None) -> None:
        try:
            fault = next((a for a in answers or () if isinstance(a, Fault)), None)
            if fault is not None:
                waiting[i] = steps[i].throw(FaultError(fault))
            elif answers is None:
                waiting[i] = next(steps[i])
            else:
                waiting[i] = steps[i].send(answers)
        except StopIteration as stop:
            results[i] = stop.value

    for i in range(len(steps)):
        advance(i, None)
    while waiting:
        asked, waiting = waiting, {}
        for i, answers in zip(asked, answer(list(asked.values())), strict=True):
            advance(i, answers)
    return results


def answer(calls: Sequence[list[Call]]) -> list[list[Any]]:
    """Answer lists of calls, one request batch to each service; faults are tried again.

    Args:
        calls: For each environment, its calls of this round.

    Returns:
        Answers in the same shape; a `Fault` where a call failed for good.
    """
    answers: list[list[Any]] = [[None] * len(group) for group in calls]
    batches: dict[Any, list[tuple[int, int, Any]]] = {}
    for i, group in enumerate(calls):
        for j, call in enumerate(group):
            batches.setdefault(call.service, []).append((i, j, call.request))
    for service, batch in batches.items():
        for _ in range(ATTEMPTS):
            got = service([request for _, _, request in batch])
            if len(got) != len(batch):
                raise TypeError(
                    f"{service} returned {len(got)} answers to {len(batch)} requests; "
                    "a service must return one answer or Fault for each request"
                )
            again = []
            for item, value in zip(batch, got, strict=True):
                answers[item[0]][item[1]] = value
                if isinstance(value, Fault) and value.retry:
                    again.append(item)
            if not again:
                break
            batch = again
    return answers
