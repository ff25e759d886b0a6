"""Recordings: once made, they answer for ever; a miss says what differs."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sqlite3
import subprocess
import sys

import pytest
from scripted_model import ScriptedModel

from colbench_env.errors import ConfigError, Fault
from colbench_env.models import Completion, Request, Usage, make_model
from colbench_env.models.replay import ReplayMissError, ReplayModel


def request(question="What is the factor?", **other):
    chat = (
        {"role": "system", "content": "You know \ud800 it."},
        {"role": "user", "content": question},
    )
    return Request(
        chat, **{"task": "double/1", "prompt": "backend-chat-1/plain", "seed": 4} | other
    )


def words(request):
    return f"{request.messages[-1]['content']} {request.seed} {request.task} {request.prompt}"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "file+with?odd name.sqlite"


@pytest.fixture
def recorded(path):
    ReplayModel(path, ScriptedModel(words)).generate(
        [request(), request("And the offset?", seed=9)]
    )
    return path


def test_what_was_recorded_comes_back_without_the_model(recorded):
    asked = [request("And the offset?", seed=9), request()]
    [second, first] = ReplayModel(recorded).generate(asked)
    assert [second.text, first.text] == [words(asked[0]), words(asked[1])]
    assert first.model == "model"


def test_whole_completions_are_kept(path):
    full = Completion("a", "length", "m", Usage(1, 0, 2, 3, 0.5), (1, 2), (3,), (-0.25,))
    model = ScriptedModel(words)
    model.generate = lambda requests: [full]
    assert ReplayModel(path, model).generate([request()]) == [full]
    assert ReplayModel(path).generate([request()]) == [full]


def test_only_what_is_missing_is_asked_and_each_request_once(recorded):
    model = ScriptedModel(words)
    replay = ReplayModel(recorded, model)
    answers = replay.generate([request(), request(seed=5), request(seed=5), request(seed=6)])
    assert [[r.seed for r in batch] for batch in model.batches] == [[5, 6]]
    assert [a.text for a in answers] == [words(request(seed=s)) for s in (4, 5, 5, 6)]
    assert replay.usage.requests == 1


@pytest.mark.parametrize("field", ["prompt", "task", "seed"])
def test_each_part_of_the_key_counts(recorded, field):
    other = dataclasses.replace(request(), **{field: 77 if field == "seed" else "other"})
    with pytest.raises(ReplayMissError, match=f"{field} differs: recorded .*asked '(77|other)'"):
        ReplayModel(recorded).generate([other])


def test_what_is_no_part_of_the_key_does_not_count(recorded):
    asked = dataclasses.replace(request(), temperature=0.7, max_tokens=9, stop=("x",))
    assert ReplayModel(recorded).generate([asked])[0].text == words(request())


def test_a_miss_shows_where_the_dialogue_differs(recorded):
    with pytest.raises(ReplayMissError) as caught:
        ReplayModel(recorded).generate([request("What is the fraction?")])
    message = str(caught.value)
    assert "(2 completions)" in message
    assert "from message 1 on" in message
    assert "What is the factor?" in message
    assert "What is the fraction?" in message
    assert "task differs" not in message
    assert "+openai:MODEL@URL" in message


def test_a_miss_by_length_says_so(recorded):
    longer = dataclasses.replace(
        request(), messages=(*request().messages, {"role": "user", "content": "Please."})
    )
    with pytest.raises(ReplayMissError, match="2 messages recorded, 3 asked"):
        ReplayModel(recorded).generate([longer])


def test_the_first_recording_stays(recorded):
    """Two processes that met the same miss end up with the same words."""

    def meanwhile(request):  # another process is quicker
        ReplayModel(recorded, ScriptedModel(lambda r: "first")).generate([request])
        return "second"

    asked = request(seed=8)
    assert ReplayModel(recorded, ScriptedModel(meanwhile)).generate([asked])[0].text == "first"
    assert ReplayModel(recorded).generate([asked])[0].text == "first"


def test_faults_are_passed_on_and_not_recorded(path):
    model = ScriptedModel(lambda r: Fault("m", "http 500"))
    [fault] = ReplayModel(path, model).generate([request()])
    assert fault.kind == "http 500"
    with pytest.raises(ReplayMissError, match=r"\(0 completions\)"):
        ReplayModel(path).generate([request()])


def test_many_processes_record_at_once(path):
    script = f"""
import sys
from colbench_env.models import Request, Completion, Usage
from colbench_env.models.replay import ReplayModel
class Model:
    name, usage = "m" + sys.argv[1], Usage()
    def generate(self, requests):
        return [Completion(f"{{r.seed}} by {{sys.argv[1]}}") for r in requests]
replay = ReplayModel({str(path)!r}, Model())
for i in range(25):
    print(replay.generate([Request(text="all", seed=i), Request(text=sys.argv[1], seed=i)])[0].text)
"""
    run = [sys.executable, "-c", script]
    workers = [
        subprocess.Popen([*run, str(i)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for i in range(4)
    ]
    outputs = [worker.communicate(timeout=120) for worker in workers]
    assert {error for _, error in outputs} == {""}
    assert len({out for out, _ in outputs}) == 1  # all heard the same words for the same request
    replay = ReplayModel(path)
    for i in range(4):
        own = [Request(text=str(i), seed=s) for s in range(25)]
        assert [a.text for a in replay.generate(own)] == [f"{s} by {i}" for s in range(25)]
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name]


def test_a_missing_file_names_the_fix(path):
    with pytest.raises(ConfigError, match=r"replay:.*\+openai:MODEL@URL"):
        ReplayModel(path).generate([request()])
    assert not path.exists()


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no database at all " * 100)
    with pytest.raises(ConfigError, match="no recording"):
        ReplayModel(path).generate([request()])


def test_a_recording_can_be_read_where_nothing_can_be_written(recorded, monkeypatch):
    monkeypatch.setattr("colbench_env.models.replay.os.access", lambda *_: False)
    assert ReplayModel(recorded).generate([request()])[0].text == words(request())
    assert sorted(p.name for p in recorded.parent.iterdir()) == [recorded.name]


def test_it_writes_ahead(recorded):
    file = sqlite3.connect(recorded)
    assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    file.close()


def test_names():
    assert isinstance(make_model("replay:a.sqlite"), ReplayModel)
    both = make_model("replay:a+b.sqlite+openai:m@http://127.0.0.1:9/v1?timeout=3")
    assert both.path.name == "a+b.sqlite"
    assert both.fallback.timeout == 3.0
    assert both.fallback is make_model("openai:m@http://127.0.0.1:9/v1?timeout=3")
    with pytest.raises(ConfigError, match="replay:FILE"):
        make_model("replay:a.sqlite?persona=terse")


def test_copies_are_shared_and_pickles_work(recorded):
    replay = ReplayModel(recorded)
    assert copy.deepcopy(replay) is replay
    assert pickle.loads(pickle.dumps(replay)).generate([request()])[0].text == words(request())


def test_embeddings_come_from_the_fallback(recorded):
    assert ReplayModel(recorded, ScriptedModel(words)).embed(["a"]) == [(1.0,)]
    with pytest.raises(ConfigError, match="no embeddings"):
        ReplayModel(recorded).embed(["a"])
