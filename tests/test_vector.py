import threading

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from colbench_env.errors import ConfigError, ResetNeededError
from colbench_env.humans import NullHuman
from colbench_env.records import Reply

ANSWER = "I WANT TO ANSWER: scale = lambda x: x * 2"
ID = "ColBench/Backend-v0"


class Counting(NullHuman):
    """Counts its batches."""

    def __init__(self):
        self.batches, self.threads = [], set()

    def reply(self, dialogues):
        self.batches.append(len(dialogues))
        self.threads.add(threading.current_thread().name)
        return [Reply("ok") for _ in dialogues]


@pytest.fixture
def make(tasks):
    def make(n=3, mode=AutoresetMode.NEXT_STEP, **kwargs):
        return gym.make_vec(ID, n, tasks=tasks, autoreset_mode=mode, **kwargs)

    return make


def test_plain_make_vec_is_ours_and_batches_calls(tasks):
    human = Counting()
    envs = gym.make_vec(ID, 4, tasks=tasks, human=human)
    observations, infos = envs.reset(seed=3)
    assert type(envs).__name__ == "TextVectorEnv"
    assert len(observations) == 4
    assert envs.observation_space.contains(observations)
    assert infos["acts"].tolist() == [True] * 4
    observations, rewards, terminated, truncated, infos = envs.step(["Well?"] * 4)
    assert observations == ("ok",) * 4
    assert rewards.dtype == np.float64
    assert terminated.dtype == truncated.dtype == np.bool_
    assert human.batches == [4]
    envs.close()


def test_the_same_episodes_as_gymnasiums_own_vector(tasks):
    ours = gym.make_vec(ID, 3, tasks=tasks)
    theirs = SyncVectorEnv([lambda: gym.make(ID, tasks=tasks)] * 3)
    rng = np.random.default_rng(0)
    assert ours.reset(seed=7)[0] == theirs.reset(seed=7)[0]
    for _ in range(12):
        actions = tuple(rng.choice(["Which factor?", ANSWER], size=3))
        mine, other = ours.step(actions), theirs.step(actions)
        assert mine[0] == other[0]
        for left, right in zip(mine[1:4], other[1:4], strict=True):
            np.testing.assert_array_equal(left, right)
        assert mine[4].keys() == other[4].keys()
        for key, value in mine[4].items():
            np.testing.assert_array_equal(value, other[4][key])


def test_same_step_mode_agrees_with_gymnasiums(tasks):
    mode = AutoresetMode.SAME_STEP
    ours = gym.make_vec(ID, 2, tasks=tasks, autoreset_mode=mode)
    theirs = SyncVectorEnv([lambda: gym.make(ID, tasks=tasks)] * 2, autoreset_mode=mode)
    assert ours.reset(seed=7)[0] == theirs.reset(seed=7)[0]
    for actions in (("Well?", "Well?"), (ANSWER, "Well?"), ("Well?", ANSWER), (ANSWER, ANSWER)):
        mine, other = ours.step(actions), theirs.step(actions)
        assert mine[0] == other[0]
        assert mine[1].tolist() == other[1].tolist()
        assert mine[2].tolist() == other[2].tolist()
        assert mine[4].keys() == other[4].keys()
        if "final_info" in mine[4]:
            assert mine[4]["final_obs"].tolist() == other[4]["final_obs"].tolist()
            assert (
                mine[4]["final_info"]["score"].tolist() == other[4]["final_info"]["score"].tolist()
            )


def test_next_step_mode_resets_in_the_step_after(make, tasks):
    envs = make(2)
    envs.reset(seed=0, options={"tasks": ["double/0", "double/1"]})
    _, rewards, terminated, _, infos = envs.step([ANSWER, "Well?"])
    assert terminated.tolist() == [True, False]
    assert rewards.tolist() == [1.0, 0.0]
    assert infos["score"][0].value == 1.0
    observations, rewards, terminated, _, _ = envs.step([ANSWER, "Well?"])
    assert observations[0] in {task.brief for task in tasks}
    assert (rewards.tolist(), terminated.tolist()) == ([0.0, 0.0], [False, False])


def test_disabled_mode_forms_groups(make):
    envs = make(3, AutoresetMode.DISABLED)
    envs.reset(seed=0, options={"tasks": ["double/2"] * 3})
    assert envs.call("task")[0].id == envs.call("task")[2].id == "double/2"
    envs.step([ANSWER, "Well?", ANSWER])
    observations, infos = envs.reset(
        options={
            "reset_mask": np.array([True, False, True]),
            "tasks": ["double/1", None, "double/1"],
        }
    )
    assert [task.id for task in envs.call("task")] == ["double/1", "double/2", "double/1"]
    assert infos["_acts"].tolist() == [True, False, True]
    assert observations[1] != observations[0]
    envs.step([ANSWER] * 3)
    with pytest.raises(ResetNeededError, match="reset"):
        envs.step([ANSWER] * 3)


def test_send_and_recv_run_the_calls_in_a_thread(tasks):
    human = Counting()
    envs = gym.make_vec(ID, 2, tasks=tasks, human=human)
    envs.reset(seed=0)
    envs.send(["Well?", "Well?"])
    with pytest.raises(ResetNeededError, match="recv"):
        envs.send(["Well?", "Well?"])
    assert envs.recv()[0] == ("ok", "ok")
    assert threading.main_thread().name not in human.threads
    with pytest.raises(ResetNeededError, match="send"):
        envs.recv()
    envs.close()


def test_bad_input_is_refused_and_loses_nothing(make):
    envs = make(2)
    with pytest.raises(ResetNeededError, match="reset"):
        envs.step(["a", "b"])
    envs.reset(seed=0)
    before = envs.call("state")
    with pytest.raises(ConfigError, match="2 environments, got 1"):
        envs.step(["a"])
    with pytest.raises(TypeError, match="strings, got int"):
        envs.step(["a", 3])
    with pytest.raises(ConfigError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True]})
    with pytest.raises(ConfigError, match="tasks must name 2"):
        envs.reset(options={"tasks": ["double/0"]})
    with pytest.raises(ConfigError, match="2 seeds"):
        envs.reset(seed=[1])
    assert envs.call("state") == before
    with pytest.raises(ConfigError, match="num_envs"):
        make(0)


def test_seeds_by_environment(make):
    envs = make(2)
    one = envs.reset(seed=[5, 6])[0]
    assert envs.reset(seed=5)[0] == one
    assert envs.render() == (None, None)
