# lines of HTML
"""`ColBench/Frontend-v0`: its rules, views and renderings, and that listening pays."""

from __future__ import annotations

import json

import gymnasium as gym
import numpy as np
import pytest

import colbench_env  # noqa: F401  # registers the ids
from colbench_env import frontend_v0
from colbench_env.baselines.rollout import Plan, Query, collect
from colbench_env.baselines.scripted import make_policy
from colbench_env.baselines.scripted_frontend import draft, draft_and_ignore
from colbench_env.browser import Page
from colbench_env.checker import check_env
from colbench_env.envs.frontend import FrontendEnv, extract_page
from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.page_viewer import SATISFIED
from colbench_env.records import Reply
from colbench_env.rewards.page_similarity import Comparison, PageSimilarity

ME, PERSON = "assistant_0", "human_0"
PAGE = "<html><body><h1>Hello</h1></body></html>"
BAD = "<html><body>" + "<div>" * 300 + "</body></html>"


def make(**kwargs) -> FrontendEnv:
    return FrontendEnv(**{"renderer": "blitz", **kwargs})


def begin(env: FrontendEnv, task: str = "cards/shop") -> str:
    return env.reset(seed=1, options={"task": task})[0][ME]


def test_an_episode():
    env = make()
    brief = begin(env)
    assert brief == env.task.brief
    observations, rewards, terminated, truncated, infos = env.step({ME: f"thinking OUTPUT: {PAGE}"})
    assert "I miss" in observations[ME]
    assert rewards == {ME: 0.0}
    assert terminated == truncated == {ME: False}
    assert infos[ME] == {"acts": True, "turn": 1, "max_turns": 10}
    assert env.ep.page == PAGE
    assert env.ep.log[1].thought.strip() == "thinking"
    html = env.training_information()
    assert env.step({ME: html})[0][ME] == SATISFIED
    _, rewards, terminated, _, infos = env.step({ME: f"I WANT TO ANSWER:\n```html\n{html}\n```"})
    assert rewards == {ME: 1.0}
    assert terminated == {ME: True}
    assert infos[ME]["score"].details["engine"] == "blitz"


def test_an_answer_without_a_page_hands_in_the_last_one():
    env = make()
    begin(env)
    env.step({ME: env.training_information()})
    assert env.step({ME: "I WANT TO ANSWER: that one"})[1][ME] == 1


def test_the_last_message_ends_it():
    env = make(max_turns=2)
    begin(env)
    env.step({ME: "no page"})
    _, rewards, terminated, _, infos = env.step({ME: "still none"})
    assert terminated[ME]
    assert rewards[ME] == 0
    assert infos[ME]["score"].details["problem"] == "no page was shown"


@pytest.mark.parametrize(
    ("message", "notice"),
    [
        ("hello", "held no page"),
        (BAD, "nested more than"),
        ("I WANT TO ANSWER: OUTPUT: hello", "private thought"),
    ],
)
def test_what_shows_nothing_is_said_so(message, notice):
    env = make()
    begin(env)
    env.step({ME: PAGE})
    observations = env.step({ME: message})[0]
    assert notice in observations[ME]
    assert env.ep.page == PAGE
    assert env.ep.turn == 2


def test_legacy_rules_replace_the_page_by_one_that_fails():
    env = make(rules="legacy")
    begin(env)
    env.step({ME: env.training_information()})
    assert env.step({ME: f"I WANT TO ANSWER: {BAD}"})[1][ME] == 0
    begin(env)
    env.step({ME: env.training_information()})
    assert env.step({ME: "I WANT TO ANSWER: no page"})[1][ME] == 0


@pytest.mark.parametrize(
    ("text", "page", "legacy"),
    [
        (f"See: {PAGE} ok?", PAGE, PAGE),
        (f"{PAGE} or {PAGE.replace('Hello', 'Bye')}", PAGE, PAGE),
        ("<HTML lang=en><p>x</HTML>", "<HTML lang=en><p>x</HTML>", "<HTML lang=en><p>x</HTML>"),
        ("<body><p>x</body>", "<body><p>x</body>", "<body><p>x</body>"),
        ("```html\n<p>x</p>\n```", "<p>x</p>\n", None),
        ("<html><p>cut off", "<html><p>cut off", None),
        ("```\nprint(1)\n```", None, None),
        ("use <header> here", None, None),
        ("", None, None),
    ],
)
def test_pages_in_messages(text, page, legacy):
    assert extract_page(text) == page
    assert extract_page(text, "legacy") == legacy


def test_the_person_sees_two_pictures_and_nothing_else():
    seen = []

    class Seeing:
        name, version = "seeing", "1"

        def reply(self, views):
            seen.extend(views)
            return [Reply("fine") for _ in views]

    env = make(human=Seeing())
    begin(env)
    env.step({ME: PAGE})
    [view] = seen
    assert view.wanted.png().startswith(b"\x89PNG")
    assert view.shown.png() != view.wanted.png()
    assert set(type(view).__dataclass_fields__) == {"wanted", "shown", "seed"}


@pytest.mark.parametrize("observation", ["delta", "transcript"])
def test_a_human_agent_is_told_in_words_what_stands_where(observation):
    env = make(human=None, observation=observation)
    observations, infos = env.reset(seed=0, options={"task": "cards/shop"})
    assert "The page in your head" in observations[PERSON]
    assert "Clay & Kiln" in observations[PERSON]
    assert "page in your head" not in observations[ME]
    observations, *_, infos = env.step({ME: f"<html><body class='unseen'>{PAGE[12:]}"})
    assert infos[PERSON]["acts"]
    assert not infos[ME]["acts"]
    assert 'the words "Hello"' in observations[PERSON]
    assert "unseen" not in observations[PERSON] + json.dumps(env.messages(PERSON))
    observations, *_ = env.step({PERSON: "make it blue" + "!" * 2000})
    assert observations[ME].count("make it blue") == 1
    assert len(env.ep.log[-1].text) == 1000
    assert env.step({ME: f"I WANT TO ANSWER: {PAGE}"})[1].keys() == {ME, PERSON}


