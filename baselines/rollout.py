"""Play episodes: many environments at once, one batch of queries to the policy a round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from colbench_env.calls import Steps, drive
from colbench_env.core import CollabEnv
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
    """

    agent: str
    observation: str
    messages: Sequence[Mapping[str, str]]
    info: Mapping[str, Any]
    seed: int
    task: Task | None = None


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

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Answer each query, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Plan:
    """One episode to play.

    Attributes:
        index: Its number in the run; kept in `episode.extra["index"]`.
        seed: For `reset`.
        task: Which task; None lets the seed pick one.
    """

    index: int
    seed: int
    task: str | None = None


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
) -> Iterator[Episode]:
    """Play the planned episodes, `num_envs` at a time, and yield each as it ends.

    A finished environment begins the next planned episode at once, so the batch stays full.

    Args:
        make: Builds an environment; the environments share their services.
        policy: One policy for all agents, or one by agent name.
        plans: What to play.
        num_envs: How many environments live at once.

    Yields:
        Episodes in the order in which they end; `extra["index"]` says which plan each is.
    """
    todo = iter(plans)
    free = [make() for _ in range(min(num_envs, len(plans)))]
    live: list[_Live] = []
    while True:
        starts = [(env, plan) for env, plan in zip(free, todo, strict=False)]
        free = free[len(starts) :]
        resets = [
            env.resetting(plan.seed, {} if plan.task is None else {"task": plan.task})
            for env, plan in starts
        ]
        for (env, plan), (observations, infos) in zip(starts, drive(resets), strict=True):
            live.append(_Live(plan, env, observations, infos))
        if not live:
            return
        chosen = _choose(live, policy)
        steps: list[Steps[Any]] = [
            game.env.stepping({agent: action.text for agent, action in actions.items()})
            for game, actions in zip(live, chosen, strict=True)
        ]
        going = []
        for game, actions, result in zip(live, chosen, drive(steps), strict=True):
            step = game.env.ep.step - 1
            for agent, action in actions.items():
                game.turns.append(_turn(game, agent, step, action, result[1][agent]))
            game.observations, game.infos = result[0], result[4]
            if game.env.agents:
                going.append(game)
            else:
                free.append(game.env)
                yield _episode(game)
        live = going


def _choose(
    live: Sequence[_Live], policy: Policy | Mapping[str, Policy]
) -> list[dict[str, Action]]:
    """Ask each policy once for all the agents that it plays, over all live episodes."""
    chosen: list[dict[str, Action]] = [{} for _ in live]
    asked: dict[int, tuple[Policy, list[tuple[int, str]], list[Query]]] = {}
    for i, game in enumerate(live):
        for agent, info in game.infos.items():
            if not info["acts"]:
                continue
            player = policy[agent] if isinstance(policy, Mapping) else policy
            _, places, queries = asked.setdefault(id(player), (player, [], []))
            places.append((i, agent))
            queries.append(
                Query(
                    agent,
                    game.observations[agent],
                    game.env.messages(agent),
                    info,
                    game.plan.seed * 1_000 + game.env.ep.step,
                    game.env.task if player.privileged else None,
                )
            )
    for player, places, queries in asked.values():
        for (i, agent), action in zip(places, player.act(queries), strict=True):
            chosen[i][agent] = action
    return chosen


def _turn(game: _Live, agent: str, step: int, action: Action, reward: float) -> Turn:
    return Turn(
        agent=agent,
        step=step,
        observation=game.observations[agent],
        action=game.env.action_space(agent).fit(action.text)[0],
        reward=reward,
        prompt_ids=action.prompt_ids,
        completion_ids=action.completion_ids,
        logprobs=action.logprobs,
        extra=action.extra,
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
