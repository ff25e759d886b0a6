"""The simulated person as a service: dialogues in, replies out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable
from urllib.parse import parse_qsl

from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.facts import own_replies, reference_of
from colbench_env.humans.leak import measure
from colbench_env.humans.model_played import model_human
from colbench_env.humans.scripted import ScriptedHuman
from colbench_env.models import is_model_spec
from colbench_env.records import Dialogue, Reply


@runtime_checkable
class Human(Protocol):
    """Somebody who answers an assistant's questions about a task.

    Attributes:
        name: Which person it is, as `make_human` takes it.
        version: Changes whenever the same dialogue may get another reply.
    """

    name: str
    version: str

    def reply(self, dialogues: Sequence[Dialogue]) -> list[Reply | Fault]:
        """Answer the last message of each dialogue; one reply or `Fault` for each, in order."""
        ...


class NullHuman:
    """Always says the same sentence: a floor for comparisons, and the cheapest person for timing.

    Args:
        sentence: What it says.
    """

    version = "1"
    name = "null"

    def __init__(self, sentence: str = "I do not know, please do what you think is best.") -> None:
        self.sentence = sentence

    def reply(self, dialogues: Sequence[Dialogue]) -> list[Reply | Fault]:
        """Say the sentence, whatever was asked."""
        replies: list[Reply | Fault] = []
        for dialogue in dialogues:
            said = [*own_replies(dialogue), self.sentence]
            leak = measure(reference_of(dialogue.task), said)
            replies.append(Reply(self.sentence, leak=leak))
        return replies


def make_human(spec: str | Human) -> Human:
    """Return the person that a short name stands for; a `Human` is returned as it is.

    Args:
        spec: `"scripted"`, `"scripted:PERSONA"`, `"scripted?persona=PERSONA&guard=GUARD"`,
            `"null"`, or a model that plays the person: `"openai:MODEL@URL"`, `"hf:MODEL_OR_PATH"`,
            `"replay:FILE"`, with options as `model_human` takes them.

    Raises:
        ConfigError: The name or one of its arguments is unknown.
    """
    if not isinstance(spec, str):
        return spec
    if is_model_spec(spec):
        return model_human(spec)
    kind, _, query = spec.partition("?")
    kind, _, argument = kind.partition(":")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if kind == "scripted":
        if argument:
            options.setdefault("persona", argument)
        unknown = options.keys() - {"persona", "guard"}
        if unknown:
            raise ConfigError(f"human={spec!r}: {min(unknown)!r} is none of persona, guard")
        return ScriptedHuman(**options)
    if kind == "null" and not argument and not options:
        return NullHuman()
    raise ConfigError(
        f"human={spec!r} is unknown; choose 'scripted', 'scripted:PERSONA', 'null', "
        "'openai:MODEL@URL', 'hf:MODEL_OR_PATH', 'replay:FILE' or an object"
    )
