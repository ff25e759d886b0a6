"""What the tiny model can do: success on held-out tasks, and how exactly it copies.

    python benchmarks/tiny_model.py --model tiny

*Success* samples at temperature 1, as training does. *Copying* puts the model at the end of a
dialogue in which everything was asked and told, and takes its likeliest answer: is it, letter by
letter, the function that the answers call for? Tasks of the test split have values that training
never combined; those of the `heldout` split are of families that training never saw.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from random import Random

import torch

from colbench_env.baselines.collection import Arena
from colbench_env.baselines.evaluate import Interval, summarise, wilson
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import Plan
from colbench_env.baselines.tiny_dialogues import SENSIBLE, play
from colbench_env.tasks.procedural import ProceduralTasks


def success(policy: TransformersPolicy, tasks: str, split: str, number: int) -> tuple[str, str]:
    arena = Arena("ColBench/Backend-v0", tasks=tasks, human="scripted", split=split)
    plans = [Plan(i, i, task) for i, task in enumerate(arena.task_ids(number))]
    with tempfile.TemporaryDirectory() as folder:
        episodes = arena.play(policy, plans, Path(folder) / "episodes.jsonl", num_envs=64)
    row = summarise(policy.name, episodes)
    return str(row.success), f"{row.turns:.1f}"


def copying(
    policy: TransformersPolicy, difficulty: int, split: str, number: int
) -> tuple[Interval, list[tuple[str, str]]]:
    tasks = ProceduralTasks(difficulty, split)
    chats = [play(tasks[i], Random(i), SENSIBLE) for i in range(number)]
    prompts = [policy.encode(chat[:-1]) for chat in chats]
    policy.temperature = 0
    answers = [policy.text(done.ids) for done in policy.sample(prompts, range(number))]
    policy.temperature = 1
    wanted = [chat[-1]["content"] for chat in chats]
    wrong = [(w, a) for w, a in zip(wanted, answers, strict=True) if w != a]
    return wilson(number - len(wrong), number), wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="tiny")
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--show", type=int, default=0, help="wrong copies to print")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    policy = load_policy(arguments.model, device="cpu", max_new_tokens=96)
    print("split    difficulty  success % [95 %]        turns  copying % [95 %]")
    for split in ("test", "heldout"):
        for difficulty in (1, 2):
            source = f"procedural?difficulty={difficulty}"
            rate, turns = success(policy, source, split, arguments.tasks)
            copied, wrong = copying(policy, difficulty, split, arguments.tasks)
            print(f"{split:8} {difficulty:10}  {rate:22}  {turns:5}  {copied}")
            for wanted, got in wrong[: arguments.show]:
                print(f"--- wanted\n{wanted}\n--- got\n{got}")


if __name__ == "__main__":
    main()
