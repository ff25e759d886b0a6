"""Task sources: positions, ids, splits, errors, laziness, records in ColBench's own format."""

from __future__ import annotations

import gzip
import json
import pickle
import sys
import types

import numpy as np
import pytest

from colbench_env.errors import (
    ConfigError,
    MissingDependencyError,
    TaskError,
    TaskNotFoundError,
)
from colbench_env.records import Task
from colbench_env.tasks import TaskList, load_tasks
from colbench_env.tasks.jsonl import HubTasks, JsonlTasks
from colbench_env.tasks.source import entry_point


def record(number: int) -> dict:
    code = f"def half(x):\n    return x / {number + 2}\n"
    return {
        "problem_description": f"Divide it. Number {number}.",
        "ground_truth": code,
        "hidden_information": code,
        "test_cases": {f"test{i}": f"half({i})" for i in range(10)},
    }


def write(path, records) -> str:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return str(path)


@pytest.fixture
def some() -> TaskList:
    return TaskList(
        Task(f"shop/{i}", f"brief {i}", split="train" if i < 3 else "test") for i in range(5)
    )


def test_positions_ids_and_iteration_agree(some):
    assert len(some) == 5
    assert [task.id for task in some] == list(some.ids)
    assert some[-1] is some["shop/4"] is some.get("shop/4")
    assert "shop/4" in some
    assert "shop/5" not in some
    with pytest.raises(IndexError, match="0 to 4"):
        some[5]


def test_splits_are_views(some):
    train = some.split("train")
    assert list(train.ids) == ["shop/0", "shop/1", "shop/2"]
    assert train["shop/2"] is some["shop/2"]
    assert "shop/4" not in train
    with pytest.raises(TaskNotFoundError):
        train.get("shop/4")
    with pytest.raises(ConfigError, match="test, train"):
        some.split("validation")
    assert list(train.take(2).ids) == ["shop/0", "shop/1"]


def test_an_unknown_id_names_a_near_match(some):
    with pytest.raises(TaskNotFoundError, match="'shop/4'"):
        some.get("shpo/4")


def test_two_tasks_of_one_id_are_refused(some):
    with pytest.raises(TaskError, match="'shop/0'"):
        TaskList([*some, some[0]])


def test_sampling_reaches_every_task_and_repeats(some):
    draws = [some.sample(np.random.default_rng(seed)).id for seed in range(60)]
    assert set(draws) == set(some.ids)
    assert draws[7] == some.sample(np.random.default_rng(7)).id


def test_equal_specs_share_one_source(some):
    assert load_tasks("builtin") is load_tasks("builtin")
    assert load_tasks(some) is some
    assert len(load_tasks([some[0]])) == 1
    assert {t.split for t in load_tasks("builtin", split="test")} == {"test"}


def test_an_unknown_spec_names_what_there_is():
    with pytest.raises(ConfigError, match="'builtin', 'procedural', 'hub:"):
        load_tasks("biultin")
    with pytest.raises(ConfigError, match="no argument 'level'"):
        load_tasks("procedural?level=2")
    with pytest.raises(ConfigError, match="whole numbers"):
        load_tasks("procedural?difficulty=hard")
    for spec in ("records.jsonl", "builtin", "hub:somebody/something"):
        with pytest.raises(ConfigError, match="for 'opera'; use backend"):
            load_tasks(spec, kind="opera")
    with pytest.raises(ConfigError, match="use 'raise' or 'skip'"):
        JsonlTasks("records.jsonl", on_bad="ignore")


@pytest.mark.parametrize("packed", [False, True])
def test_colbench_records(tmp_path, packed):
    path = tmp_path / "backend_train.jsonl"
    write(path, [record(i) for i in range(40)])
    if packed:
        path = tmp_path / "backend_train.jsonl.gz"
        path.write_bytes(gzip.compress((tmp_path / "backend_train.jsonl").read_bytes()))
    source = load_tasks(str(path))
    assert len(source) == 40
    task = source["backend_train/17"]
    assert task == source[17]
    assert task.brief == "Divide it. Number 17."
    assert task.private["human_0"] == {"reference": record(17)["ground_truth"], "facts": []}
    assert task.hidden["entry"] == "half"
    assert task.hidden["calls"] == [f"half({i})" for i in range(10)]
    assert task.split == "train"
    assert source.split("train") is source
    assert Task.from_dict(json.loads(json.dumps(task.to_dict()))) == task
    assert pickle.loads(pickle.dumps(source))[39] == source[39]
    for absent in ("backend_train/40", "backend_train/017", "backend_train/", "other/1"):
        assert absent not in source


