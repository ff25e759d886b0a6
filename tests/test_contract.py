"""Every registered environment keeps the contract, and the contract catches those that do not."""

import random

import numpy as np
import pytest

from colbench_env.checker import CHECKS, check_env
from colbench_env.envs.backend import BackendEnv
from colbench_env.errors import ContractError, MissingDependencyError
from colbench_env.registration import ENVIRONMENTS, env_class

ARGUMENTS = {"ColBench/Backend-v0": [{}, {"human": None}, {"tasks": "procedural"}]}
CASES = [(i, kwargs) for i in ENVIRONMENTS for kwargs in ARGUMENTS.get(i, [{}])]


@pytest.mark.parametrize(("env_id", "kwargs"), CASES, ids=str)
def test_the_contract_holds(env_id, kwargs):
    try:
        env = env_class(env_id)(**kwargs)
    except MissingDependencyError as error:
        pytest.skip(str(error))
    expected = set(CHECKS)
    if len(env.possible_agents) > 1:
        expected.discard("gymnasium's check_env")
    assert set(check_env(env)) == expected


class Leaky(BackendEnv):
    def _infos(self):
        infos = super()._infos()
        infos["assistant_0"]["hint"] = self.task.hidden["calls"][0]
        return infos


class LeakyObservation(BackendEnv):
    def _observe(self, agent):
        return super()._observe(agent) + self.training_information()[-80:]


class GlobalRandom(BackendEnv):
    def _observe(self, agent):
        return super()._observe(agent) + str(random.random())


class GlobalNumpy(BackendEnv):
    def _observe(self, agent):
        np.random.rand()
        return super()._observe(agent)


class Reused(BackendEnv):
    kept: dict = {}

    def _infos(self):
        self.kept.update(super()._infos()["assistant_0"])
        return {"assistant_0": self.kept}


class NumpyFlags(BackendEnv):
    def stepping(self, actions):
        observations, rewards, terminated, truncated, infos = yield from super().stepping(actions)
        flags = {a: np.bool_(v) for a, v in terminated.items()}
        return observations, rewards, flags, truncated, infos


class TooLong(BackendEnv):
    def _observe(self, agent):
        return super()._observe(agent) + "x" * 300_000


class ForgetsTurn(BackendEnv):
    def snapshot(self):
        snapshot = super().snapshot()
        snapshot["episode"]["turn"] = 0
        return snapshot


class SameTask(BackendEnv):
    def resetting(self, seed=None, options=None):
        return super().resetting(seed, {"task": self.tasks[0].id, **(options or {})})


class Raises(BackendEnv):
    def _step(self, actions):
        actions["assistant_0"].encode("ascii")
        yield from super()._step(actions)


class AcceptsAnything(BackendEnv):
    def _take(self, actions):
        return super()._take({a: str(v) for a, v in actions.items()})


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (Leaky, "was shown what is hidden's"),
        (LeakyObservation, "was shown what is human_0's"),
        (GlobalRandom, "same seed gave another episode|not equivalent|random"),
        (GlobalNumpy, "global generators"),
        (Reused, "share an object|reused|changed later"),
        (NumpyFlags, "flags bool|bool"),
        (TooLong, "space"),
        (ForgetsTurn, "after restore|restore at step"),
        (SameTask, "picked the same task"),
        (Raises, "UnicodeEncodeError"),
        (AcceptsAnything, "must raise TypeError"),
    ],
)
def test_the_contract_catches(broken, words):
    with pytest.raises(ContractError, match=words):
        check_env(broken())


def test_the_environment_itself_is_not_played():
    env = BackendEnv()
    env.reset(seed=3)
    before = env.state()
    check_env(env)
    assert env.state() == before
