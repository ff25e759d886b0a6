"""The built-in tasks, the reader of their files, and the check that ships."""

from __future__ import annotations

import pytest

from colbench_env.errors import TaskError
from colbench_env.records import Task
from colbench_env.tasks import load_tasks
from colbench_env.tasks.builtin_tasks import read_toml
from colbench_env.tasks.check import best_constant_share, check, main

GOOD = """
[[task]]
id = "t/limit"
split = "train"
brief = "Sort numbers. The signature of the function is: def band(x)"
reference = '''
def band(x):
    if x is None:
        return "?"
    if x > 40:
        return "high"
    if x > 20:
        return "middle"
    return "low"
'''
calls = ["band(None)", "band(40)", "band(41)", "band(99)", "band(20)", "band(21)", "band(30)",
         "band(0)", "band(-4)", "band(5)"]
[[task.fact]]
id = "high"
text = "Everything above 40 is high, 40 itself is not."
mutation = { old = "x > 40", new = "x >= 40" }
"""


def read(tmp_path, text: str) -> list[Task]:
    path = tmp_path / "t.toml"
    path.write_text(text, encoding="utf-8")
    return read_toml(path)


def problems(tmp_path, *changes: tuple[str, str]) -> list[str]:
    text = GOOD
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return list(check(read(tmp_path, text)))


@pytest.mark.sandbox
def test_every_builtin_task_passes_the_check(capsys):
    assert main([]) == 0
    assert "0 problems" in capsys.readouterr().out


def test_builtin_tasks_have_both_splits_and_distinct_briefs():
    tasks = list(load_tasks("builtin"))
    assert {task.split for task in tasks} == {"train", "test"}
    assert len({task.brief for task in tasks}) == len(tasks)


def test_a_file_is_read_into_tasks(tmp_path):
    [task] = read(tmp_path, GOOD)
    assert (task.id, task.split) == ("t/limit", "train")
    assert task.labels == {"source": "builtin", "family": "t", "difficulty": 1}
    assert task.hidden["entry"] == "band"
    assert len(task.hidden["calls"]) == 10
    assert task.hidden["mutations"] == {"high": {"old": "x > 40", "new": "x >= 40"}}
    assert task.private["human_0"]["reference"].startswith("def band(x):\n")
    assert [fact["id"] for fact in task.private["human_0"]["facts"]] == ["high"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[[task]]", "[[task", r"t\.toml: "),
        ("[[task]]", "[other]\n[[task]]", "unknown table 'other'"),
        ('id = "t/limit"\n', "", r"t\.toml:2: task '\?': field 'id'"),
        ('split = "train"', 'split = "dev"', "field 'split' is 'dev'"),
        ('split = "train"', "hint = 3", "unknown field 'hint'"),
        ('"band(None)",', "3,", "field 'calls'"),
        ('"band(None)"', '"band("', "'band\\(' is no expression"),
        ('text = "Everything above 40 is high, 40 itself is not."', "", "'high': field 'text'"),
        ('mutation = { old = "x > 40", new = "x >= 40" }', "", "field 'mutation'"),
        ('old = "x > 40"', 'old = "return"', "occurs 4 times"),
        ("[[task.fact]]", GOOD[GOOD.index("[[task.fact]]") :] + "[[task.fact]]", "field 'id'"),
    ],
)
def test_a_malformed_file_names_the_place(tmp_path, old, new, message):
    with pytest.raises(TaskError, match=message):
        read(tmp_path, GOOD.replace(old, new))


@pytest.mark.sandbox
def test_the_check_finds_each_fault(tmp_path):
    assert problems(tmp_path) == []
    faults = {
        "idle": [('new = "x >= 40"', 'new = "x > 40 "')],
        "reference fails": [('return "middle"', "return x / 0")],
        "band(None): failed: recorded: null": [('return "?"', "return")],
        "9 calls": [('"band(None)", ', "")],
        "two calls are the same": [('"band(99)"', '"band(41)"')],
        "constant answer passes every call": [
            ('return "?"', 'return "low"'),
            ('return "high"', 'return "low"'),
            ('return "middle"', 'return "low"'),
        ],
        "constant answer passes 70%": [
            ("band(41)", "band(1)"),
            ("band(21)", "band(2)"),
            ("band(99)", "band(3)"),
        ],
        "different results": [('return "?"', 'return "low"'), ('return "middle"', 'return "high"')],
        "reads code aloud": [("40 itself", "x == 40 itself")],
        "two sentences": [("40 itself is", "40. Not 40. That is")],
        "characters, at most 400": [("40 itself", "40 itself" + " really" * 60)],
        "already says 40": [("Sort numbers.", "Sort numbers, mind the 40.")],
        "does not name the function": [("is: def band(x)", "is: x")],
        "lines": [('    if x > 20:\n        return "middle"\n', "")],
    }
    for words, changes in faults.items():
        found = problems(tmp_path, *changes)
        assert any(words in problem for problem in found), (words, found)


@pytest.mark.sandbox
def test_the_check_finds_two_tasks_of_one_id(tmp_path):
    assert any("2 tasks have this id" in p for p in check(read(tmp_path, GOOD) * 2))


@pytest.mark.sandbox
def test_the_command_checks_one_file(tmp_path, capsys):
    path = tmp_path / "t.toml"
    path.write_text(GOOD, encoding="utf-8")
    assert main([str(path)]) == 0
    assert capsys.readouterr().out == "1 tasks, 1 facts, 0 problems\n"
    path.write_text(GOOD.replace(">= 40", "> 40 "), encoding="utf-8")
    assert main([str(path)]) == 1
    assert "t/limit: fact 'high' is idle" in capsys.readouterr().out


def test_the_command_reports_a_bad_spec(capsys):
    assert main(["nothing"]) == 1
    assert "no task source 'nothing'" in capsys.readouterr().err


def test_the_best_constant():
    assert best_constant_share(["1", "2", "1", "3"]) == 0.5
