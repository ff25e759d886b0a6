import gymnasium as gym
import pettingzoo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pettingzoo.test import api_test
from toy_tasks import double_task

import colbench_env
from colbench_env import backend_v0
from colbench_env.envs.backend import (
    ASSISTANT,
    HUMAN,
    MARKER_IN_THOUGHT,
    MAX_REPLY,
    NOTHING_HEARD,
    BackendEnv,
    parse,
    strip_fences,
)
from colbench_env.errors import ConfigError
from colbench_env.humans import NullHuman
from colbench_env.records import Leak, Reply

CODE = "def scale(x):\n    return x * 2"


class Listener(NullHuman):
    """Remembers what it was asked."""

    name = "listener"

    def __init__(self):
        self.heard = []

    def reply(self, dialogues):
        self.heard += dialogues
        return [Reply("Hm.", ("some fact",), Leak(2, 0.25)) for _ in dialogues]


# --- parsing ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "thought", "text", "answer"),
    [
        ("What rate?", "", "What rate?", None),
        ("hmm\nOUTPUT: What rate?", "hmm\n", "What rate?", None),
        ("I WANT TO ANSWER: x = 1", "", "I WANT TO ANSWER: x = 1", " x = 1"),
        ("so OUTPUT: I WANT TO ANSWER: x = 1", "so ", "I WANT TO ANSWER: x = 1", " x = 1"),
        ("Here. I WANT TO ANSWER: x", "", "Here. I WANT TO ANSWER: x", " x"),
        (
            "I WANT TO ANSWER:\ndef f():\n    return 'OUTPUT: x'",
            "",
            "I WANT TO ANSWER:\ndef f():\n    return 'OUTPUT: x'",
            "\ndef f():\n    return 'OUTPUT: x'",
        ),
        ("a OUTPUT: b OUTPUT: c", "a ", "b OUTPUT: c", None),
    ],
)
def test_parse_fixed(message, thought, text, answer):
    parsed = parse(message, final=False)
    assert (parsed.thought, parsed.text, parsed.answer) == (thought, text, answer)
    assert parsed.notice is None


def test_parse_legacy_differs_where_the_original_does():
    assert parse("a OUTPUT: b OUTPUT: c", final=False, rules="legacy").text == "b"
    twice = "I WANT TO ANSWER: x I WANT TO ANSWER: y"
    assert parse(twice, final=False, rules="legacy").answer == " x "
    assert parse(twice, final=False).answer == " x I WANT TO ANSWER: y"
    lost = parse("I WANT TO ANSWER: x OUTPUT: y", final=False, rules="legacy")
    assert (lost.answer, lost.notice, lost.text) == (None, None, "y")


def test_parse_tells_what_it_could_not_take():
    assert parse("I WANT TO ANSWER: x OUTPUT: y", final=False).notice == MARKER_IN_THOUGHT
    assert parse("thinking OUTPUT:  ", final=False).notice == NOTHING_HEARD
    assert parse("", final=False).notice == NOTHING_HEARD


def test_the_last_message_is_the_answer_marker_or_not():
    assert parse("think OUTPUT: x = 1", final=True).answer == "x = 1"
    assert parse("so I WANT TO ANSWER: x = 1", final=True).answer == " x = 1"


@given(st.text(), st.booleans(), st.sampled_from(["fixed", "legacy"]))
def test_parse_takes_any_text(message, final, rules):
    parsed = parse(message, final=final, rules=rules)
    assert parsed.answer is not None or not final


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (CODE, CODE),
        (f"```python\n{CODE}\n```", CODE),
        (f"```\n{CODE}\n```", CODE),
        (f"Sure!\n```py\n{CODE}\n```\nIt doubles.", CODE),
        (f"```python\n{CODE}", CODE),
        (f"```python\nimport math\n```\nand\n```python\n{CODE}\n```", f"import math\n\n{CODE}"),
        (f"```python\n{CODE}\n```\nUse it:\n```python\nscale(input())\n```", CODE),
        ("```python\nx = 1\n```\n```\ny = 2\n```", "x = 1"),
        ("```python\nscale = lambda x: 2 * x\n```", "scale = lambda x: 2 * x"),
    ],
)
def test_strip_fences(answer, code):
    assert strip_fences(answer, "scale") == code


# --- episodes --------------------------------------------------------------------------------


