"""Steps per CPU-second of the Backend environment, against other text environments, in one run.

Scoring is left out (a reward of the benchmark's own), so that the environment's own cost shows. A
peer that is not installed is named and left out:

Run it: python benchmarks/env_throughput.py
    pip install gem-llm textarena    # to compare; both pull in much, so use an environment for it
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import gymnasium as gym
from rich.console import Console
from rich.table import Column, Table

import colbench_env
from colbench_env.baselines.scripted import GENERIC_QUESTIONS
from colbench_env.envs.backend import BackendEnv
from colbench_env.records import Score
from colbench_env.spaces import Utterance

SECONDS, ROUNDS = 0.4, 7
QUESTIONS = [*GENERIC_QUESTIONS, "I WANT TO ANSWER: def f(): return None"]
# What "no scoring" and a "null human" mean here: both answer at once with a constant.


class NoScoring:
    def score(self, submissions):
        return [Score(0.0)] * len(submissions)


class RawTextEnv(gym.Env):
    """The least that a text environment can do: hand back a constant."""

    observation_space = action_space = Utterance(1_000)

    def __init__(self):
        self.turn = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.turn = 0
        return "hello", {}

    def step(self, action):
        self.turn += 1
        return "go on", 0.0, self.turn == 10, False, {}


def play_gymnasium(make: Callable[[], gym.Env]) -> Callable[[], int]:
    env = make()
    seed = iter(range(10**9))

    def episode() -> int:
        env.reset(seed=next(seed) % 64)
        for turn, question in enumerate(QUESTIONS, 1):
            if env.step(question)[2]:
                return turn
        return len(QUESTIONS)

    return episode


def play_parallel(**kwargs) -> Callable[[], int]:
    env = BackendEnv(reward=NoScoring(), **kwargs)
    seed = iter(range(10**9))

    def episode() -> int:
        env.reset(seed=next(seed) % 64)
        for question in QUESTIONS:
            env.step({"assistant_0": question})
        return len(QUESTIONS)

    return episode


def play_vector(n: int, **kwargs) -> Callable[[], int]:
    envs = gym.make_vec("ColBench/Backend-v0", n, reward=NoScoring(), **kwargs)
    envs.reset(seed=0)
    batches = [(question,) * n for question in QUESTIONS]

    def episode() -> int:
        for batch in batches:
            envs.step(batch)
        envs.step(batches[0])  # the step that resets
        return n * len(QUESTIONS)

    return episode


def peer_gem() -> Callable[[], int]:
    import gem

    env = gem.make("game:GuessTheNumber-v0-easy")
    seed = iter(range(10**9))

    def episode() -> int:
        env.reset(seed=next(seed))
        for turn in range(1, 51):
            if any(env.step(f"\\boxed{{{turn}}}")[2:4]):
                return turn
        return 50

    return episode


def peer_textarena() -> Callable[[], int]:
    """Two players who talk: nearest to a dialogue of what runs without a model or a download."""
    import textarena

    env = textarena.make("TruthAndDeception-v0")
    seed = iter(range(10**9))

    def episode() -> int:
        env.reset(num_players=2, seed=next(seed))
        for turn in range(1, 51):
            env.get_observation()
            if env.step(QUESTIONS[turn % 9])[0]:
                return turn
        return 50

    return episode


CASES: dict[str, Callable[[], Callable[[], int]]] = {
    "gymnasium: raw text env": lambda: play_gymnasium(RawTextEnv),
    "Backend, null human, parallel API": lambda: play_parallel(human="null"),
    "Backend, scripted human and leak measure, parallel API": play_parallel,
    "Backend, scripted human, gym.make": lambda: play_gymnasium(
        lambda: gym.make("ColBench/Backend-v0", reward=NoScoring())
    ),
    "Backend, scripted human, gym.make_vec of 16": lambda: play_vector(16),
    "GEM: GuessTheNumber-v0-easy": peer_gem,
    "textarena: TruthAndDeception-v0": peer_textarena,
}


def rate(episode: Callable[[], int]) -> float:
    steps, begun = 0, time.process_time()
    while time.process_time() - begun < SECONDS:
        steps += episode()
    return steps / (time.process_time() - begun)


def memory_per_environment(count: int = 200) -> float:
    """Bytes of one more environment in the middle of an episode, beside the shared tasks."""
    BackendEnv().reset(seed=0)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    envs = [BackendEnv(reward=NoScoring()) for _ in range(count)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed % 64)
        for question in QUESTIONS[:-1]:
            env.step({"assistant_0": question})
    used = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return used / count


def in_process(case: str) -> None:
    """Time one case; prints JSON. Each case runs in a process of its own, in turn."""
    try:
        episode = CASES[case]()
    except ImportError as error:
        print(json.dumps({"missing": error.name}))
        return
    episode()
    print(json.dumps({"rates": [rate(episode) for _ in range(ROUNDS)]}))


def main() -> None:
    results = {}
    for case in CASES:
        out = subprocess.run(
            [sys.executable, __file__, case], capture_output=True, text=True, check=True
        ).stdout
        results[case] = json.loads(out.strip().splitlines()[-1])
    rates = {k: statistics.median(v["rates"]) for k, v in results.items() if "rates" in v}
    arena = rates.get("textarena: TruthAndDeception-v0")
    table = Table(
        "environment",
        Column("steps/CPU-s", justify="right"),
        Column("x textarena", justify="right"),
    )
    for case, result in results.items():
        if case not in rates:
            table.add_row(case, f"not installed ({result['missing']})", "")
        else:
            ratio = f"{rates[case] / arena:.1f}" if arena else ""
            table.add_row(case, f"{rates[case]:,.0f}", ratio)
    console = Console()
    console.print(table)
    console.print(
        f"memory of one more environment in mid-episode: {memory_per_environment() / 1e3:.1f} kB "
        f"(colbench-env {colbench_env.__version__}, Python {sys.version.split()[0]})",
        highlight=False,
    )


if __name__ == "__main__":
    in_process(sys.argv[1]) if len(sys.argv) > 1 else main()
