"""Play episodes: many environments at once, one batch of queries to the policy a round."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol

from colbench_env.calls import Steps, drive
from colbench_env.core import CollabEnv
from colbench_env.errors import Fault, FaultError
from colbench_env.records import Episode, Task, Turn


@dataclass(frozen=True, slots=True)
class Query:
    """What a policy is asked: one agent's turn in one environment.

    Attributes:
        agent: Whose turn it is.
        observation: What the agent has newly heard.
        messages: Its chat so far, `[{"role", "content"}, ...]`, system prompt first.
        info: The agent's info.
        seed: For the policy's own noise at this turn: the same episode asks with the same seed.
        task: The task with its hidden part, for policies whose `privileged` is True; else None.
        training_information: What a privileged critic may see, for the same policies; else None.
    """

    agent: str
    observation: str
    messages: Sequence[Mapping[str, str]]
    info: Mapping[str, Any]
    seed: int
    task: Task | None = None
    training_information: str | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """What a policy answers.

    Attributes:
        text: What is sent to the environment.
        prompt_ids: Token ids of the prompt as sent, for policies that have tokens.
        completion_ids: Token ids sampled.
        logprobs: Behaviour log-probability of each sampled token.
        extra: Whatever else the episode should record.
    """

    text: str
    prompt_ids: tuple[int, ...] | None = None
    completion_ids: tuple[int, ...] | None = None
    logprobs: tuple[float, ...] | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


class Policy(Protocol):
    """Anything that answers batches of queries.

    Attributes:
        name: For tables and files.
        privileged: Whether it is shown the hidden task (oracles, never learners).
    """

    name: str
    privileged: bool

    def act(self, queries: Sequence[Query]) -> Sequence[Action | Fault]:
        """Answer each query, in order; a `Fault` truncates its episode and is nobody's score."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """One episode to play.

    Attributes:
        index: Its number in the run; kept in `episode.extra["index"]`.
        seed: For `reset`, and for the policy's own noise.
        task: Which task; None lets the seed pick one.
        start: A snapshot to begin from instead of `reset` (`turn.extra["snapshot"]`, when they are
            kept): a branch. Only the turns from there on are recorded.
        noise: With `start`, the seed of the outside's noise from there on; None: the same noise
            again (common random numbers).
        policy_seed: Seed of the policy's noise, when it is not to be `seed`.
    """

    index: int
    seed: int
    task: str | None = None
    start: Mapping[str, Any] | None = None
    noise: int | None = None
    policy_seed: int | None = None


def group_plans(tasks: Sequence[str], group_size: int, seed: int = 0) -> list[Plan]:
    """Plan `group_size` episodes on each task, one group after the other.

    Args:
        tasks: Task ids.
        group_size: Episodes a task; `index // group_size` is an episode's group.
        seed: Of the first episode; the others count up.
    """
    return [Plan(i, seed + i, tasks[i // group_size]) for i in range(len(tasks) * group_size)]


@dataclass(slots=True)
class _Live:
    plan: Plan
    env: CollabEnv
    observations: dict[str, str]
    infos: dict[str, dict[str, Any]]
    turns: list[Turn] = field(default_factory=list)


def collect(
    make: Callable[[], CollabEnv],
    policy: Policy | Mapping[str, Policy],
    plans: Sequence[Plan],
    *,
    num_envs: int = 16,
    overlap: bool = False,
    snapshots: bool = False,
) -> Iterator[Episode]:
    """Play the planned episodes, `num_envs` at a time, and yield each as it ends.

    A finished environment begins the next planned episode at once, so the batch stays full.

    Args:
        make: Builds the environment; it is copied for the others, which so share its services.
        policy: One policy for all agents, or one by agent name.
        plans: What to play.
        num_envs: How many environments live at once.
        overlap: Play in two halves: while the policy answers for one, the other's calls to people
            and scorers run in a thread. The episodes are the same.
        snapshots: Keep in each `turn.extra["snapshot"]` the state before it, to branch from.

    Yields:
        Episodes in the order in which they end; `extra["index"]` says which plan each is.
    """
    if not plans:
        return
    first = make()
    envs = [first, *(copy.copy(first) for _ in range(min(num_envs, len(plans)) - 1))]
    todo = iter(plans)
    halves = [envs[::2], envs[1::2]] if overlap else [envs]
    cohorts = [_Cohort(free, snapshots) for free in halves if free]
    with ThreadPoolExecutor(1, "colbench-rollout") as thread:
        while cohorts:
            for cohort in tuple(cohorts):
                yield from cohort.receive()
                cohort.begin(todo)
                if cohort.live:
                    cohort.send(_choose(cohort.live, policy), thread if overlap else None)
                else:
                    cohorts.remove(cohort)


class _Cohort:
    """Environments that take their steps together."""

    def __init__(self, free: list[CollabEnv], snapshots: bool) -> None:
        self.free, self.live, self._snapshots = free, list[_Live](), snapshots
        self._chosen: list[dict[str, Action | Fault]] = []
        self._before: list[dict[str, Any]] = []
        self._results: Future[list[Any]] | None = None

    def begin(self, todo: Iterator[Plan]) -> None:
        """Begin planned episodes in the free environments."""
        starts = [(env, plan) for env, plan in zip(self.free, todo, strict=False)]
        self.free = self.free[len(starts) :]
        resets = [(env, plan) for env, plan in starts if plan.start is None]
        begun = drive(
            [env.resetting(p.seed, {"task": p.task} if p.task else {}) for env, p in resets]
        )
        for (env, plan), result in zip(resets, begun, strict=True):
            self.live.append(_Live(plan, env, *result))
        for env, plan in starts:
            if plan.start is not None:
                self.live.append(_Live(plan, env, *env.restore(plan.start, plan.noise)))

    def send(
        self, chosen: list[dict[str, Action | Fault]], thread: ThreadPoolExecutor | None
    ) -> None:
        """Take a step with these actions, in the thread if there is one."""
        self._chosen = chosen
        self._before = [game.env.snapshot() if self._snapshots else {} for game in self.live]
        steps: list[Steps[Any]] = [
            _step(game.env, actions) for game, actions in zip(self.live, chosen, strict=True)
        ]
        if thread is not None:
            self._results = thread.submit(drive, steps)
        else:
            self._results = Future()
            self._results.set_result(drive(steps))

    def receive(self) -> Iterator[Episode]:
        """Record the step under way, and yield the episodes that it ended."""
        if self._results is None:
            return
        results, self._results = self._results.result(), None
        games, self.live = self.live, []
        for game, actions, before, result in zip(
            games, self._chosen, self._before, results, strict=True
        ):
            step = game.env.ep.step - 1
            for agent, action in actions.items():
                if isinstance(action, Action):
                    reward = result[1][agent]
                    game.turns.append(_turn(game, agent, step, action, reward, before))
            game.observations, game.infos = result[0], result[4]
            if game.env.agents:
                self.live.append(game)
            else:
                self.free.append(game.env)
                yield _episode(game)


def _step(env: CollabEnv, actions: Mapping[str, Action | Fault]) -> Steps[Any]:
    """Take the step, or end an episode whose policy failed."""
    for action in actions.values():
        if isinstance(action, Fault):
            env.ep.fault, env.ep.truncated = str(FaultError(action)), True
    return env.stepping({k: a.text for k, a in actions.items() if isinstance(a, Action)})


def _choose(
    live: Sequence[_Live], policy: Policy | Mapping[str, Policy]
) -> list[dict[str, Action | Fault]]:
    """Ask each policy once for all the agents that it plays, over all live episodes."""
    chosen: list[dict[str, Action | Fault]] = [{} for _ in live]
    asked: dict[int, tuple[Policy, list[tuple[int, str]], list[Query]]] = {}
    for i, game in enumerate(live):
        for agent, info in game.infos.items():
            if not info["acts"]:
                continue
            player = policy[agent] if isinstance(policy, Mapping) else policy
            _, places, queries = asked.setdefault(id(player), (player, [], []))
            places.append((i, agent))
            plan = game.plan
            seed = plan.seed if plan.policy_seed is None else plan.policy_seed
            queries.append(
                Query(
                    agent,
                    game.observations[agent],
                    game.env.messages(agent),
                    info,
                    seed * 1_000 + game.env.ep.step,
                    game.env.task if player.privileged else None,
                    game.env.training_information() if player.privileged else None,
                )
            )
    for player, places, queries in asked.values():
        for (i, agent), action in zip(places, player.act(queries), strict=True):
            chosen[i][agent] = action
    return chosen


def _turn(
    game: _Live, agent: str, step: int, action: Action, reward: float, before: Mapping[str, Any]
) -> Turn:
    return Turn(
        agent=agent,
        step=step,
        observation=game.observations[agent],
        action=game.env.action_space(agent).fit(action.text)[0],
        reward=reward,
        prompt_ids=action.prompt_ids,
        completion_ids=action.completion_ids,
        logprobs=action.logprobs,
        extra={**action.extra, "snapshot": before} if before else action.extra,
    )


def _episode(game: _Live) -> Episode:
    ep, task = game.env.ep, game.env.task
    extra: dict[str, Any] = {"index": game.plan.index}
    for name in ("leak", "told"):  # what the environment measured beside the score
        if hasattr(ep, name):
            value = getattr(ep, name)
            extra[name] = value.to_dict() if hasattr(value, "to_dict") else list(value)
    return Episode(
        env_id=game.env.env_id,
        task_id=task.id,
        seed=game.plan.seed,
        turns=tuple(game.turns),
        messages=tuple(m for m in ep.log if not m.to),
        score=ep.score,
        return_=dict(ep.returns),
        terminated=ep.terminated,
        truncated=ep.truncated,
        fault=ep.fault,
        labels=dict(task.labels),
        extra=extra,
    )
