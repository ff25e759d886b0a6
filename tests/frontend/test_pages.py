# ruff: noqa: E501  # lines of HTML
"""Tasks: built-in pages, the generator, ColBench's files, WebSight, and 500 real records."""

from __future__ import annotations

import gzip
import json
import sys
import types

import numpy as np
import pytest

from colbench_env.browser import Page
from colbench_env.errors import ConfigError, MissingDependencyError, TaskError, TaskNotFoundError
from colbench_env.rewards.page_similarity import Comparison, PageSimilarity
from colbench_env.tasks import load_tasks
from colbench_env.tasks.page_generator import generate_page
from colbench_env.tasks.pages import GeneratedPages, WebSightTasks, builtin_pages, read_pages

from .conftest import draw


def test_built_in_pages(blitz):
    tasks = builtin_pages()
    assert len(tasks) >= 40
    assert {task.split for task in tasks} == {"train", "test"}
    assert {task.labels["family"] for task in tasks} == {
        "articles", "cards", "dashboards", "forms", "landing", "tables",
    }  # fmt: skip
    assert len(tasks.split("test")) >= 10
    drawn = blitz.render([task.private["human_0"]["reference"] for task in tasks])
    for task, page in zip(tasks, drawn, strict=True):
        assert page.problem is None, task.id
        assert len(page.blocks) >= 4, task.id
        assert len(task.brief) < 250, task.id
        assert page.pixels.shape[0] < 1500, task.id
    pairs = [Comparison(a, b) for a in drawn for b in drawn if a is not b]
    values = [score.value for score in PageSimilarity().score(pairs)]
    assert np.mean(values) < 0.2
    assert max(values) < 0.6  # no two are alike


def test_briefs_leave_most_words_of_the_page_open():
    for task in builtin_pages():
        html = task.private["human_0"]["reference"].lower()
        words = [w for w in task.brief.lower().split() if len(w) > 6]
        assert sum(w.strip(".,:") in html for w in words) <= len(words) / 2 + 1, task.id


def test_the_generator(blitz):
    pages = load_tasks("procedural", kind="frontend")
    assert len(pages) == 1_000_000
    assert pages[7] == pages["page/7"] == load_tasks("procedural", kind="frontend")[7]
    assert [pages[i].split for i in range(10)] == [*["train"] * 4, "test"] * 2
    for split in ("train", "test"):
        part = pages.split(split)
        assert all(
            part[i].split == split and part.get(part[i].id) == part[i] for i in (0, 1, 5, 99)
        )
    assert len(pages.split("train")) + len(pages.split("test")) == len(pages)
    for wrong in ("page/x", "page/01", "page/1000000", "other/1"):
        with pytest.raises(TaskNotFoundError):
            pages.get(wrong)
    with pytest.raises(TaskNotFoundError):
        pages.split("test").get("page/0")
    drawn = blitz.render([pages[i].private["human_0"]["reference"] for i in range(30)])
    assert all(page.problem is None and len(page.blocks) > 8 for page in drawn)
    assert len({page.tiles.tobytes() for page in drawn}) == 30


def test_a_generated_page_never_changes():
    brief, html, family = generate_page(12)
    assert (brief, html, family) == generate_page(12)
    assert brief.startswith("A ")
    assert html.startswith("<html>")


def test_colbench_files(tmp_path):
    records = [
        {"problem_description": f"brief {i}", "ground_truth": f"<html>{i}</html>"} for i in range(3)
    ]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "pages_train.jsonl").write_text(lines)
    (tmp_path / "pages.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    train = load_tasks(tmp_path / "pages_train.jsonl", kind="frontend")
    assert train["pages_train/2"].private == {"human_0": {"reference": "<html>2</html>"}}
    assert train[0].split == "train"
    assert load_tasks(tmp_path / "pages.jsonl.gz", kind="frontend")[1].brief == "brief 1"
    (tmp_path / "bad.jsonl").write_text('{"problem_description": "x"}\n')
    with pytest.raises(TaskError, match="ground_truth"):
        load_tasks(tmp_path / "bad.jsonl", kind="frontend")[0]


def test_websight(monkeypatch):
    asked = {}

    class Rows(list):
        def select_columns(self, names):
            return Rows({name: row[name] for name in names} for row in self)

    def load_dataset(repository, name, split):
        asked.update(repository=repository, name=name, split=split)
        count = int(split.removeprefix("train[:").removesuffix("]"))
        return Rows(
            {"llm_generated_idea": f"idea {i}", "text": f"<html>{i}</html>", "image": b""}
            for i in range(count)
        )

    datasets = types.ModuleType("datasets")
    datasets.load_dataset = load_dataset
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    tasks = load_tasks("hub:HuggingFaceM4/WebSight?rows=1200", kind="frontend")
    assert isinstance(tasks, WebSightTasks)
    assert not asked  # nothing is opened before it is needed
    assert len(tasks) == 1200
    assert asked == {
        "repository": "HuggingFaceM4/WebSight",
        "name": "v0.2",
        "split": "train[:1200]",
    }
    assert (tasks[3].brief, tasks[3].private["human_0"]["reference"]) == (
        "idea 3",
        "<html>3</html>",
    )
    assert len(tasks.split("test")) == 1000
    assert tasks.split("train")[0].id == "HuggingFaceM4/WebSight/1000"
    assert tasks.split("train").get("HuggingFaceM4/WebSight/1100").brief == "idea 1100"
    with pytest.raises(TaskNotFoundError):
        tasks.split("train").get("HuggingFaceM4/WebSight/3")


def test_websight_without_datasets(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingDependencyError, match="colbench-env"):
        len(WebSightTasks())


@pytest.mark.parametrize("spec", ["procedural?size=x", "procedural?seed=1", "hub:a/b?size=3"])
def test_wrong_arguments_are_refused(spec):
    with pytest.raises(ConfigError, match="expected"):
        load_tasks(spec, kind="frontend")


def test_wrong_splits_are_refused():
    with pytest.raises(ConfigError, match="train"):
        GeneratedPages().split("dev")
    with pytest.raises(ConfigError, match="at least 5"):
        GeneratedPages(2)


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[[task]]\nid='a'\nsplit='train'\nbrief='b'", "html"),
        ("[[task]]\nid='a'\nsplit='dev'\nbrief='b'\nhtml='c'", "split"),
        ("[[task]]\nid='a'\nsplit='train'\nbrief='b'\nhtml='c'\ncss='d'", "css"),
        ("[[task", "x.toml"),
    ],
)
def test_malformed_files_are_named(toml, words):
    with pytest.raises(TaskError, match=words):
        read_pages(toml, "x.toml")


@pytest.mark.parametrize(("engine", "count"), [("blitz", 500), ("chromium", 500)])
def test_real_records(engine, count, data, request):
    """All render, each is as good as itself, and another record's page is no substitute."""
    renderer = request.getfixturevalue(engine)
    tasks = load_tasks(data / "colbench" / "frontend_dev.jsonl", kind="frontend").take(count)
    reward = PageSimilarity()
    previous: Page | None = None
    others = []
    for task in tasks:
        page = draw(renderer, task.private["human_0"]["reference"])
        assert page.problem is None, task.id
        [score] = reward.score([Comparison(page, page)])
        assert score.value == 1, task.id
        if previous is not None:
            others.append(reward.score([Comparison(page, previous)])[0].value)
        previous = page
    print(
        f"{engine}: {len(others) + 1} records, mean score of another record's page {np.mean(others):.3f}"
    )
    assert len(others) == count - 1
    assert np.mean(others) <= 0.35
