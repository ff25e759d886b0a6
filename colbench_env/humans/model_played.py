"""A person played by a language model, who knows what the scripted one knows.

In the chat that the model sees the roles are flipped: the person's own words are its `assistant`
turns and the programmer's are `user` turns, so that a model that was trained to be an assistant
goes on speaking as the person. Small models keep to their part better when they complete a
transcript (`style="transcript"`) than when they chat.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.facts import HUMAN, knowledge, knowledge_of, own_replies
from colbench_env.humans.leak import check_guard, guarded
from colbench_env.humans.personas import get_persona
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
from colbench_env.records import Dialogue, Fact, Message, Reply, Task

STYLES = ("chat", "transcript")
MAX_CHARACTERS = 400  # of a reply, as in the paper
MAX_HEARD = 2_000  # characters of one message of the programmer that the person takes in


class ModelHuman:
    """Answers with a language model's words.

    The model is shown the brief, the reference and the dialogue, as in the paper (SWEET-RL, arXiv
    2503.15478, section 3), and the facts stated with the task. The transcript style leaves brief
    and reference out; where a task states no facts, it shows those derived from the reference. A
    reply is cut to 400 characters, at the end of a sentence where there is one.

    Args:
        model: A `Model`, or a name that `make_model` takes.
        style: `"chat"`, or `"transcript"`: a dialogue to complete, for small models.
        persona: Name of a persona; the same names as the scripted person's.
        guard: What to do about a reply that leaks the reference (`leak.GUARDS`).
        temperature: 0, as in the paper, takes the likeliest words; None leaves it to the server.
        max_tokens: Longest reply, in tokens.

    Raises:
        ConfigError: An argument is unknown.
    """

    def __init__(
        self,
        model: str | Model,
        *,
        style: str = "chat",
        persona: str = "plain",
        guard: str = "measure",
        temperature: float | None = 0.0,
        max_tokens: int = 160,
    ) -> None:
        if style not in STYLES:
            raise ConfigError(f"style={style!r} is unknown; use one of {', '.join(STYLES)}")
        self.model = make_model(model)
        self.style, self.persona = style, get_persona(persona).name
        self.guard = check_guard(guard)
        self.temperature, self.max_tokens = temperature, max_tokens
        self.prompts = load_prompts("backend")
        self.version = f"backend-{style}-{self.prompts['version']}"
        self.name = f"{self.model.name}?style={style}&persona={self.persona}&guard={guard}"

    def __deepcopy__(self, memo: dict[int, Any]) -> ModelHuman:
        return self  # calls batch by object: copies of an environment share the person

    def reply(self, dialogues: Sequence[Dialogue]) -> list[Reply | Fault]:
        """Answer the last message of each dialogue.

        Raises:
            ModelError: The model cannot go on at all.
            TaskError: A task holds no reference for the person.
        """
        answers = self.model.generate([self.request(dialogue) for dialogue in dialogues])
        raise_final(answers)
        return [self._reply(d, answer) for d, answer in zip(dialogues, answers, strict=True)]

    def request(self, dialogue: Dialogue) -> Request:
        """Return what the model is asked for the reply to a dialogue's last message."""
        persona = self.prompts["personas"][self.persona]
        shown = {
            "brief": dialogue.task.brief.strip(),
            "facts": "\n".join(f"- {fact.text}" for fact in self._facts(dialogue.task)),
            "reference": knowledge_of(dialogue.task)["reference"].strip(),
            "persona": f" {persona}" if persona else "",
        }
        said = _without_brief(dialogue)
        prompt = self.prompts[self.style]
        chat: tuple[Mapping[str, str], ...] = ()
        text, stop = "", ()
        if self.style == "chat":
            system = prompt["system"].format(**shown).strip()
            chat = ({"role": "system", "content": system}, *_flipped(said))
        else:
            lines = [
                prompt["own" if m.agent == HUMAN else "other"].format(text=_one_line(_heard(m)))
                for m in said
            ]
            text = prompt["text"].format(**shown, dialogue="\n".join(lines)).lstrip()
            stop = tuple(prompt["stop"])
        return Request(
            chat,
            text,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            stop=stop,
            seed=dialogue.seed,
            task=dialogue.task.id,
            prompt=f"{self.version}/{self.persona}",
        )

    def _reply(self, dialogue: Dialogue, answer: Completion | Fault) -> Reply | Fault:
        if isinstance(answer, Fault):
            return answer
        text = shorten(spoken(answer.text))
        if not text:
            again = self.temperature != 0  # else the same request gets the same answer
            return Fault(self.model.name, "empty reply", "the model said nothing", retry=again)
        reference = knowledge_of(dialogue.task)["reference"]
        text, leak = guarded(reference, own_replies(dialogue), text, self.guard)
        facts = tuple(
            fact.id
            for fact in self._facts(dialogue.task)
            if any(wording in text for wording in (fact.text, *fact.also))
        )
        return Reply(text, facts, leak)

    def _facts(self, task: Task) -> tuple[Fact, ...]:
        """What the prompt says beside the reference, or, in a transcript, in place of it."""
        stated = knowledge_of(task).get("facts") or ()
        if not stated and self.style == "transcript":
            return knowledge(task).facts
        return tuple(Fact.from_dict(fact) for fact in stated)


@cache
def load_prompts(name: str) -> dict[str, Any]:
    """Return the prompts of a kind of person (`"backend"`), as the data file holds them."""
    file = files("colbench_env.humans").joinpath(f"prompts/{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


@lru_cache(maxsize=256)
def model_human(spec: str) -> ModelHuman:
    """Return the person that a model's name stands for, the same object each time.

    Args:
        spec: As `make_model` takes it, with the person's own options in the query:
            `openai:MODEL@URL?persona=terse&guard=refuse&style=chat&temperature=0&max_tokens=160`.

    Raises:
        ConfigError: The name or one of its options is unknown.
    """
    name, options = split_options(spec, OPTIONS)
    return ModelHuman(name, **options)


OPTIONS: dict[str, Callable[[str], Any]] = {
    "style": str,
    "persona": str,
    "guard": str,
    "temperature": read_temperature,
    "max_tokens": int,
}


def shorten(text: str) -> str:
    """Return at most 400 characters of a reply, whole sentences if the second half holds an end."""
    text = text.strip()
    if len(text) <= MAX_CHARACTERS:
        return text
    text = text[:MAX_CHARACTERS]
    ends = [m.end() for m in re.finditer(r"[.!?](?=\s)", text)]
    return text[: ends[-1]] if ends and ends[-1] > MAX_CHARACTERS // 2 else text


def _without_brief(dialogue: Dialogue) -> tuple[Message, ...]:
    """The messages after the person's opening, which the system prompt tells."""
    first = dialogue.messages[:1]
    opening = first and first[0].agent == HUMAN and first[0].text == dialogue.task.brief
    return dialogue.messages[1:] if opening else dialogue.messages


def _flipped(messages: Sequence[Message]) -> list[dict[str, str]]:
    """The chat with the person as `assistant`; neighbours of one role become one turn."""
    chat: list[dict[str, str]] = []
    for message in messages:
        role = "assistant" if message.agent == HUMAN else "user"
        if chat and chat[-1]["role"] == role:
            chat[-1]["content"] += "\n\n" + _heard(message)
        else:
            chat.append({"role": role, "content": _heard(message)})
    return chat


def _heard(message: Message) -> str:
    if len(message.text) <= MAX_HEARD:
        return message.text
    return message.text[:MAX_HEARD] + " [...]"


def _one_line(text: str) -> str:
    return " ".join(text.split())
