"""Plain records that travel through the package: frozen dataclasses, JSON both ways.

Data flows as it reads: `Task` -> observation -> action -> `Turn` -> `Score` -> `Episode`.
`Record.to_dict` gives plain JSON-serialisable data, `Record.from_dict` takes it back.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


class Record:
    """Base of the records: `to_dict` and `from_dict` over the dataclass's own fields."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain, JSON-serialisable data that shares nothing with this record."""
        return {name: _plain(getattr(self, name)) for name in _field_types(type(self))}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild a record from `to_dict`'s data.

        Args:
            data: A mapping of field names to values. Fields with defaults may be absent.

        Raises:
            TypeError: A field is unknown, or one without a default is missing.
        """
        known = _field_types(cls)
        unknown = set(data) - set(known)
        if unknown:
            raise TypeError(
                f"{cls.__name__} has no field {sorted(unknown)[0]!r}; it has {', '.join(known)}"
            )
        return cls(**{name: _typed(value, known[name]) for name, value in data.items()})


_known: dict[type, dict[str, Any]] = {}


def _field_types(cls: type) -> dict[str, Any]:
    if cls not in _known:
        hints = typing.get_type_hints(cls)
        _known[cls] = {f.name: hints[f.name] for f in dataclasses.fields(cls)}
    return _known[cls]


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _typed(value: Any, hint: Any) -> Any:
    """Turn nested mappings back into records, and lists back into tuples."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        if value is None:
            return None
        hint = next(h for h in typing.get_args(hint) if h is not type(None))
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Record) and isinstance(value, Mapping):
        return hint.from_dict(value)
    if origin in (tuple, list) and args and isinstance(value, (list, tuple)):
        return origin(_typed(item, args[0]) for item in value)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _typed(item, args[1]) for key, item in value.items()}
    return value


@dataclass(frozen=True, slots=True)
class Fact(Record):
    """One thing that the simulated person knows and the brief leaves open.

    Attributes:
        id: Unique within its task.
        text: The fact as the person would say it: one sentence, no code.
        also: The same fact in other words, for a question asked twice.
        topics: Words that a question about this fact is likely to use and `text` does not hold.
        answers: Literal values the fact settles, by parameter name (procedural tasks only).
    """

    id: str
    text: str
    also: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    answers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task(Record):
    """One problem for a team to solve.

    Attributes:
        id: Stable name, unique within its source.
        brief: What everybody is told at the start.
        private: By agent, what that agent alone knows. `private["human_0"]` of a Backend task
            holds `reference` (code) and `facts` (list of `Fact` dicts).
        hidden: What no agent ever sees: the tests and how to compare.
        split: `"train"` or `"test"`.
        labels: For grouping results in tables (family, difficulty); reaches no agent.
    """

    id: str
    brief: str
    private: Mapping[str, Any] = field(default_factory=dict)
    hidden: Mapping[str, Any] = field(default_factory=dict)
    split: str = "test"
    labels: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message(Record):
    """Something said in the dialogue.

    Attributes:
        agent: Who said it; `"env"` is the environment itself.
        text: What the others hear.
        thought: Private thought that went before it and that nobody else hears.
        to: Who hears it; empty means everybody.
    """

    agent: str
    text: str
    thought: str = ""
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue(Record):
    """What a simulated person is asked to answer: plain data, so replies can be pure functions.

    Attributes:
        task: The task, with the person's private knowledge.
        messages: All that was said so far, oldest first; the last one is to be answered.
        seed: Seed of the person's own noise in this episode.
    """

    task: Task
    messages: tuple[Message, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Submission(Record):
    """What a team hands in, for a reward to score.

    Attributes:
        task: The task it answers.
        content: The work itself: code, HTML, a document.
    """

    task: Task
    content: str


@dataclass(frozen=True, slots=True)
class Leak(Record):
    """How much of the hidden reference the person's replies have given away so far.

    Attributes:
        run: Longest run of consecutive reference tokens found in the replies, in tokens.
        share: Share of the reference's tokens found in the replies, in [0, 1].
    """

    run: int = 0
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply(Record):
    """What a simulated person says.

    Attributes:
        text: The words.
        facts: Ids of the facts told, for analysis; never shown to the learner.
        leak: The leak of all replies of the episode together, this one included.
    """

    text: str
    facts: tuple[str, ...] = ()
    leak: Leak = Leak()


@dataclass(frozen=True, slots=True)
class Score(Record):
    """The verdict on an episode.

    Attributes:
        value: In [0, 1].
        components: Named parts ("passed", "success", "similarity"), plain floats.
        details: Anything else worth recording, safe to show to the learner.
    """

    value: float
    components: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn(Record):
    """One agent's part in one step.

    Attributes:
        agent: Who acted.
        step: Index of the environment step, from 0.
        observation: What the agent saw before it acted.
        action: What it sent, as the environment took it (clipped, sanitised).
        reward: This step's reward.
        prompt_ids: Token ids of the prompt as sent to the policy; None for a policy without tokens.
        completion_ids: Token ids sampled by the policy.
        logprobs: Behaviour log-probability of each completion token.
        extra: Whatever else the collector records (leak, facts told, policy name).
    """

    agent: str
    step: int
    observation: str
    action: str
    reward: float = 0.0
    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Episode(Record):
    """One finished episode.

    Attributes:
        env_id: The registered id, version included.
        task_id: Which task was played.
        seed: The seed given to `reset`.
        turns: Every acting agent's turns, in order.
        messages: The dialogue as everybody could hear it.
        score: The verdict; None where a fault ended the episode.
        return_: Sum of the rewards by agent.
        terminated: The work ended.
        truncated: Something else ended the episode.
        fault: What failed outside, if anything did.
        labels: The task's labels.
        extra: Whatever else the collector records (versions, isolation level, policy).
    """

    env_id: str
    task_id: str
    seed: int
    turns: tuple[Turn, ...]
    messages: tuple[Message, ...] = ()
    score: Score | None = None
    return_: Mapping[str, float] = field(default_factory=dict)
    terminated: bool = False
    truncated: bool = False
    fault: str | None = None
    labels: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
