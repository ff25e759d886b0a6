"""The loop itself, on a small environment of the test's own."""

import json
import subprocess
import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from colbench_env import core
from colbench_env.calls import Call, drive
from colbench_env.core import CollabEnv, printable
from colbench_env.errors import ConfigError, Fault, ResetNeededError, SnapshotError
from colbench_env.records import Score, Task
from colbench_env.tasks import TaskList


class Doubler:
    """A service that records its batches and fails as told."""

    def __init__(self, faults=0):
        self.batches, self.faults = [], faults

    def double(self, requests):
        self.batches.append(list(requests))
        if self.faults:
            self.faults -= 1
            return [Fault("doubler", "down", "try later") for _ in requests]
        return [2 * request for request in requests]


@dataclass(slots=True)
class CountState(core.State):
    total: int = 0


class CountEnv(CollabEnv):
    """Two agents say numbers, a service doubles them; three rounds."""

    metadata: ClassVar = {**CollabEnv.metadata, "name": "count_v0"}
    env_id = "Test/Count-v0"
    State = CountState

    def __init__(self, service=None, **kwargs):
        self.service = service or Doubler()
        super().__init__(["planner_0", "coder_0"], **kwargs)

    def _load_tasks(self):
        return TaskList([Task(f"t{i}", f"brief {i}", hidden={"x": i}) for i in range(40)])

    def system_prompt(self, agent):
        return f"You are {agent}."

    def training_information(self):
        return "nothing"

    def _reset(self):
        self._say("env", self.task.brief)
        self._say("env", "secret of the coder", to=["coder_0"])
        self._let_act("planner_0", "coder_0")
        return
        yield

    def _step(self, actions):
        calls = [Call(self.service.double, len(text)) for text in actions.values()]
        answers = yield calls
        self.ep.total += sum(answers)
        for agent, text in actions.items():
            self._say(agent, text)
        self._reward(0.5, "planner_0")
        if self.ep.step == 3:
            self._end(Score(min(1.0, self.ep.total / 100)))


def test_a_whole_episode():
    env = CountEnv()
    observations, infos = env.reset(seed=1, options={"task": "t7"})
    assert observations == {
        "planner_0": "brief 7",
        "coder_0": "brief 7\n\nsecret of the coder",
    }
    assert infos["planner_0"] == {"acts": True}
    both = {"planner_0": "plan", "coder_0": "code"}
    observations, rewards, terminated, truncated, infos = env.step(both)
    assert observations == {"planner_0": "code", "coder_0": "plan"}
    assert rewards == {"planner_0": 0.5, "coder_0": 0.0}
    assert not terminated["planner_0"]
    assert not truncated["coder_0"]
    env.step(both)
    _, rewards, terminated, _, infos = env.step(both)
    assert rewards == {"planner_0": 0.5 + 0.48, "coder_0": 0.48}
    assert terminated == {"planner_0": True, "coder_0": True}
    assert infos["coder_0"]["score"] == Score(0.48)
    assert env.agents == []
    assert env.ep.returns == {"planner_0": 1.5 + 0.48, "coder_0": 0.48}
    with pytest.raises(ResetNeededError, match=r"call reset\(\)"):
        env.step(both)


def test_messages_alternate_and_hide_what_was_not_heard():
    env = CountEnv()
    env.reset(seed=0, options={"task": "t1"})
    env.step({"planner_0": "a", "coder_0": "b"})
    assert env.messages("planner_0") == [
        {"role": "system", "content": "You are planner_0."},
        {"role": "user", "content": "brief 1"},
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "b"},
    ]
    assert "secret" in env.messages("coder_0")[1]["content"]


def test_delta_accumulates_until_the_agent_acts():
    class OneEnv(CountEnv):
        def _step(self, actions):
            for agent, text in actions.items():
                self._say(agent, text)
            self._let_act("coder_0" if self.ep.step > 1 else "planner_0")
            return
            yield

        def _reset(self):
            self._say("env", "brief")
            self._let_act("planner_0")
            return
            yield

    env = OneEnv()
    assert env.reset(seed=0)[0]["coder_0"] == "brief"
    assert env.step({"planner_0": "one"})[0]["coder_0"] == "brief\n\none"
    observations, _, _, _, infos = env.step({"planner_0": "two", "coder_0": "ignored"})
    assert observations["coder_0"] == "brief\n\none\n\ntwo"
    assert infos["coder_0"]["acts"]
    assert env.step({"coder_0": "mine"})[0]["coder_0"] == ""
    assert all(m.text != "ignored" for m in env.ep.log)


def test_transcript_shows_everything_heard_and_said():
    env = CountEnv(observation="transcript")
    env.reset(seed=0, options={"task": "t1"})
    text = env.step({"planner_0": "a", "coder_0": "b"})[0]["planner_0"]
    assert text == "brief 1\n\nplanner_0: a\n\ncoder_0: b"


def test_drive_makes_one_batch_a_service_a_round():
    service = Doubler()
    envs = [CountEnv(service) for _ in range(4)]
    drive([env.resetting(i) for i, env in enumerate(envs)])
    drive([env.stepping({"planner_0": "xx", "coder_0": "xxx"}) for env in envs])
    assert service.batches == [[2, 3] * 4]