def test_ask_then_answer(tasks):
    env = BackendEnv(tasks=tasks)
    observations, infos = env.reset(seed=0, options={"task": "double/0"})
    assert observations == {ASSISTANT: tasks[0].brief}
    assert infos == {ASSISTANT: {"acts": True, "turn": 0, "max_turns": 10}}
    observations, rewards, terminated, truncated, infos = env.step(
        {ASSISTANT: "thinking OUTPUT: By which factor do you multiply?"}
    )
    assert "2" in observations[ASSISTANT]
    assert rewards == {ASSISTANT: 0.0}
    assert infos[ASSISTANT] == {"acts": True, "turn": 1, "max_turns": 10}
    observations, rewards, terminated, truncated, infos = env.step(
        {ASSISTANT: f"I WANT TO ANSWER:\n```python\n{CODE}\n```"}
    )
    assert rewards == {ASSISTANT: 1.0}
    assert (terminated, truncated) == ({ASSISTANT: True}, {ASSISTANT: False})
    assert infos[ASSISTANT]["score"].components == {"passed": 1.0, "success": 1.0}
    assert [m.agent for m in env.ep.log] == [HUMAN, ASSISTANT, HUMAN, ASSISTANT]


def test_the_person_hears_neither_thought_nor_notices(tasks):
    human = Listener()
    env = BackendEnv(tasks=tasks, human=human)
    env.reset(seed=0)
    env.step({ASSISTANT: "secret thought OUTPUT: "})
    assert human.heard == []
    observation = env.step({ASSISTANT: "secret thought OUTPUT: hello"})[0][ASSISTANT]
    assert observation == "Hm."
    [dialogue] = human.heard
    assert [m.text for m in dialogue.messages] == [env.task.brief, "", "hello"]
    assert "secret" not in str(dialogue.to_dict())
    assert "secret" not in str(env.messages(ASSISTANT))
    assert env.ep.turn == 2


def test_leak_and_facts_stand_in_the_state_and_not_in_the_info(tasks):
    env = BackendEnv(tasks=tasks, human=Listener())
    env.reset(seed=0)
    infos = env.step({ASSISTANT: "hello"})[4]
    assert set(infos[ASSISTANT]) == {"acts", "turn", "max_turns"}
    assert env.state_dict()["leak"] == {"run": 2, "share": 0.25}
    assert env.state_dict()["told"] == ["some fact"]
    assert "def scale" in env.state()
    assert env.training_information() == env.task.private[HUMAN]["reference"]
    assert "scale(3)" not in env.training_information()


@pytest.mark.parametrize("max_turns", [1, 3])
def test_the_last_turn_is_scored_without_a_marker(tasks, max_turns):
    env = BackendEnv(tasks=tasks, max_turns=max_turns)
    env.reset(seed=0, options={"task": "double/0"})
    for _ in range(max_turns - 1):
        assert not env.step({ASSISTANT: "Well?"})[2][ASSISTANT]
    _, rewards, terminated, _, _ = env.step({ASSISTANT: f"```python\n{CODE}\n```"})
    assert terminated[ASSISTANT]
    assert rewards[ASSISTANT] == 1.0


def test_wrong_answers_score_the_share_that_passes(tasks):
    env = BackendEnv(tasks=tasks)
    env.reset(seed=0, options={"task": "double/0"})
    code = "def scale(x):\n    return x * 2 if x < 7 else None"
    infos = env.step({ASSISTANT: f"I WANT TO ANSWER: {code}"})[4]
    score = infos[ASSISTANT]["score"]
    assert score.value == 0.7
    assert score.components["success"] == 0.0
    assert score.details["outcomes"] == {"pass": 7, "wrong": 3}


def test_two_agents_take_turns(tasks):
    env = backend_v0.parallel_env(tasks=tasks, human=None)
    observations, infos = env.reset(seed=0, options={"task": "double/1"})
    assert observations[ASSISTANT] == tasks[1].brief
    assert "multiplied by 3" in observations[HUMAN]
    assert "def scale(x)" in observations[HUMAN]
    assert (infos[ASSISTANT]["acts"], infos[HUMAN]["acts"]) == (True, False)
    observations, _, _, _, infos = env.step({ASSISTANT: "Which factor?", HUMAN: "not my turn"})
    assert (infos[ASSISTANT]["acts"], infos[HUMAN]["acts"]) == (False, True)
    assert observations[HUMAN].endswith("Which factor?")
    assert observations[ASSISTANT] == ""
    observations, _, _, _, infos = env.step({HUMAN: "Three. " + "x" * 500})
    assert observations[ASSISTANT].startswith("Three.")
    assert len(observations[ASSISTANT]) == MAX_REPLY
    assert infos[HUMAN]["action_clipped"] is True
    assert observations[HUMAN] == ""
    _, rewards, terminated, _, infos = env.step(
        {ASSISTANT: "I WANT TO ANSWER: scale = lambda x: x * 3"}
    )
    assert rewards == {ASSISTANT: 1.0, HUMAN: 1.0}
    assert terminated == {ASSISTANT: True, HUMAN: True}
    assert "not my turn" not in env.transcript()


