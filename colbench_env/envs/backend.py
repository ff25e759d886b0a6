"""Backend programming with a person who knows what they want: `ColBench/Backend-v0`."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from colbench_env import core
from colbench_env.calls import Call, Steps
from colbench_env.core import ENV, CollabEnv
from colbench_env.errors import ConfigError
from colbench_env.humans import Human, facts_for, make_human, measure
from colbench_env.records import Dialogue, Leak, Message, Submission, Task
from colbench_env.rewards import UnitTests, unit_tests
from colbench_env.tasks import TaskSource, load_tasks

ASSISTANT, HUMAN = "assistant_0", "human_0"
ANSWER, OUTPUT = "I WANT TO ANSWER:", "OUTPUT:"
MAX_REPLY = 400  # characters of one reply of the person, as in the paper

ASSISTANT_PROMPT = """\
You are a programmer. The person you talk to needs one Python function and has told you about it \
only in part: what they left open decides whether your function is right.
Ask them about it, one short question at a time. They are no programmer, cannot run code, and \
answer in a sentence or two.
You have {max_turns} messages in all; the last one is taken as your answer.
Whatever you write before the word OUTPUT: is private thought and is not heard.
When you know enough, write I WANT TO ANSWER: and then the complete Python function, with every \
import and helper that it needs. It is run against hidden tests and cannot be changed afterwards."""

HUMAN_PROMPT = """\
You are the person who needs a Python function. You know exactly what it should do: the reference \
function and the facts below are yours alone. A programmer asks you about it.
Answer the question you are asked, as somebody who is no programmer would: in at most two \
sentences and 400 characters, without reading code aloud. Say so when you do not know."""

NOTHING_HEARD = "Nothing was heard: the message held no words outside private thought."
MARKER_IN_THOUGHT = (
    "Nothing was handed in: I WANT TO ANSWER: stood before OUTPUT:, in private thought. "
    "Write it after OUTPUT:, or leave OUTPUT: out."
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """An assistant's message, taken apart.

    Attributes:
        thought: Private thought before `OUTPUT:`.
        text: What the person hears.
        answer: The code handed in, or None for an ordinary message.
        notice: What the assistant is told when nothing could be made of its message.
    """

    thought: str
    text: str
    answer: str | None = None
    notice: str | None = None


def parse(message: str, *, final: bool, rules: str = "fixed") -> Parsed:
    """Take an assistant's message apart.

    Under `rules="fixed"`, thought ends at the first `OUTPUT:` and the code is all that follows
    `I WANT TO ANSWER:`; a marker that stands only in the thought hands nothing in, and the
    assistant is told so, unless a function follows it there (then `OUTPUT:` is part of the code).
    Under `rules="legacy"`, as the original does it, the spoken part lies between the first two
    `OUTPUT:`, the code between the first two markers, and a marker in the thought is lost.

    Args:
        message: As the assistant sent it.
        final: The last turn: the whole message is the answer when there is no marker.
        rules: `"fixed"` or `"legacy"`.

    Returns:
        The parts; code keeps its fences, see `strip_fences`.
    """
    legacy = rules == "legacy"
    before, output, after = message.partition(OUTPUT)
    in_code = not legacy and re.search(r"\b(def|lambda)\b", before.partition(ANSWER)[2])
    if not output or in_code:
        thought, text = "", message
    else:
        thought, text = before, after.partition(OUTPUT)[0] if legacy else after
    text = text.strip()
    said, marker, code = text.partition(ANSWER)
    if marker:
        return Parsed(thought, text, code.partition(ANSWER)[0] if legacy else code)
    if final:
        return Parsed(thought, text, said)
    if ANSWER in thought and not legacy:
        return Parsed(thought, text, notice=MARKER_IN_THOUGHT)
    if not text:
        return Parsed(thought, text, notice=NOTHING_HEARD)
    return Parsed(thought, text)


def strip_fences(answer: str, entry: str) -> str:
    """Return the code of an answer that may be wrapped in Markdown and prose.

    Without fences the answer is the code. With fences it is the blocks up to the last one that
    defines `entry` (the first block when none does), so that helpers in blocks of their own count
    and a usage example after the function does not.
    """
    blocks = re.findall(r"```[^\n`]*\n(.*?)(?:```|\Z)", answer, flags=re.DOTALL)
    if not blocks:
        return answer.replace("```", "").strip()
    define = re.compile(rf"^(async\s+)?def\s+{re.escape(entry)}\b|^{re.escape(entry)}\s*=", re.M)
    last = max((i for i, block in enumerate(blocks) if define.search(block)), default=0)
    return "\n\n".join(block.strip("\n") for block in blocks[: last + 1])


@dataclass(slots=True)
class BackendState(core.State):
    """The episode, and what the person has given away.

    Attributes:
        turn: Messages of the assistant so far.
        leak: How much of the reference the person's words hold, all together.
        told: Ids of the facts told, in order.
    """

    turn: int = 0
    leak: Leak = field(default_factory=Leak)
    told: list[str] = field(default_factory=list)


class BackendEnv(CollabEnv):
    """Ask a person what they want, then write one Python function.

    Agents: `assistant_0`; with `human=None` also `human_0`, and the two take turns.

    Observation: text. The assistant first hears the brief, then the person's replies. The human
    agent first sees its own knowledge (reference and facts), then the assistant's messages.

    Action: text of at most 16,384 characters (the human: 400). What stands before `OUTPUT:` is
    private thought. `I WANT TO ANSWER:` hands in what follows as the code (Markdown fences are
    stripped); the last of `max_turns` messages is the answer, marker or not.

    Reward: 0 until the end, then the fraction of hidden calls on which the answer and the reference
    agree, the same for both agents. `info["score"]` holds `passed` and `success` (all of them).

    Ending: terminated by the answer. Truncated only by a fault of the outside (`info["fault"]`).

    Info: `acts`, `turn`, `max_turns`; `action_clipped` when the message was too long; at the end
    `score`. The leak of the person's words stands in `state()`, not here.

    Protocol: SWEET-RL / ColBench (arXiv 2503.15478, section 3).

    Version history: v0, first version.

    Args:
        tasks: `"builtin"`, `"procedural"`, the path of a JSONL file in ColBench's format, or a
            `TaskSource`; see `colbench_env.tasks.load_tasks`.
        split: `"train"`, `"test"` or None for all.
        human: `"scripted"`, `"null"`, a `Human`, or None (or `"agent"`): an agent plays the person.
        reward: An object with `score(submissions) -> scores`; None: hidden unit tests.
        rules: `"fixed"`, or `"legacy"` for the original's parsing and scoring.
        max_turns: Messages of the assistant, at least 1.
        observation: `"delta"` or `"transcript"`.
        render_mode: None, `"ansi"` or `"human"`.

    Raises:
        ConfigError: An argument has no such value.
    """

    metadata = {**CollabEnv.metadata, "name": "colbench_backend_v0"}
    env_id: ClassVar[str] = "ColBench/Backend-v0"
    State = BackendState
    ep: BackendState

    def __init__(
        self,
        *,
        tasks: str | TaskSource | Sequence[Task] = "builtin",
        split: str | None = None,
        human: str | Human | None = "scripted",
        reward: UnitTests | None = None,
        rules: str = "fixed",
        max_turns: int = 10,
        observation: str = "delta",
        render_mode: str | None = None,
    ) -> None:
        if rules not in ("fixed", "legacy"):
            raise ConfigError(f"rules={rules!r} is unknown; use 'fixed' or 'legacy'")
        if max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {max_turns}")
        self.human = None if human in (None, "agent") else make_human(human)
        agents = [ASSISTANT, HUMAN] if self.human is None else [ASSISTANT]
        super().__init__(
            agents,
            observation=observation,
            render_mode=render_mode,
            max_action={HUMAN: MAX_REPLY},
        )
        self.reward = reward if reward is not None else unit_tests(rules)
        self.rules, self.max_turns = rules, max_turns
        self._task_spec, self._split = tasks, split

    def _load_tasks(self) -> TaskSource:
        return load_tasks(self._task_spec, split=self._split)

    def system_prompt(self, agent: str) -> str:
        """Return the standing instructions of `assistant_0` or `human_0`."""
        if agent == ASSISTANT:
            return ASSISTANT_PROMPT.format(max_turns=self.max_turns)
        return HUMAN_PROMPT

    def training_information(self) -> str:
        """Return the reference code."""
        return str(self.task.private[HUMAN]["reference"])

    def _reset(self) -> Steps[None]:
        if self.human is None:
            self._say(ENV, knowledge(self.task), to=[HUMAN])
        self._say(HUMAN, self.task.brief)
        self._let_act(ASSISTANT)
        self._show_turn()
        yield from ()

    def _step(self, actions: dict[str, str]) -> Steps[None]:
        ep = self.ep
        if HUMAN in actions:
            self._say(HUMAN, actions[HUMAN])
            ep.leak = measure(self.training_information(), self._said_by_human())
            self._let_act(ASSISTANT)
            self._show_turn()
            return
        ep.turn += 1
        said = parse(actions[ASSISTANT], final=ep.turn >= self.max_turns, rules=self.rules)
        self._say(ASSISTANT, said.text, thought=said.thought)
        self._show_turn()
        if said.answer is not None:
            code = strip_fences(said.answer, self.task.hidden["entry"])
            [score] = yield [Call(self.reward.score, Submission(self.task, code))]
            self._end(score)
        elif said.notice is not None:
            self._say(ENV, said.notice, to=[ASSISTANT])
        elif self.human is None:
            self._let_act(HUMAN)
        else:
            dialogue = Dialogue(self.task, self._heard_by_human(), ep.seed)
            [reply] = yield [Call(self.human.reply, dialogue)]
            self._say(HUMAN, reply.text)
            ep.leak = reply.leak
            ep.told.extend(reply.facts)

    def _heard_by_human(self) -> tuple[Message, ...]:
        heard = (m for m in self.ep.log if not m.to)
        return tuple(Message(m.agent, m.text) if m.thought else m for m in heard)

    def _said_by_human(self) -> list[str]:
        return [m.text for m in self.ep.log[1:] if m.agent == HUMAN and not m.to]

    def _show_turn(self) -> None:
        for info in self.ep.info.values():
            info["turn"], info["max_turns"] = self.ep.turn, self.max_turns

    def _plant(self, task: Task, tokens: Mapping[str, str]) -> Task:
        task = super()._plant(task, tokens)
        person = dict(task.private[HUMAN])
        mark = tokens[HUMAN]
        person["reference"] = f"{person['reference']}\n\n# {mark}\n{mark} = None\n"
        calls = [f"{call}  # {tokens['hidden']}" for call in task.hidden["calls"]]
        return dataclasses.replace(
            task,
            private={**task.private, HUMAN: person},
            hidden={**task.hidden, "calls": calls},
        )


def knowledge(task: Task) -> str:
    """Return what whoever plays the person is shown: the facts, then the reference."""
    facts = "\n".join(f"- {fact.text}" for fact in facts_for(task)) or "- (none beyond the code)"
    reference = task.private[HUMAN]["reference"].strip()
    return f"What you know:\n{facts}\n\nThe reference function:\n```python\n{reference}\n```"
