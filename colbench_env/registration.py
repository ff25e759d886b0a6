"""The ids, registered with Gymnasium and, where it has a registry (1.27 and later), PettingZoo."""

from __future__ import annotations

import gymnasium as gym
import pettingzoo

ENVIRONMENTS = {  # id -> (the class, PettingZoo's module)
    "ColBench/Backend-v0": ("colbench_env.envs.backend:BackendEnv", "colbench_env.backend_v0"),
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
