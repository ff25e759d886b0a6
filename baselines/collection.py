"""Episodes for training and for evaluation: played by all processes, kept in a file, resumable."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.progress import track

from colbench_env.baselines.batch import Row, rows_from_turns
from colbench_env.baselines.evaluate import Row as Results
from colbench_env.baselines.evaluate import summarise
from colbench_env.baselines.logger import Logger
from colbench_env.baselines.losses import kl_estimate
from colbench_env.baselines.parallel import gather, rank, share, world_size
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.rollout import Plan, Policy, collect
from colbench_env.core import CollabEnv
from colbench_env.episodes import EpisodeWriter, read_episodes
from colbench_env.errors import ConfigError
from colbench_env.records import Episode
from colbench_env.registration import env_class, find_env
from colbench_env.version import __version__

PER_ROUND = 4  # evaluations in the training of a round, for the learning curve


class Arena:
    """One environment on one set of tasks, ready to be played many times at once.

    Args:
        env: The environment's name.
        **settings: Its arguments.
    """

    def __init__(self, env: str, **settings: Any) -> None:
        self.env: CollabEnv = env_class(env)(**settings)
        self._run = {
            "env": find_env(env),
            "settings": {k: str(v) for k, v in settings.items()},
            "version": __version__,
        }

    def make(self) -> CollabEnv:
        """Return a fresh environment that shares people and scorers with all others from here."""
        return copy.copy(self.env)

    def task_ids(self, number: int, start: int = 0) -> list[str]:
        """Return the ids of `number` tasks from position `start`, wrapping around."""
        tasks = self.env.tasks
        return [tasks[(start + i) % len(tasks)].id for i in range(number)]

    def training_information(self, task_id: str) -> str:
        """Return what a privileged critic may see of this task."""
        env = self.make()
        env.task = env.tasks.get(task_id)
        return env.training_information()

    def play(
        self,
        policy: Policy | Mapping[str, Policy],
        plans: Sequence[Plan],
        file: Path,
        *,
        num_envs: int = 32,
        snapshots: bool = False,
    ) -> list[Episode]:
        """Play the plans that the file does not hold yet; returns all episodes, in order.

        With several processes each plays its share into a file of its own.

        Args:
            policy: One policy for all agents, or one by agent name.
            plans: What to play; every process is given all of them.
            file: Episode file (JSON lines), begun or gone on with.
            num_envs: How many environments live at once, in each process.
            snapshots: Keep the state before each turn, to branch from.
        """
        if world_size() > 1:
            file = file.with_name(f"{file.stem}-{rank()}{file.suffix}")
        mine = share(list(plans))
        with EpisodeWriter(file, self._run) as writer:
            todo = [plan for plan in mine if plan.index not in writer.done]
            played = collect(
                self.make, policy, todo, num_envs=num_envs, overlap=True, snapshots=snapshots
            )
            for episode in track(played, file.stem, total=len(todo), disable=rank() > 0):
                writer.append(episode)
        wanted = {plan.index for plan in mine}
        episodes = [e for e in read_episodes(file) if e.extra["index"] in wanted]
        return sorted(gather(episodes), key=lambda episode: episode.extra["index"])


def grouped(episodes: Sequence[Episode], group_size: int) -> list[list[Episode]]:
    """Return the groups of episodes that began alike, without those that a fault spoilt.

    A fault of the outside drops its whole group: nobody may profit from provoking faults.

    Args:
        episodes: With `extra["index"]`, as `rollout.group_plans` numbers them.
        group_size: Episodes a group.
    """
    groups: dict[int, list[Episode]] = {}
    for episode in episodes:
        groups.setdefault(episode.extra["index"] // group_size, []).append(episode)
    return [group for group in groups.values() if all(e.score is not None for e in group)]


def collection_metrics(episodes: Sequence[Episode], group_size: int) -> dict[str, float]:
    """Return what to log of collected episodes.

    `equal_groups` is the share of groups whose scores are all equal: they hold no preference.
    """
    groups = grouped(episodes, group_size)
    row = summarise("policy", [e for group in groups for e in group])
    scores = [{round(score_of(e), 9) for e in group} for group in groups]
    equal = sum(len(s) == 1 for s in scores)
    return {
        **row_metrics(row),
        "fault_groups": len(episodes) / group_size - len(groups),
        "equal_groups": equal / len(groups) if groups else 0.0,
        "entropy": entropy(episodes),
    }


def score_of(episode: Episode) -> float:
    """Return the score of an episode that has one.

    Raises:
        ConfigError: A fault ended it.
    """
    if episode.score is None:
        raise ConfigError(f"episode {episode.extra.get('index')} has no score: {episode.fault}")
    return episode.score.value


def row_metrics(row: Results) -> dict[str, float]:
    """Return a row of results as numbers to log."""
    return {
        "success": row.success.mean,
        "success_low": row.success.low,
        "success_high": row.success.high,
        "passed": row.passed.mean,
        "turns": row.turns,
        "leak": row.leak,
        "faults": float(row.faults),
    }


def entropy(episodes: Sequence[Episode]) -> float:
    """Estimate the policy's entropy a token: minus the mean behaviour log-probability."""
    sampled = [p for e in episodes for turn in e.turns for p in turn.logprobs or ()]
    return -sum(sampled) / len(sampled) if sampled else 0.0


