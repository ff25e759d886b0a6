"""`ColBench/Frontend-v0` in PettingZoo's module convention."""

from __future__ import annotations

from typing import Any

from pettingzoo.utils import AECEnv
from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from colbench_env.envs.frontend import FrontendEnv as parallel_env

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(**kwargs: Any) -> AECEnv[str, str, str | None]:
    """Return the AEC view: agents act one after the other. Arguments as `FrontendEnv`'s."""
    return parallel_to_aec(parallel_env(**kwargs))  # type: ignore[arg-type]  # None: a dead agent


def env(**kwargs: Any) -> AECEnv[str, str, str | None]:
    """Return the AEC view with PettingZoo's check of the order of calls."""
    return OrderEnforcingWrapper(raw_env(**kwargs))
