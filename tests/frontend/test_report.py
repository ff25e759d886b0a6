"""Reports show the pages beside the dialogue."""

import re

from colbench_env.baselines.rollout import Plan, collect
from colbench_env.baselines.scripted import make_policy
from colbench_env.cli import pictures as module
from colbench_env.cli.pictures import WANTED, pictures
from colbench_env.cli.report import write_report
from colbench_env.envs.backend import BackendEnv
from colbench_env.envs.frontend import FrontendEnv
from colbench_env.errors import MissingDependencyError


def play():
    plans = [Plan(0, 0, "cards/profile")]
    [episode] = collect(lambda: FrontendEnv(renderer="blitz"), make_policy("draft"), plans)
    return episode


def test_pictures_stand_beside_the_dialogue(tmp_path):
    episode = play()
    shown = pictures(episode, {"settings": {}})
    turns = [i for i, m in enumerate(episode.messages) if m.agent == "assistant_0"]
    assert set(shown) == {WANTED, *turns}
    write_report(tmp_path / "r.html", title="x", run={"settings": {}}, episodes=[episode])
    html = (tmp_path / "r.html").read_text()
    assert len(re.findall(r'<img src="data:image/png;base64,iVBOR', html)) == len(shown)
    assert html.count('alt="the page wanted"') == 1


def test_what_cannot_be_drawn_is_left_out(monkeypatch):
    episode = play()
    assert WANTED not in pictures(episode, {"tasks": "procedural"})
    assert pictures(episode, {"tasks": "procedural"})

    def missing(name):
        raise MissingDependencyError(name)

    monkeypatch.setattr(module, "make_renderer", missing)
    assert pictures(episode, {}) == {}


def test_other_environments_have_no_pictures():
    [episode] = collect(lambda: BackendEnv(), make_policy("answer-at-once"), [Plan(0, 0)])
    assert pictures(episode, {}) == {}
