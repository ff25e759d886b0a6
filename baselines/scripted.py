"""Policies without a model: assistants for the Backend environment, and random words for any.

Each is a pure function of the query, so one object plays any number of episodes at once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from colbench_env.baselines import scripted_frontend
from colbench_env.baselines.model_policy import model_policy
from colbench_env.baselines.rollout import Action, Policy, Query
from colbench_env.errors import ConfigError
from colbench_env.models import is_model_spec
from colbench_env.tasks import procedural

GENERIC_QUESTIONS = (
    "What should happen when the input is empty or missing?",
    "What exactly should the function return?",
    "Are there any limits or thresholds that matter, and do they include the limit itself?",
    "Are there fixed numbers, rates or constants that I should use?",
    "How should results be rounded or formatted?",
    "In which order should results come, and how are ties broken?",
    "What should happen with invalid or unknown input?",
    "Which units are the arguments in?",
    "Is there anything else I should know?",
)


def hand_in(code: str) -> str:
    """Return the message that hands in this code."""
    return f"I WANT TO ANSWER:\n```python\n{code.strip()}\n```"


def heard(query: Query) -> tuple[str, list[str], list[str]]:
    """Return the brief, what the policy said, and what it was told after each of its messages."""
    chat = [m for m in query.messages if m["role"] != "system"]
    said = [m["content"] for m in chat if m["role"] == "assistant"]
    replies = [m["content"] for m in chat[1:] if m["role"] == "user"]
    return chat[0]["content"], said, replies


def stub(brief: str) -> str:
    """Return a function with the brief's signature that returns None."""
    found = re.findall(r"def\s+(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", brief)
    name, arguments = found[-1] if found else ("solve", "*args")
    return f"def {name}({arguments}):\n    return None"


class ScriptedPolicy:
    """A policy that answers one query at a time.

    Args:
        name: For tables and files.
        act: From a query to a message.
        privileged: Whether it is shown the hidden task.
    """

    def __init__(self, name: str, act: Callable[[Query], str], privileged: bool = False) -> None:
        self.name, self.privileged, self._act = name, privileged, act

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Answer each query."""
        return [Action(self._act(query)) for query in queries]


def answer_at_once(query: Query) -> str:
    """Hand in a guess without asking: the family's usual values, else a function of no effect."""
    brief, _, _ = heard(query)
    solver = procedural.recognise(brief)
    return hand_in(solver.code({}) if solver else stub(brief))


def ask(query: Query) -> str:
    """Ask one question for each thing the brief leaves open, then use the answers.

    It knows the procedural families as a programmer knows their trade (which questions matter, how
    the code goes), not what the person wants. On other tasks it asks generic questions.
    """
    brief, said, replies = heard(query)
    solver = procedural.recognise(brief)
    if solver is None:
        return ask_generic(query)
    questions = solver.questions
    if len(said) < len(questions):
        return questions[len(said)].text
    read = {q.parameter: solver.read(q, r) for q, r in zip(questions, replies, strict=False)}
    return hand_in(solver.code({name: v for name, v in read.items() if v is not None}))


def ask_and_ignore(query: Query) -> str:
    """Ask as `ask` does, then hand in what `answer_at_once` would have."""
    brief, said, _ = heard(query)
    solver = procedural.recognise(brief)
    if solver and len(said) < len(solver.questions):
        return solver.questions[len(said)].text
    return answer_at_once(query)


def ask_generic(query: Query) -> str:
    """Ask nine questions that fit any task, then hand in a function of no effect."""
    brief, said, _ = heard(query)
    if len(said) < min(len(GENERIC_QUESTIONS), query.info["max_turns"] - 1):
        return GENERIC_QUESTIONS[len(said)]
    return hand_in(stub(brief))


def oracle(query: Query) -> str:
    """Hand in the hidden reference: the upper mark."""
    assert query.task is not None
    return hand_in(query.task.private["human_0"]["reference"])


def random_words(query: Query) -> str:
    """Say random words from the brief, and hand them in with probability 1/10."""
    rng = np.random.default_rng(query.seed)
    words = query.messages[1]["content"].split() or ["?"]
    text = " ".join(rng.choice(words, size=8))
    return f"I WANT TO ANSWER: {text}" if rng.random() < 0.1 else text


POLICIES: Mapping[str, tuple[Callable[[Query], str], bool]] = {
    "answer-at-once": (answer_at_once, False),
    "ask": (ask, False),
    "ask-and-ignore": (ask_and_ignore, False),
    "ask-generic": (ask_generic, False),
    "draft": (scripted_frontend.draft, False),
    "draft-and-ignore": (scripted_frontend.draft_and_ignore, False),
    "draft-once": (scripted_frontend.draft_once, False),
    "oracle": (oracle, True),
    "random": (random_words, False),
}


def make_policy(spec: str | Policy | Any) -> Policy:
    """Return the policy of this name, or the object itself when it is one.

    Raises:
        ConfigError: No policy is called so.
    """
    if not isinstance(spec, str):
        policy: Policy = spec
        return policy
    if after := re.fullmatch(r"oracle-after-(\d+)", spec):
        from colbench_env.baselines.oracles import OracleAfter  # it imports this module

        return OracleAfter(int(after[1]))
    if is_model_spec(spec):
        return model_policy(spec)
    if spec not in POLICIES:
        known = ", ".join([*POLICIES, "oracle-after-N", "openai:...", "hf:...", "replay:..."])
        raise ConfigError(f"no policy is called {spec!r}; choose from {known}")
    act, privileged = POLICIES[spec]
    return ScriptedPolicy(spec, act, privileged)
