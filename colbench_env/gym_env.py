"""`GymEnv`: the Gymnasium view of a `CollabEnv` that has one learner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

import gymnasium as gym

from colbench_env.core import CollabEnv
from colbench_env.errors import ConfigError


def make_collab_env(env: CollabEnv | Callable[..., CollabEnv] | str, **kwargs: Any) -> CollabEnv:
    """Return the environment itself, or build it from a factory or a `"module:name"`.

    Raises:
        ConfigError: It has several agents, so that a single-agent view would leave one mute.
    """
    if isinstance(env, str):
        module, _, name = env.partition(":")
        env = cast(Callable[..., CollabEnv], getattr(import_module(module), name))
    if not isinstance(env, CollabEnv):
        env = env(**kwargs)
    if len(env.possible_agents) != 1:
        raise ConfigError(
            f"the Gymnasium view has one learner, but here act {env.possible_agents}: "
            'use the parallel API (parallel_env), or let a scripted human play (human="scripted")'
        )
    return env


class GymEnv(gym.Env[str, str]):
    """One agent's view of a `CollabEnv`: text in, text out, on Gymnasium's API.

    Everything else (`messages`, `state`, `snapshot`, ...) is reached through `unwrapped`; methods
    that take an agent there take none here.

    Args:
        env: A `CollabEnv`, a factory of one, or `"module:name"` of a factory.
        render_mode: As the environment's.
        **kwargs: The environment's own arguments.

    Raises:
        ConfigError: The environment has several agents.
    """

    # The modes of any environment, as `gym.make` asks the class; an object has its environment's.
    metadata = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 1}

    def __init__(
        self,
        env: CollabEnv | Callable[..., CollabEnv] | str,
        *,
        render_mode: str | None = None,
        **kwargs: Any,
    ) -> None:
        self.env = make_collab_env(env, render_mode=render_mode, **kwargs)
        self.metadata = {**self.metadata, "render_modes": self.env.metadata["render_modes"]}
        [self.agent] = self.env.possible_agents
        self.render_mode = self.env.render_mode
        self.observation_space = self.env.observation_space(self.agent)
        self.action_space = self.env.action_space(self.agent)

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin an episode; see `CollabEnv.reset`."""
        observations, infos = self.env.reset(seed, options)
        self._np_random = self.env._np_random
        if seed is not None:
            self._np_random_seed = seed
        return observations[self.agent], infos[self.agent]

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Send one message; see `CollabEnv.step`."""
        me = self.agent
        observations, rewards, terminated, truncated, infos = self.env.step({me: action})
        return observations[me], rewards[me], terminated[me], truncated[me], infos[me]

    def system_prompt(self) -> str:
        """Return the agent's standing instructions."""
        return self.env.system_prompt(self.agent)

    def messages(self) -> list[dict[str, str]]:
        """Return the agent's chat so far, system prompt first."""
        return self.env.messages(self.agent)

    def training_information(self) -> str:
        """Return what a privileged critic may see."""
        return self.env.training_information()

    def state(self) -> str:
        """Return the privileged view as JSON text."""
        return self.env.state()

    def state_dict(self) -> dict[str, Any]:
        """Return the privileged view."""
        return self.env.state_dict()

    def snapshot(self) -> dict[str, Any]:
        """Return the episode as data; see `CollabEnv.snapshot`."""
        return self.env.snapshot()

    def restore(
        self, snapshot: Mapping[str, Any], seed: int | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Go back to a snapshot; see `CollabEnv.restore`."""
        observations, infos = self.env.restore(snapshot, seed)
        self._np_random = self.env._np_random
        return observations[self.agent], infos[self.agent]

    def render(self) -> Any:
        """Return or show the episode, by render mode: as text or, where there is one, a picture."""
        return self.env.render()

    def close(self) -> None:
        """Release what the environment holds."""
        self.env.close()
