"""A policy played by any language model: zero-shot evaluation, the human's names for the assistant.

`make_policy("openai:MODEL@URL" | "hf:MODEL_OR_PATH" | "replay:FILE")`; the query may hold
`temperature=` and `max_tokens=` beside the model's own options.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from colbench_env.baselines.rollout import Action, Query
from colbench_env.errors import Fault
from colbench_env.models import (
    Completion,
    Model,
    Request,
    make_model,
    raise_final,
    read_temperature,
    split_options,
    spoken,
)

ATTEMPTS = 3  # how often a query that answers with a fault is asked
VERSION = "policy-1"  # in the key of recordings; the prompts are the environment's own


class ModelPolicy:
    """Answers with a language model's words, as the environment's own chat puts the question.

    A `<think>` block is no part of the action. What a local model was shown and wrote is kept as
    token ids with their log-probabilities.

    Args:
        model: A `Model`, or a name that `make_model` takes.
        temperature: 1 by default, as in the paper (SWEET-RL, arXiv 2503.15478); 0 takes the
            likeliest words; None leaves it to the server.
        max_tokens: Longest message, in tokens; 1,024 by default, as in the paper.
    """

    privileged = False

    def __init__(
        self, model: str | Model, *, temperature: float | None = 1.0, max_tokens: int = 1024
    ) -> None:
        self.model = make_model(model)
        self.temperature, self.max_tokens = temperature, max_tokens
        self.name = self.model.name

    def act(self, queries: Sequence[Query]) -> list[Action | Fault]:
        """Answer each query; a `Fault` where the model failed three times.

        Raises:
            ModelError: The model cannot go on at all.
        """
        requests = [self._request(query) for query in queries]
        answers: list[Completion | Fault] = self.model.generate(requests)
        for _ in range(ATTEMPTS - 1):
            raise_final(answers)
            again = [i for i, a in enumerate(answers) if isinstance(a, Fault) and a.retry]
            if not again:
                break
            for i, answer in zip(
                again, self.model.generate([requests[i] for i in again]), strict=True
            ):
                answers[i] = answer
        raise_final(answers)
        return [a if isinstance(a, Fault) else _action(a) for a in answers]

    def _request(self, query: Query) -> Request:
        return Request(
            tuple(query.messages),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=query.seed,
            prompt=VERSION,
        )


def model_policy(spec: str) -> ModelPolicy:
    """Return the policy that a model's name stands for.

    Args:
        spec: As `make_model` takes it, with `temperature=` and `max_tokens=` in the query.

    Raises:
        ConfigError: The name or one of its options is unknown.
    """
    name, options = split_options(spec, OPTIONS)
    return ModelPolicy(name, **options)


OPTIONS: dict[str, Callable[[str], Any]] = {"temperature": read_temperature, "max_tokens": int}


def _action(completion: Completion) -> Action:
    usage = completion.usage
    return Action(
        spoken(completion.text),
        completion.prompt_ids,
        completion.completion_ids,
        completion.logprobs,
        {
            "model": completion.model,
            "finish": completion.finish,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        },
    )
