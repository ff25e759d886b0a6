"""Budgets, whole episodes and secrets: what a run keeps when its server does not behave."""

from __future__ import annotations

import dataclasses
import json
import logging
import pickle
import traceback

import chat_server as behave
import pytest

from colbench_env.backend_v0 import parallel_env
from colbench_env.baselines.rollout import Plan, collect
from colbench_env.baselines.scripted import ScriptedPolicy, hand_in
from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.model_played import ModelHuman
from colbench_env.models import Completion, ModelError, Request, make_model, raise_final
from colbench_env.models.replay import ReplayModel
from colbench_env.models.server import ServerModel

ASK = Request(({"role": "user", "content": "What is the factor?"},), max_tokens=5, seed=3)


# --- budget -----------------------------------------------------------------------------------


def requests(count: int) -> list[Request]:
    return [dataclasses.replace(ASK, seed=i) for i in range(count)]


def test_a_budget_in_tokens_is_passed_by_one_request_at_most(server, connect):
    model = connect(budget_tokens=100)
    answers = model.generate(requests(30))
    done = [a for a in answers if isinstance(a, Completion)]
    refused = [a for a in answers if isinstance(a, Fault)]
    assert 100 <= model.usage.tokens < 100 + 15
    assert len(done) == 7
    assert {(f.kind, f.retry) for f in refused} == {("budget", False)}
    assert "of 100 tokens" in refused[0].message
    assert len(server.seen) == 7


def test_a_budget_in_money_is_kept(server, connect):
    model = connect(budget_usd=0.001, price_in=10, price_out=40)
    answers = model.generate(requests(20))  # 10 * 10 + 5 * 40 = 300 millionths a request
    assert sum(isinstance(a, Completion) for a in answers) == 4
    assert model.usage.cost == pytest.approx(0.0012)
    with pytest.raises(ModelError, match=r"\$0.00 of \$0.00"):
        raise_final(answers)


def test_a_budget_in_money_wants_prices():
    with pytest.raises(ConfigError, match="price_in"):
        ServerModel("m", "http://127.0.0.1:9/v1", budget_usd=1.0)


def test_a_spent_budget_stops_the_run_and_loses_nothing(
    server, tmp_path, full_marks, tasks, connect
):
    """The person stops the run; what was paid for is recorded and serves the next run."""
    recording = tmp_path / "replies.sqlite"
    paid = connect(budget_tokens=100)
    with pytest.raises(ModelError, match="budget"):
        play(ModelHuman(ReplayModel(recording, paid)), full_marks, tasks, 4)
    sent = len(server.seen)
    assert sent == 7
    more = connect()
    episodes = play(ModelHuman(ReplayModel(recording, more)), full_marks, tasks, 4)
    assert [e.score.value for e in episodes] == [1.0] * 4
    assert len(server.seen) == 12  # four episodes of three replies, none asked twice


# --- whole episodes ---------------------------------------------------------------------------


def three_questions(query):
    said = sum(m["role"] == "assistant" for m in query.messages)
    return f"Question {said}?" if said < 3 else hand_in("def scale(x): return 2 * x")


def play(human, reward, tasks, count):
    def make():
        return parallel_env(tasks=tasks, human=human, reward=reward)

    plans = [Plan(i, i, tasks[i % len(tasks)].id) for i in range(count)]
    policy = ScriptedPolicy("asks", three_questions)
    return sorted(collect(make, policy, plans, num_envs=8), key=lambda e: e.extra["index"])


def test_no_episode_is_lost_or_scored_wrongly(server, full_marks, tasks, connect):
    """Passing faults leave no trace; what fails for good ends its own episodes alone, labelled."""

    def answer(body):
        told = json.dumps(body["messages"])
        return behave.status(500) if "x * 4" in told else behave.chat_reply(f"It is {len(told)}.")

    model = connect(retries=0)
    server.answer = answer
    clean = play(ModelHuman(model), full_marks, tasks, 10)
    server.plan = [
        behave.status(429),
        behave.truncated,
        behave.wrong_type,
        behave.no_choices,
        behave.hang_up,
        behave.hang_up_midway,
        behave.empty_text,
        behave.status(502),
    ]
    server.plan += [server.plan[i % 8] for i in range(6)]
    faulty = play(ModelHuman(model), full_marks, tasks, 10)
    assert [e.to_dict() for e in faulty] == [e.to_dict() for e in clean]
    assert [e.extra["index"] for e in faulty] == list(range(10))
    failed = [e for e in faulty if e.score is None]
    assert {e.task_id for e in failed} == {"double/2"}
    assert all(e.truncated and not e.terminated and "http 500" in e.fault for e in failed)
    assert all(e.return_ == {"assistant_0": 0.0} for e in failed)
    assert [e.score.value for e in faulty if e.score] == [1.0] * 8


# --- secrets ----------------------------------------------------------------------------------


def test_the_key_reaches_no_log_no_episode_and_no_traceback(
    server, monkeypatch, caplog, full_marks, tasks, connect
):
    key = "sk-very-secret-0123456789"
    monkeypatch.setenv("COLBENCH_TEST_KEY", key)
    sent = []

    def echo(handler):  # a server that quotes the caller's header in its error
        sent.append(handler.headers["Authorization"])
        handler.send(
            json.dumps({"error": {"message": f"bad key {sent[-1]}", "code": f"k {key}"}}), 401
        )

    def echo_400(handler):
        handler.send(json.dumps({"error": {"message": f"bad {key}", "type": "bad"}}), 400)

    model = connect(key_env="COLBENCH_TEST_KEY", retries=0)
    server.answer = lambda body: echo_400
    with caplog.at_level(logging.DEBUG):
        episodes = play(ModelHuman(model), full_marks, tasks, 2)
        server.answer = lambda body: echo
        with pytest.raises(ModelError, match="COLBENCH_TEST_KEY") as caught:
            play(ModelHuman(model), full_marks, tasks, 2)
    assert sent[0] == f"Bearer {key}"
    inner = caught.tb.tb_next  # this very function knows the key
    trace = traceback.TracebackException(
        caught.type, caught.value, inner, capture_locals=True, compact=True
    )
    places = {
        "episodes": json.dumps([e.to_dict() for e in episodes]),
        "log": caplog.text,
        "traceback": "".join(trace.format()),
        "repr": repr(model) + repr(vars(model)) + repr(vars(ModelHuman(model))),
        "pickle": repr(pickle.dumps(model)),
        "usage": repr(model.usage) + model.name,
    }
    assert [name for name, text in places.items() if key in text] == []
    assert "http 400" in places["episodes"]
    assert "[COLBENCH_TEST_KEY]" in places["log"]  # it did pass through the log, and was taken out


@pytest.mark.parametrize(
    "spec",
    [
        "openai:m@https://user:sk-secret@host/v1",
        "openai:m@https://host/v1?key_env=sk-secret",
        "openai:m@https://host/v1?api_key=sk-secret",
        "openai:m@ftp://sk-secret@host/v1",
    ],
)
def test_a_key_in_the_name_is_refused_and_not_repeated(spec):
    with pytest.raises(ConfigError) as caught:
        make_model(spec)
    assert "sk-secret" not in "".join(traceback.format_exception(caught.value))
