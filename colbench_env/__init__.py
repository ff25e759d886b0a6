"""Text Dec-POMDP environments in which language-model agents collaborate.

`import colbench_env` registers the environments (`gym.make("ColBench/Backend-v0")`); everything
else is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from colbench_env.registration import register_envs
from colbench_env.version import __version__

if TYPE_CHECKING:
    from colbench_env.calls import Call as Call
    from colbench_env.checker import check_env as check_env
    from colbench_env.core import CollabEnv as CollabEnv
    from colbench_env.envs.backend import BackendEnv as BackendEnv
    from colbench_env.errors import ColbenchError as ColbenchError
    from colbench_env.errors import Fault as Fault
    from colbench_env.gym_env import GymEnv as GymEnv
    from colbench_env.humans import make_human as make_human
    from colbench_env.records import Dialogue as Dialogue
    from colbench_env.records import Episode as Episode
    from colbench_env.records import Fact as Fact
    from colbench_env.records import Leak as Leak
    from colbench_env.records import Message as Message
    from colbench_env.records import Reply as Reply
    from colbench_env.records import Score as Score
    from colbench_env.records import Submission as Submission
    from colbench_env.records import Task as Task
    from colbench_env.records import Turn as Turn
    from colbench_env.spaces import Utterance as Utterance
    from colbench_env.tasks import load_tasks as load_tasks
    from colbench_env.vector import TextVectorEnv as TextVectorEnv

_HOMES = {
    "BackendEnv": "envs.backend",
    "Call": "calls",
    "ColbenchError": "errors",
    "CollabEnv": "core",
    "Dialogue": "records",
    "Episode": "records",
    "Fact": "records",
    "Fault": "errors",
    "GymEnv": "gym_env",
    "Leak": "records",
    "Message": "records",
    "Reply": "records",
    "Score": "records",
    "Submission": "records",
    "Task": "records",
    "TextVectorEnv": "vector",
    "Turn": "records",
    "Utterance": "spaces",
    "check_env": "checker",
    "load_tasks": "tasks",
    "make_human": "humans",
}

__all__ = ["__version__", "register_envs", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'colbench_env' has no attribute {name!r}")
    value = getattr(import_module(f"colbench_env.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


register_envs()
