"""Dialogues of scripted assistants of mixed quality, from which the tiny model learns to talk.

Each assistant plays a procedural task with the scripted person. At every turn it asks for something
that the brief leaves open, or asks something senseless, or answers; when it answers it uses what it
was told, or mistakes a value for what a programmer would assume. So a model that imitates them
fails by its behaviour, which reinforcement learning can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from colbench_env.errors import ConfigError
from colbench_env.humans import make_human
from colbench_env.records import Dialogue, Message, Reply, Task
from colbench_env.tasks import procedural

SENSELESS = (
    "Do you like tabs or spaces?",
    "Shall I write a poem about it?",
    "Is it raining where you are?",
    "How tall are you?",
    "Do you have a dog?",
    "Who is your favourite singer?",
    "Did you have lunch already?",
    "Can you play chess?",
)
MARKER = "I WANT TO ANSWER:"

Chat = list[dict[str, str]]


@dataclass(frozen=True, slots=True)
class Habits:
    """How often an assistant does what; the rest of the time it asks a sensible question.

    Attributes:
        early: It answers although something is still open.
        senseless: It asks a senseless question.
        mistaken: In its answer it mistakes a value that it was told.
    """

    early: float = 0.25
    senseless: float = 0.2
    mistaken: float = 0.1


SENSIBLE = Habits(0.0, 0.0, 0.0)


def play(task: Task, rng: Random, habits: Habits, max_turns: int = 10) -> Chat:
    """Play one task to the end.

    Args:
        task: A procedural task.
        rng: Decides what the assistant does.
        habits: How often it does what.
        max_turns: Most messages of the assistant.

    Returns:
        The chat, `[{"role", "content"}, ...]`, from the brief to the answer.

    Raises:
        ConfigError: The task is of no procedural family.
    """
    solver = procedural.recognise(task.brief)
    if solver is None:
        raise ConfigError(f"task {task.id!r} is none of the procedural source")
    human = make_human("scripted")
    log = [Message("human_0", task.brief)]
    waiting, told = list(solver.questions), {}
    while len(log) // 2 < max_turns - 1:
        draw = rng.random()
        asks = draw < habits.senseless
        if not asks and (not waiting or draw < habits.senseless + habits.early):
            break
        question = None if asks else waiting.pop(0)
        wordings = SENSELESS if question is None else (question.text, *question.also)
        log.append(Message("assistant_0", rng.choice(wordings)))
        [reply] = human.reply([Dialogue(task, tuple(log))])
        assert isinstance(reply, Reply)
        log.append(Message("human_0", reply.text))
        value = None if question is None else solver.read(question, reply.text)
        if question is not None and value is not None and rng.random() >= habits.mistaken:
            told[question.parameter] = value
    log.append(Message("assistant_0", f"{MARKER}\n{solver.code(told)}"))
    roles = {"human_0": "user", "assistant_0": "assistant"}
    return [{"role": roles[m.agent], "content": m.text} for m in log]


def dialogues(
    number: int, seed: int, *, difficulties: Sequence[int], habits: Habits
) -> Iterator[Chat]:
    """Yield dialogues on tasks of the training split, family after family.

    Args:
        number: How many.
        seed: Of the assistants; the tasks are the source's first.
        difficulties: Of the tasks, in turn.
        habits: Of the assistants.
    """
    rng = Random(seed)
    sources = [procedural.ProceduralTasks(d, "train") for d in difficulties]
    for i in range(number):
        task = sources[i % len(sources)][i // len(sources)]
        yield play(task, rng, habits)
