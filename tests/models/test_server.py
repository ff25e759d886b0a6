"""`openai:MODEL@URL` against a server of the test's own that misbehaves in every way we know."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import json
import logging
import os
import pickle
import subprocess
import sys
import threading
import traceback

import chat_server as behave
import pytest

from colbench_env.backend_v0 import parallel_env
from colbench_env.baselines.rollout import Plan, collect
from colbench_env.baselines.scripted import ScriptedPolicy, hand_in
from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.model_played import ModelHuman
from colbench_env.models import Completion, Image, ModelError, Request, make_model, raise_final
from colbench_env.models.replay import ReplayModel
from colbench_env.models.server import ServerModel

ASK = Request(({"role": "user", "content": "What is the factor?"},), max_tokens=5, seed=3)


@pytest.fixture
def connect(server):
    """Make models of the server, and close them afterwards."""
    made = []

    def connect(url=server.url, **options):
        made.append(ServerModel("m", url, **options))
        return made[-1]

    yield connect
    for model in made:
        model.close()


@pytest.fixture
def model(connect):
    return connect(retries=1, timeout=10)


def test_a_chat_goes_out_and_comes_back(server, model):
    request = dataclasses.replace(ASK, temperature=0.5, stop=("\n",))
    [completion] = model.generate([request])
    assert isinstance(completion, Completion)
    assert (completion.text, completion.finish) == ("Yes, it is 7.", "stop")
    assert completion.usage.prompt_tokens, completion.usage.completion_tokens == (10, 5)
    [body] = server.seen
    assert server.paths == ["/v1/chat/completions"]
    assert body == {
        "model": "m",
        "messages": list(ASK.messages),
        "max_tokens": 5,
        "temperature": 0.5,
        "stop": ["\n"],
        "seed": request.noise_seed(),
    }


def test_a_text_goes_to_completions_and_the_default_temperature_is_left_out(server, model):
    model.generate([Request(text="Once upon", temperature=None)])
    assert server.paths == ["/v1/completions"]
    assert server.seen[0]["prompt"] == "Once upon"
    assert "temperature" not in server.seen[0]


def test_the_seed_depends_on_task_dialogue_and_seed():
    seeds = {
        ASK.noise_seed(),
        dataclasses.replace(ASK, seed=4).noise_seed(),
        dataclasses.replace(ASK, task="t").noise_seed(),
        dataclasses.replace(ASK, messages=({"role": "user", "content": "?"},)).noise_seed(),
    }
    assert len(seeds) == 4
    assert dataclasses.replace(ASK, max_tokens=9).noise_seed() == ASK.noise_seed()


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [
        (behave.status(500), "http 500"),
        (behave.status(503), "http 503"),
        (behave.status(429), "http 429"),
        (behave.truncated, "truncated json"),
        (behave.wrong_type, "content type"),
        (behave.wrong_shape, "bad reply"),
        (behave.no_choices, "empty reply"),
        (behave.empty_text, "empty reply"),
        (behave.null_text, "empty reply"),
        (behave.hang_up, "connection"),
        (behave.hang_up_midway, "connection"),
    ],
)
def test_what_fails_every_time_is_a_labelled_fault_and_a_later_request_succeeds(
    server, model, behaviour, kind
):
    server.plan = [behaviour] * 2  # the client itself tries again once, where that may help
    [fault] = model.generate([ASK])
    assert isinstance(fault, Fault)
    assert (fault.kind, fault.retry, fault.service) == (kind, True, model.name)
    server.plan = []
    [completion] = model.generate([ASK])
    assert completion.text == "Yes, it is 7."
    assert (model.usage.requests, model.usage.faults) == (2, 1)


@pytest.mark.parametrize(
    "behaviour", [behave.status(500), behave.status(429), behave.hang_up, behave.hang_up_midway]
)
def test_what_fails_once_is_tried_again_by_the_client(server, model, behaviour):
    server.plan = [behaviour]
    [completion] = model.generate([ASK])
    assert completion.text == "Yes, it is 7."
    assert len(server.seen) == 2


def test_a_late_answer_is_a_timeout(server, connect):
    model = connect(retries=0, timeout=0.2)
    server.plan = [behave.delayed]
    [late, good] = model.generate([ASK, dataclasses.replace(ASK, seed=9)])
    assert {type(late), type(good)} == {Fault, Completion}
    [fault] = [answer for answer in (late, good) if isinstance(answer, Fault)]
    assert (fault.kind, fault.retry) == ("timeout", True)


def test_no_server_at_all_is_a_connection_fault(connect):
    model = connect("http://127.0.0.1:9/v1", retries=0)
    [fault] = model.generate([ASK])
    assert fault.kind == "connection"


@pytest.mark.parametrize("code", [400, 422])
def test_a_refused_request_is_not_tried_again(server, model, code):
    server.plan = [behave.status(code, code="context_length_exceeded", message="print(secret)")]
    [fault] = model.generate([ASK])
    assert (fault.kind, fault.retry) == (f"http {code}", False)
    assert "context_length_exceeded" in fault.message
    assert "secret" not in fault.message  # the server's prose may quote the prompt
    assert len(server.seen) == 1


@pytest.mark.parametrize("code", [401, 403, 404])
def test_what_would_fail_every_request_stops_the_run(server, model, code):
    server.plan = [behave.status(code)]
    answers = model.generate([ASK])
    with pytest.raises(ModelError, match=f"http {code}"):
        raise_final(answers)


def test_a_model_that_ends_at_once_says_nothing_and_is_no_fault(server, model):
    server.answer = lambda body: behave.chat_reply("", (10, 1))
    [completion] = model.generate([ASK])
    assert (completion.text, completion.usage.completion_tokens) == ("", 1)


def test_uncounted_tokens_are_estimated(server, model):
    server.answer = lambda body: behave.chat_reply("12345678", None)
    model.generate([ASK])
    assert model.usage.prompt_tokens == len("What is the factor?") // 4 + 1
    assert model.usage.completion_tokens == 3


def test_as_many_requests_are_under_way_as_allowed_and_no_more(server, connect):
    model = connect(concurrency=3, retries=0)
    barrier, lock, under_way, most = threading.Barrier(3, timeout=20), threading.Lock(), [0], [0]

    def answer(body):
        with lock:
            under_way[0] += 1
            most[0] = max(most[0], under_way[0])
        barrier.wait()
        with lock:
            under_way[0] -= 1
        return behave.chat_reply("ok")

    server.answer = answer
    answers = model.generate([dataclasses.replace(ASK, seed=i) for i in range(12)])
    assert [a.text for a in answers] == ["ok"] * 12
    assert most == [3]


def test_answers_come_in_the_order_of_the_requests(server, model):
    server.answer = lambda body: behave.chat_reply(body["messages"][0]["content"])
    requests = [Request(({"role": "user", "content": str(i)},)) for i in range(40)]
    assert [a.text for a in model.generate(requests)] == [str(i) for i in range(40)]


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


# --- pictures, embeddings ---------------------------------------------------------------------

PNG = b"\x89PNG\r\n\x1a\n-pixels"


def test_pictures_go_along_as_data_urls(server):
    model = make_model(f"openai:eyes@{server.url}?images=true")
    model.generate([dataclasses.replace(ASK, images=(Image(PNG), Image(PNG + b"2")))])
    text, first, second = server.seen[0]["messages"][-1]["content"]
    assert text == {"type": "text", "text": "What is the factor?"}
    assert first["image_url"]["url"] == "data:image/png;base64,iVBORw0KGgotcGl4ZWxz"
    assert second["image_url"]["url"] != first["image_url"]["url"]
    model.close()


def test_a_model_without_eyes_is_told_what_the_picture_shows(server, model):
    picture = Image(PNG, "A red box, 10 by 20, at the top left.")
    model.generate([dataclasses.replace(ASK, images=(picture,))])
    content = server.seen[0]["messages"][-1]["content"]
    assert content == "What is the factor?\n\nA red box, 10 by 20, at the top left."


def test_embeddings_have_length_one(server, model):
    server.answer = lambda body: {
        "data": [{"embedding": [3.0, 4.0]}],
        "usage": {"prompt_tokens": 6},
    }
    assert model.embed(["a", "b"]) == [(0.6, 0.8)] * 2
    assert server.seen[0] == {"model": "m", "input": "a", "encoding_format": "float"}
    assert model.usage.prompt_tokens == 12
    server.answer = lambda body: {"data": [{"embedding": None}]}
    assert model.embed(["a"])[0].kind == "bad reply"


# --- life of the object -----------------------------------------------------------------------


def test_copies_share_it_and_pickles_leave_the_connection_behind(server, model):
    model.generate([ASK])
    assert copy.deepcopy(model) is model
    other = pickle.loads(pickle.dumps(model))
    assert other.generate([ASK])[0].text == "Yes, it is 7."
    other.close()


def test_it_works_where_a_loop_is_running(model):
    async def cell():
        return model.generate([ASK])

    assert asyncio.run(cell())[0].text == "Yes, it is 7."


def test_a_forked_process_makes_its_own_connection(server):
    script = f"""
import os
from colbench_env.models import Request, make_model
ask = Request(({{"role": "user", "content": "?"}},))
model = make_model("openai:m@{server.url}")
assert model.generate([ask])[0].text == "Yes, it is 7."
child = os.fork()
assert model.generate([ask])[0].text == "Yes, it is 7."
if child:
    assert os.waitpid(child, 0)[1] == 0
    print("both")
"""
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ)
    assert done.stdout == "both\n", done.stderr
