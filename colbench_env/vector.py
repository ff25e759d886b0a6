"""`TextVectorEnv`: N environments stepped together, one batch of calls a round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from colbench_env.calls import Steps, drive
from colbench_env.core import CollabEnv, ResetResult
from colbench_env.errors import ConfigError, ResetNeededError
from colbench_env.gym_env import make_collab_env

VectorStep = tuple[
    tuple[str, ...],
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    dict[str, Any],
]


class TextVectorEnv(VectorEnv[tuple[str, ...], Sequence[str], NDArray[Any]]):
    """N one-learner environments behind Gymnasium's vector API; `gym.make_vec(id, n)` makes it.

    The environments share their services (human, reward), and each round of a step makes one call
    to each service for all of them. Observations and actions are tuples of N texts.

    Args:
        env: As `GymEnv`'s.
        num_envs: How many.
        autoreset_mode: `AutoresetMode.NEXT_STEP` (Gymnasium's default: the step after an episode's
            last resets, its action is ignored and its reward 0), `SAME_STEP` (the last step resets
            at once; `infos["final_obs"]` and `infos["final_info"]` hold the end), or `DISABLED`
            (finished environments wait for `reset(options={"reset_mask": ...})`).
        **kwargs: The environment's own arguments.

    Raises:
        ConfigError: `num_envs` is below 1.
    """

    def __init__(
        self,
        env: Callable[..., CollabEnv] | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        self._pending: Future[VectorStep] | None = None
        self._thread: ThreadPoolExecutor | None = None
        self.envs: list[CollabEnv] = []  # these first: close() may follow a failed __init__
        if num_envs < 1:
            raise ConfigError(f"num_envs must be at least 1, got {num_envs}")
        self.num_envs = num_envs
        self.envs = [
            make_collab_env(env, render_mode=render_mode, **kwargs) for _ in range(num_envs)
        ]
        [self.agent] = self.envs[0].possible_agents
        self._mode = AutoresetMode(autoreset_mode)
        self.render_mode = render_mode
        self.metadata = {**self.envs[0].metadata, "autoreset_mode": self._mode}
        self.single_observation_space = self.envs[0].observation_space(self.agent)
        self.single_action_space = self.envs[0].action_space(self.agent)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._begun = False
        self._ended = np.ones(num_envs, dtype=np.bool_)
        self._observations = [""] * num_envs

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Begin episodes.

        Args:
            seed: An integer (environment i gets `seed + i`), one for each, or None.
            options: `reset_mask`: bool array `[num_envs]`, which environments begin anew (the
                others stay as they are); `tasks`: N task ids (or None), so that groups can play the
                same task; any other key reaches each environment.

        Returns:
            N observations, and the infos of those that were reset in Gymnasium's vector form.
        """
        others = dict(options or {})
        mask = np.asarray(others.pop("reset_mask", np.ones(self.num_envs)), dtype=np.bool_)
        tasks = others.pop("tasks", None)
        seeds = self._seeds(seed)
        if mask.shape != (self.num_envs,):
            raise ConfigError(f"reset_mask must have shape ({self.num_envs},), got {mask.shape}")
        if tasks is not None and len(tasks) != self.num_envs:
            raise ConfigError(f"tasks must name {self.num_envs} tasks, got {len(tasks)}")
        chosen = [int(i) for i in np.flatnonzero(mask)]
        steps = []
        for i in chosen:
            picked = dict(others) if tasks is None else {**others, "task": tasks[i]}
            steps.append(self.envs[i].resetting(seeds[i], picked))
        self._begun = True
        infos: dict[str, Any] = {}
        for i, (observations, info) in zip(chosen, drive(steps), strict=True):
            self._ended[i] = False
            self._observations[i] = observations[self.agent]
            infos = self._add_info(infos, info[self.agent], i)
        return tuple(self._observations), infos

    def step(self, actions: Sequence[str]) -> VectorStep:
        """Send one message in each environment.

        Args:
            actions: N texts; those of ended environments are ignored.

        Returns:
            N observations, then float64 and bool arrays `[N]`, then the infos.

        Raises:
            ResetNeededError: `AutoresetMode.DISABLED`, and every environment has ended.
        """
        self.send(actions, in_thread=False)
        return self.recv()

    def send(self, actions: Sequence[str], *, in_thread: bool = True) -> None:
        """Begin a step whose calls run in a thread; `recv` returns it.

        With two vector environments, a policy generates for one while the other's calls run.
        """
        if self._pending is not None:
            raise ResetNeededError("a step is under way: call recv() before the next send()")
        if len(actions) != self.num_envs:
            raise ConfigError(f"there are {self.num_envs} environments, got {len(actions)} actions")
        for action in actions:
            if not isinstance(action, str):
                raise TypeError(f"actions must be strings, got {type(action).__name__}")
        if self._ended.all() and (not self._begun or self._mode is AutoresetMode.DISABLED):
            raise ResetNeededError("no environment has an episode under way: call reset() first")
        if in_thread:
            self._thread = self._thread or ThreadPoolExecutor(1, "colbench-vector")
            self._pending = self._thread.submit(self._advance, tuple(actions))
        else:
            self._pending = Future()
            try:
                self._pending.set_result(self._advance(tuple(actions)))
            except BaseException:
                self._pending = None
                raise

    def recv(self) -> VectorStep:
        """Wait for the step that `send` began and return it.

        Raises:
            ResetNeededError: No step is under way.
        """
        if self._pending is None:
            raise ResetNeededError("no step is under way: call send() first")
        pending, self._pending = self._pending, None
        return pending.result()

    def _advance(self, actions: tuple[str, ...]) -> VectorStep:
        n, me = self.num_envs, self.agent
        rewards = np.zeros(n, dtype=np.float64)
        terminated = np.zeros(n, dtype=np.bool_)
        truncated = np.zeros(n, dtype=np.bool_)
        infos: dict[str, Any] = {}
        anew = self._ended.copy() if self._mode is AutoresetMode.NEXT_STEP else None
        live = [i for i in range(n) if not self._ended[i]]
        steps: list[Steps[Any]] = [self.envs[i].stepping({me: actions[i]}) for i in live]
        reset = [int(i) for i in np.flatnonzero(anew)] if anew is not None else []
        steps += [self.envs[i].resetting() for i in reset]
        results = drive(steps)
        finished = []
        for i, result in zip(live, results, strict=False):
            observations, reward, over, cut, info = result
            self._observations[i] = observations[me]
            rewards[i], terminated[i], truncated[i] = reward[me], over[me], cut[me]
            self._ended[i] = over[me] or cut[me]
            if self._ended[i] and self._mode is AutoresetMode.SAME_STEP:
                finished.append(i)
                last = {"final_obs": observations[me], "final_info": info[me]}
                infos = self._add_info(infos, last, i)
            else:
                infos = self._add_info(infos, info[me], i)
        begun: list[ResetResult] = results[len(live) :]
        begun += drive([self.envs[i].resetting() for i in finished])
        for i, (observations, info) in zip(reset + finished, begun, strict=True):
            self._ended[i] = False
            self._observations[i] = observations[me]
            infos = self._add_info(infos, info[me], i)
        return tuple(self._observations), rewards, terminated, truncated, infos

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise ConfigError(f"seed must hold {self.num_envs} seeds, got {len(seed)}")
        return list(seed)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method (or read an attribute) of each environment.

        Args:
            name: Of a `CollabEnv`'s method or attribute ("snapshot", "state").
            *args: For the method.
            **kwargs: For the method.

        Returns:
            N results.
        """
        found = [getattr(env, name) for env in self.envs]
        return tuple(value(*args, **kwargs) if callable(value) else value for value in found)

    def render(self) -> tuple[Any, ...] | None:
        """Return each environment's rendering."""
        return self.call("render")

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments, after a step under way."""
        if self._thread is not None:
            self._thread.shutdown()
        for env in self.envs:
            env.close()