def test_the_leak_of_a_human_agent_is_measured(tasks):
    env = BackendEnv(tasks=tasks, human="agent")
    env.reset(seed=0, options={"task": "double/0"})
    env.step({ASSISTANT: "Show me the code."})
    env.step({HUMAN: env.training_information()})
    assert env.ep.leak.share == 1.0


def test_hidden_tests_differ_by_rules(tasks):
    helper = "def twice(x):\n    return x * 2\ndef scale(x):\n    return twice(x)"
    scores = {}
    for rules in ("fixed", "legacy"):
        env = BackendEnv(tasks=tasks, rules=rules)
        env.reset(seed=0, options={"task": "double/0"})
        scores[rules] = env.step({ASSISTANT: f"I WANT TO ANSWER: {helper}"})[1][ASSISTANT]
    assert scores == {"fixed": 1.0, "legacy": 0.0}


def test_wrong_arguments_name_the_fix():
    with pytest.raises(ConfigError, match="'fixed' or 'legacy'"):
        BackendEnv(rules="new")
    with pytest.raises(ConfigError, match="at least 1"):
        BackendEnv(max_turns=0)
    with pytest.raises(ConfigError, match="scripted"):
        BackendEnv(human="robot")


def test_constructors_do_no_input_or_output(tmp_path):
    BackendEnv(tasks=str(tmp_path / "not there.jsonl"))


# --- the views -------------------------------------------------------------------------------


def test_gymnasium_view(tasks):
    env = gym.make("ColBench/Backend-v0", tasks=tasks, render_mode="ansi")
    observation, _ = env.reset(seed=0, options={"task": "double/0"})
    assert observation == tasks[0].brief
    snapshot = env.unwrapped.snapshot()
    first = env.step("Which factor?")
    env.unwrapped.restore(snapshot)
    assert env.step("Which factor?") == first
    assert "assistant_0: Which factor?" in env.render()
    assert [m["role"] for m in env.unwrapped.messages()] == ["system", "user", "assistant", "user"]
    assert env.unwrapped.training_information() == env.unwrapped.env.training_information()
    assert env.unwrapped.state() == env.unwrapped.env.state()
    _, reward, terminated, truncated, info = env.step(f"I WANT TO ANSWER: {CODE}")
    assert (reward, terminated, truncated) == (1.0, True, False)
    assert info["score"].value == 1.0
    env.close()


def test_gymnasium_view_needs_one_learner():
    with pytest.raises(ConfigError, match="parallel_env"):
        gym.make("ColBench/Backend-v0", human=None)


def test_make_imports_the_package_by_itself():
    assert gym.make("colbench_env:ColBench/Backend-v0").reset(seed=0)[0]


def test_registration_is_idempotent():
    before = dict(gym.registry)
    colbench_env.register_envs()
    assert dict(gym.registry) == before


def test_aec_view():
    for human in ("scripted", None):
        env = backend_v0.env(human=human)
        env.reset(seed=0)
        steps = 0
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            assert env.observation_space(agent).contains(observation)
            env.step(None if terminated or truncated else "Well?")
            steps += 1
        assert steps >= 11
    assert "hidden" in env.state()
    assert callable(api_test)  # it needs observations with a dtype, so text cannot pass it


def test_pettingzoo_registry():
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this PettingZoo has no registry")
    env = pettingzoo.make("parallel", "ColBench/Backend-v0", human=None)
    assert env.reset(seed=0)[0].keys() == {ASSISTANT, HUMAN}
    pettingzoo.make("aec", "ColBench/Backend-v0").reset(seed=0)


def test_legacy_rules_and_none(tasks):
    task = double_task()
    none = {**task.private[HUMAN], "reference": "def scale(x):\n    return None"}
    task = type(task)(task.id, task.brief, {HUMAN: none}, task.hidden)
    for rules, score in (("fixed", 1.0), ("legacy", 0.0)):
        env = BackendEnv(tasks=[task], rules=rules)
        env.reset(seed=0)
        code = none["reference"]
        assert env.step({ASSISTANT: f"I WANT TO ANSWER: {code}"})[1][ASSISTANT] == score