def learner_rows(episode: Episode) -> list[Row]:
    """Return the rows to train on of an episode with one learner."""
    return rows_from_turns(episode.turns)


class Evaluation:
    """Evaluate the policy that is being trained, always on the same tasks and seeds.

    Args:
        arena: Where; its first tasks are played.
        policy: Whom.
        logger: Gets the results under the stage "evaluate".
        tasks: How many tasks, one episode each; 0 turns the evaluation off.
        seed: Of the first episode.
        folder: Where the episodes go.
    """

    def __init__(
        self,
        arena: Arena,
        policy: TransformersPolicy,
        logger: Logger,
        *,
        tasks: int,
        seed: int,
        folder: Path,
    ) -> None:
        self._arena, self._policy, self._logger = arena, policy, logger
        self._plans = [Plan(i, seed + i, t) for i, t in enumerate(arena.task_ids(tasks))]
        self._folder = folder
        self._initial = policy.reference() if tasks else policy

    def __call__(self, step: int) -> None:
        """Evaluate for the `step`th time.

        Raises:
            AlarmError: The policy has collapsed, or left its reference, or leaks.
        """
        if not self._plans:
            return
        file = self._folder / f"evaluate-{step}.jsonl"
        episodes = self._arena.play(self._policy, self._plans, file, num_envs=64)
        row = summarise(self._policy.name, episodes)
        rows = [r for e in episodes for r in learner_rows(e)]
        if rank() == 0:
            print(f"evaluation {step}: success {row.success} %, {row.turns:.1f} turns")
            kl = divergence(rows, self._initial.score(rows))
            metrics = {**row_metrics(row), "entropy": entropy(episodes), "kl": kl}
            self._logger.log("evaluate", step, metrics)

    @property
    def success(self) -> float:
        """The latest success rate on file; 0 before there is one, and in all processes but one."""
        last = self._logger.last("evaluate")
        return last["success"] if last else 0.0

    def during(self, round_: int) -> Callable[[int, int], None]:
        """Return a callback for `optimise.fit` that evaluates PER_ROUND times in a round.

        The evaluation before any training is number 0, that at the end of round r (from 0) number
        `PER_ROUND * (r + 1)`.
        """

        def after_step(done: int, total: int) -> None:
            if PER_ROUND * done // total > PER_ROUND * (done - 1) // total:
                self(PER_ROUND * round_ + PER_ROUND * done // total)

        return after_step


def divergence(rows: Sequence[Row], ref_logprobs: Sequence[torch.Tensor]) -> float:
    """Estimate KL(behaviour || reference) a token from rows that the behaviour policy sampled."""
    behaviour = torch.tensor([p for row in rows for p in row.logprobs])[None]
    mask = torch.tensor([m for row in rows for m in row.action_mask])[None]
    if not rows:
        return 0.0
    return float(kl_estimate(behaviour, torch.cat(list(ref_logprobs))[None], mask))
