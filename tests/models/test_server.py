"""`openai:MODEL@URL` against a server of the test's own that misbehaves in every way we know."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import os
import pickle
import subprocess
import sys
import threading

import chat_server as behave
import pytest

from colbench_env.errors import Fault
from colbench_env.models import Completion, Image, ModelError, Request, make_model, raise_final

ASK = Request(({"role": "user", "content": "What is the factor?"},), max_tokens=5, seed=3)


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


def test_no_text_breaks_it(server, model):
    text = "\ud800 \x00 \u2028 😀 </s>"
    [answer] = model.generate([Request(({"role": "user", "content": text},))])
    assert answer.text == "Yes, it is 7."
    assert server.seen[0]["messages"][0]["content"] == text.replace("\ud800", "?")


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
    first = min(server.seen, key=lambda body: body["input"])
    assert first == {"model": "m", "input": "a", "encoding_format": "float"}
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
