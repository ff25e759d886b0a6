"""The ids, registered with Gymnasium and, where it has a registry (1.27 and later), PettingZoo."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium as gym
import pettingzoo

from colbench_env.errors import ConfigError

ENVIRONMENTS = {  # id -> (the class, PettingZoo's module)
    "ColBench/Backend-v0": ("colbench_env.envs.backend:BackendEnv", "colbench_env.backend_v0"),
    "ColBench/Frontend-v0": ("colbench_env.envs.frontend:FrontendEnv", "colbench_env.frontend_v0"),
}


def register_envs() -> None:
    """Register every id; again and again does no harm. `import colbench_env` calls it."""
    for env_id, (factory, module) in ENVIRONMENTS.items():
        if env_id not in gym.registry:
            gym.register(
                env_id,
                entry_point="colbench_env.gym_env:GymEnv",
                vector_entry_point="colbench_env.vector:TextVectorEnv",
                kwargs={"env": factory},
            )
        if hasattr(pettingzoo, "register"):
            if env_id not in pettingzoo.parallel_registry:
                pettingzoo.register("parallel", env_id, f"{module}:parallel_env")
            if env_id not in pettingzoo.aec_registry:
                pettingzoo.register("aec", env_id, f"{module}:env")


def find_env(name: str) -> str:
    """Return the id that a name means: `"ColBench/Backend-v0"`, `"Backend-v0"` or `"backend"`.

    Raises:
        ConfigError: No environment is called so.
    """
    wanted = name.lower().removeprefix("colbench/").replace("_", "-")
    for env_id in ENVIRONMENTS:
        short = env_id.lower().removeprefix("colbench/")
        if wanted in (short, short.rpartition("-v")[0]):
            return env_id
    raise ConfigError(f"no environment is called {name!r}; choose from {', '.join(ENVIRONMENTS)}")


def env_class(name: str) -> Any:
    """Return the environment's class (a `CollabEnv`), by any name that `find_env` takes."""
    module, _, attribute = ENVIRONMENTS[find_env(name)][0].partition(":")
    return getattr(import_module(module), attribute)