@pytest.mark.parametrize(
    "kwargs", [{}, {"human": None}, {"tasks": "procedural"}, {"rules": "legacy"}]
)
def test_the_contract(kwargs):
    assert len(check_env(make(**kwargs))) >= 9


def test_snapshots_go_on_with_the_page():
    env, other = make(), make()
    begin(env)
    env.step({ME: PAGE})
    snapshot = json.loads(json.dumps(env.snapshot()))
    rest = [env.step({ME: message}) for message in (PAGE, "I WANT TO ANSWER: it")]
    other.restore(snapshot)
    assert [other.step({ME: message}) for message in (PAGE, "I WANT TO ANSWER: it")] == rest


def test_no_reference_reaches_the_assistant():
    env = make()
    env.reset(seed=0, options={"task": "cards/shop"})
    tokens = {"hidden": "canaryhidden", PERSON: "canaryperson"}
    task = env._plant(env.task, tokens)
    env.reset(seed=0, options={"task": task})
    while env.agents:
        result = env.step({ME: PAGE})
        shown = json.dumps([result[0], repr(result[4]), env.messages(ME)])
        assert "canary" not in shown
    assert all(token in env.state() for token in tokens.values())
    assert "canaryperson" in env.training_information()
    assert "canaryhidden" not in env.training_information()


def test_a_renderer_that_fails_truncates():
    class Broken:
        def render(self, pages):
            return [Fault("renderer", "not started", retry=False) for _ in pages]

    env = make()
    env.renderer = Broken()
    begin(env)
    _, rewards, terminated, truncated, infos = env.step({ME: PAGE})
    assert (rewards[ME], terminated[ME], truncated[ME]) == (0, False, True)
    assert "not started" in infos[ME]["fault"]


def test_a_reference_that_cannot_be_drawn_is_nobodys_score():
    env = make()
    begin(env)
    env.task = type(env.task).from_dict(
        {**env.task.to_dict(), "private": {PERSON: {"reference": BAD}}}
    )
    assert env.step({ME: PAGE})[3][ME]
    assert "reference" in env.ep.fault


def test_pictures():
    env = make(render_mode="rgb_array")
    begin(env)
    assert (env.render() == 255).all()
    env.step({ME: PAGE})
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.shape == (720, 1280, 3)
    assert picture.min() < 50
    assert make(render_mode="ansi").render() is not None


def test_both_pages_side_by_side(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    env = make(render_mode="human")
    begin(env)
    env.step({ME: PAGE})
    assert env.render() is None
    assert "side by side" in capsys.readouterr().out
    [file] = tmp_path.glob("*.html")
    assert file.read_text().count("data:image/png;base64,") == 2
    monkeypatch.setattr("tempfile.tempdir", None)


def test_through_gymnasium_and_pettingzoo():
    env = gym.make("ColBench/Frontend-v0", renderer="blitz", render_mode="rgb_array")
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    assert env.step(PAGE)[1] == 0
    assert env.render().shape[1:] == (1280, 3)
    vector = gym.make_vec("ColBench/Frontend-v0", num_envs=3, renderer="blitz")
    vector.reset(seed=0)
    assert len(vector.step([PAGE] * 3)[0]) == 3
    aec = frontend_v0.env(renderer="blitz")
    aec.reset(seed=0)
    assert aec.agent_selection == ME


@pytest.mark.parametrize(
    "kwargs",
    [
        {"rules": "x"},
        {"max_turns": 0},
        {"human": "x"},
        {"reward": "x"},
        {"renderer": "x"},
        {"render_mode": "x"},
        {"tasks": "x"},
    ],
)
def test_wrong_arguments_are_refused(kwargs):
    with pytest.raises(ConfigError):
        make(**kwargs).reset(seed=0)


def curve(policy, count: int, turns: int = 4) -> np.ndarray:
    """Mean score of the page after each of the first turns, over built-in tasks."""
    env, reward = make(), PageSimilarity()
    values = np.zeros((count, turns))
    for k in range(count):
        observations, infos = env.reset(seed=k, options={"task": env.tasks[k]})
        for turn in range(turns):
            if env.agents:
                query = Query(ME, observations[ME], env.messages(ME), infos[ME], 0)
                observations, *_, infos = env.step({ME: policy(query)})
            pages = env.renderer.render([env.training_information(), env.ep.page or ""])
            assert all(isinstance(page, Page) for page in pages)
            [score] = reward.score([Comparison(*pages)])
            values[k, turn] = score.value
    return values.mean(0)


def test_an_assistant_that_listens_improves_in_each_of_three_turns_and_another_does_not():
    listening, ignoring = curve(draft, 42), curve(draft_and_ignore, 12)
    print(
        "mean score after each page, listening:", listening.round(3), "ignoring:", ignoring.round(3)
    )
    assert (np.diff(listening) > 0.005).all(), listening
    assert listening[1] > 0.4
    assert ignoring.max() == ignoring.min() < 0.1


def test_policies_by_name():
    env_ids = [make().tasks[i].id for i in (0, 10, 20, 30)]
    plans = [Plan(i, i, task) for i, task in enumerate(env_ids)]
    means = {
        name: np.mean([e.score.value for e in collect(make, make_policy(name), plans)])
        for name in ("oracle", "draft", "draft-and-ignore", "draft-once")
    }
    assert means["oracle"] == 1
    assert means["oracle"] > means["draft"] > 0.4 > means["draft-once"] == means["draft-and-ignore"]
