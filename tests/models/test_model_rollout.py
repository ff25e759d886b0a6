"""`colbench rollout` with models on both sides, by name."""

from __future__ import annotations

import json

import pytest

from colbench_env.cli import main
from colbench_env.episodes import read_episodes, read_header
from colbench_env.models import make_model

KEY = "sk-rollout-secret-987654"


@pytest.fixture
def rollout(server, tmp_path, monkeypatch):
    """Run the command against the test's server; return its status and its file."""
    monkeypatch.setenv("COLBENCH_TEST_KEY", KEY)
    out = tmp_path / "episodes.jsonl"

    def run(*arguments: str, policy_options: str = ""):
        model = f"openai:m@{server.url}?key_env=COLBENCH_TEST_KEY&retries=0"
        command = ["rollout", "Backend-v0", "--tasks", "procedural", "-n", "4", "--out", str(out)]
        policy = f"{model}&max_tokens=32{policy_options}"
        command += ["--policy", policy, "--human", f"{model}&persona=terse", *arguments]
        try:
            return main(command), out
        finally:
            make_model(model).close()
            make_model(f"{model}{policy_options}").close()

    return run


def assistant_or_person(body):
    from chat_server import chat_reply

    if "You are a programmer." in body["messages"][0]["content"]:
        said = sum(m["role"] == "assistant" for m in body["messages"])
        return chat_reply("I WANT TO ANSWER: def f(x): return x" if said else "How much is it?")
    return chat_reply("It is 7.")


def test_both_sides_are_models(server, rollout, capsys):
    server.answer = assistant_or_person
    code, out = rollout()
    assert code == 0
    episodes = list(read_episodes(out))
    assert sorted(e.extra["index"] for e in episodes) == [0, 1, 2, 3]
    for episode in episodes:
        assert [m.text for m in episode.messages[1:3]] == ["How much is it?", "It is 7."]
        assert episode.score is not None
        assert [t.extra["completion_tokens"] for t in episode.turns] == [5, 5]
    printed = capsys.readouterr()
    assert "95 %" in printed.out
    everything = json.dumps(read_header(out)) + out.read_text() + printed.out + printed.err
    assert KEY not in everything


def test_a_spent_budget_ends_the_command_and_the_same_command_goes_on(
    server, rollout, capsys, monkeypatch
):
    """75 tokens pay for five messages of the assistant: two episodes, and half of a third."""
    server.answer = assistant_or_person

    def command():
        monkeypatch.setattr("colbench_env.models.specs._made", {})  # as in a new process
        return rollout("--num-envs", "1", policy_options="&budget_tokens=75")

    code, out = command()
    assert code == 1
    assert "75 of 75 tokens" in capsys.readouterr().err
    assert [e.extra["index"] for e in read_episodes(out)] == [0, 1]
    code, out = command()
    assert code == 0
    episodes = list(read_episodes(out))
    assert [e.extra["index"] for e in episodes] == [0, 1, 2, 3]
    assert all(e.score is not None for e in episodes)