def test_nothing_is_opened_before_the_first_use(tmp_path):
    path = tmp_path / "late.jsonl"
    source = JsonlTasks(path)
    write(path, [record(0)])
    assert len(source) == 1
    with pytest.raises(TaskError, match=r"nowhere\.jsonl"):
        len(JsonlTasks(tmp_path / "nowhere.jsonl"))


BAD = {
    "not json": ("{", "not a JSON object"),
    "no object": ("[1]", "expected a JSON object"),
    "no brief": (json.dumps({**record(0), "problem_description": 3}), "'problem_description'"),
    "no reference": (json.dumps({**record(0), "ground_truth": " "}), "'ground_truth'"),
    "no tests": (json.dumps({**record(0), "test_cases": []}), "'test_cases'"),
    "null tests": (json.dumps({**record(0), "test_cases": {"test1": None}}), "'test_cases'"),
    "bad test": (json.dumps({**record(0), "test_cases": {"test1": 5}}), "'test1'"),
    "no call": (json.dumps({**record(0), "ground_truth": "x", "test_cases": {"a": "1"}}), "calls"),
    "surrogate": (json.dumps({**record(0), "problem_description": "\ud800"}), "UTF-8"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_malformed_record_is_named_or_skipped(tmp_path, kind):
    line, field = BAD[kind]
    path = tmp_path / "r.jsonl"
    path.write_text(f"{json.dumps(record(0))}\n\n{line}\n{json.dumps(record(2))}", encoding="utf-8")
    source = JsonlTasks(path)
    assert len(source) == 3
    assert source[2].brief.endswith("2.")
    with pytest.raises(TaskError, match=field) as caught:
        source[1]
    assert str(caught.value).startswith(f"{path}:3: ")
    skipping = load_tasks(str(path), on_bad="skip")
    assert list(skipping.ids) == ["r/0", "r/2"]
    assert skipping["r/2"] == source["r/2"]
    assert skipping.skipped == 1


def test_a_damaged_archive_is_a_task_error(tmp_path):
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(b"no archive")
    with pytest.raises(TaskError, match=r"r\.jsonl\.gz"):
        len(JsonlTasks(path))


def test_the_entry_point_is_the_function_that_the_calls_call():
    two = "def helper(x):\n    return x\n\ndef main(x):\n    return helper(x)"
    assert entry_point(["main(helper(1))"], two) == "main"
    assert entry_point(["sorted(main([2]))"], two) == "main"
    assert entry_point(["main(1) == 2"], two) == "main"
    assert entry_point(["other(1)"], "x = 1") == "other"
    with pytest.raises(TaskError, match="no test call"):
        entry_point(["1"], "x = 1")


def test_the_real_records_load(data):
    source = load_tasks(str(data / "colbench" / "backend_dev.jsonl"), on_bad="skip")
    assert (len(source), source.skipped) == (500, 0)
    for task in source:
        assert f"def {task.hidden['entry']}" in task.private["human_0"]["reference"]
        assert len(task.hidden["calls"]) == 10


def test_hub_records_come_through_datasets(monkeypatch):
    asked = []

    def load_dataset(repository, data_files, split):
        asked.append((repository, data_files, split))
        return [record(0), {**record(1), "ground_truth": None}, record(2)]

    monkeypatch.setitem(sys.modules, "datasets", types.SimpleNamespace(load_dataset=load_dataset))
    source = HubTasks("facebook/collaborative_agent_bench", on_bad="skip")
    assert asked == []
    train = source.split("train")
    assert list(train.ids) == [f"facebook/collaborative_agent_bench/train/{i}" for i in (0, 2)]
    assert train.skipped == 1
    assert train[train.ids[1]].brief.endswith("2.")
    assert asked == [
        ("facebook/collaborative_agent_bench", "backend_tasks/train.jsonl", "train"),
    ]
    with pytest.raises(TaskError, match="row 1: field 'ground_truth'"):
        HubTasks("facebook/collaborative_agent_bench")[1]
    with pytest.raises(ConfigError, match="test, train"):
        source.split("dev")
    assert pickle.loads(pickle.dumps(train))[0] == train[0]


def test_without_datasets_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'colbench-env\[hub\]'"):
        len(load_tasks("hub:facebook/collaborative_agent_bench"))