def test_a_fault_is_tried_three_times_then_truncates():
    env = CountEnv(Doubler(faults=2))
    env.reset(seed=0)
    assert env.step({"planner_0": "x", "coder_0": "x"})[3] == dict.fromkeys(env.agents, False)
    assert len(env.service.batches) == 3

    env = CountEnv(Doubler(faults=3))
    env.reset(seed=0)
    _, rewards, terminated, truncated, infos = env.step({"planner_0": "x", "coder_0": "x"})
    assert rewards == {"planner_0": 0.0, "coder_0": 0.0}
    assert set(terminated.values()) == {False}
    assert set(truncated.values()) == {True}
    assert infos["planner_0"]["fault"] == "doubler: down: try later"
    assert "score" not in infos["planner_0"]
    assert env.agents == []


def test_a_fault_that_says_so_is_not_tried_again():
    class Hopeless(Doubler):
        def double(self, requests):
            self.batches.append(requests)
            return [Fault("doubler", "bad key", retry=False) for _ in requests]

    env = CountEnv(Hopeless())
    env.reset(seed=0)
    env.step({"planner_0": "x", "coder_0": "x"})
    assert len(env.service.batches) == 1


def test_a_fault_during_reset_truncates_the_first_step():
    class ResetEnv(CountEnv):
        def _reset(self):
            yield [Call(self.service.double, 1)]

    env = ResetEnv(Doubler(faults=3))
    _, infos = env.reset(seed=0)
    assert infos["planner_0"]["fault"]
    assert set(env.step({})[3].values()) == {True}


def test_a_service_must_answer_every_request():
    class Short(Doubler):
        def double(self, requests):
            return []

    env = CountEnv(Short())
    env.reset(seed=0)
    with pytest.raises(TypeError, match="0 answers to 2 requests"):
        env.step({"planner_0": "x", "coder_0": "x"})


def test_restore_with_a_seed_changes_the_noise_only():
    env = CountEnv()
    env.reset(seed=0)
    snapshot = env.snapshot()
    seed = env.ep.seed
    env.restore(snapshot)
    assert env.ep.seed == seed
    env.restore(snapshot, seed=99)
    assert env.ep.seed == 99
    assert env.ep.log == CountEnv.State.from_dict(snapshot["episode"]).log


def test_wrong_snapshots_are_refused():
    env = CountEnv()
    env.reset(seed=0)
    snapshot = env.snapshot()
    with pytest.raises(SnapshotError, match="belongs to 'Other-v0'"):
        env.restore({**snapshot, "env": "Other-v0"})
    with pytest.raises(SnapshotError, match="damaged"):
        env.restore({"env": env.env_id})
    with pytest.raises(SnapshotError, match="damaged"):
        env.restore({**snapshot, "episode": {**snapshot["episode"], "colour": 1}})


def test_there_is_no_snapshot_before_a_reset():
    with pytest.raises(ResetNeededError, match="reset"):
        CountEnv().snapshot()


def test_bad_arguments_name_the_fix():
    with pytest.raises(ConfigError, match="'delta' or 'transcript'"):
        CountEnv(observation="all")
    with pytest.raises(ConfigError, match="ansi"):
        CountEnv(render_mode="rgb_array")
    env = CountEnv()
    env.reset(seed=0)
    with pytest.raises(ConfigError, match="planner_0"):
        env.step({"writer_0": "x"})
    with pytest.raises(TypeError, match="coder_0 must be a string, got int"):
        env.step({"planner_0": "x", "coder_0": 3})


def test_long_actions_are_cut_and_said_so():
    env = CountEnv(max_action={"planner_0": 5})
    env.reset(seed=0)
    infos = env.step({"planner_0": "1234567", "coder_0": "x"})[4]
    assert infos["planner_0"]["action_clipped"] is True
    assert "action_clipped" not in infos["coder_0"]
    assert env.ep.log[-2].text == "12345"
    assert "action_clipped" not in env.step({"planner_0": "x", "coder_0": "x"})[4]["planner_0"]


def test_render(capsys):
    env = CountEnv(render_mode="ansi")
    env.reset(seed=0, options={"task": "t1"})
    env.step({"planner_0": "a\x1b[2J", "coder_0": "b"})
    assert env.render() == "env: brief 1\nplanner_0: a\ufffd[2J\ncoder_0: b"
    env.render_mode = "human"
    assert env.render() is None
    assert "coder_0: b" in capsys.readouterr().out
    env.render_mode = None
    assert env.render() is None


def test_printable_keeps_text_and_drops_controls():
    assert printable("a\tb\n☃\x07\x7f\x1b") == "a\tb\n☃\ufffd\ufffd\ufffd"


def test_restore_in_another_process(tmp_path):
    from colbench_env.envs.backend import BackendEnv

    env = BackendEnv()
    env.reset(seed=5)
    env.step({"assistant_0": "What about empty input?"})
    (tmp_path / "snapshot.json").write_text(json.dumps(env.snapshot()))
    program = (
        "import json, sys\n"
        "from colbench_env.envs.backend import BackendEnv\n"
        "env = BackendEnv()\n"
        "env.restore(json.load(open(sys.argv[1])))\n"
        "result = env.step({'assistant_0': 'And which order?'})\n"
        "print(json.dumps([result[0], env.state()]))\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "snapshot.json")],
        capture_output=True,
        text=True,
        check=True,
    )
    observations = env.step({"assistant_0": "And which order?"})[0]
    assert json.loads(out.stdout) == [observations, env.state()]
