"""Procedural tasks: the same everywhere, short, and solvable only by asking."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_env.errors import ConfigError, TaskNotFoundError
from colbench_env.records import Dialogue, Fact, Message, Task
from colbench_env.tasks import load_tasks
from colbench_env.tasks.check import check, run
from colbench_env.tasks.procedural import FAMILIES, ProceduralTasks, recognise
from colbench_env.tasks.procedural.generate import HIDDEN, PARAMETERS, generate

kinds = st.tuples(
    st.sampled_from(list(FAMILIES.values())), st.integers(1, 5), st.integers(0, 10**9)
)


def facts_of(task: Task) -> dict[str, Fact]:
    facts = [Fact.from_dict(data) for data in task.private["human_0"]["facts"]]
    return {fact.id: fact for fact in facts}


def reference_of(task: Task) -> str:
    return task.private["human_0"]["reference"]


def digest(source: ProceduralTasks, count: int) -> str:
    text = json.dumps([task.to_dict() for task in source.take(count)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def results(code: str, calls: list[str]) -> list[str]:
    """Run code made from this package's own templates, without the sandbox for speed."""
    space: dict = {}
    exec(code, space)
    found = []
    for call in calls:
        try:
            found.append(repr(eval(call, space)))
        except Exception as error:
            found.append(repr(error))
    return found


def test_there_are_enough_families_and_no_two_begin_alike():
    assert len(FAMILIES) >= 24
    assert sum(family.heldout for family in FAMILIES.values()) >= 6
    heads = [(head, family.name) for family in FAMILIES.values() for head in family.heads]
    for head, name in heads:
        assert {other for h, other in heads if h.startswith(head)} == {name}


def test_the_page_about_tasks_lists_every_family():
    page = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")
    listed = re.findall(r"`(\w+)`(\*?)[,\s|]", page.partition("| theme |")[2].partition("\n\n")[0])
    assert listed == [(f.name, "*" if f.heldout else "") for f in FAMILIES.values()]


def test_no_first_parameter_can_be_guessed_often():
    rng = random.Random(0)
    for family in FAMILIES.values():
        draws = [family.core[0].values.draw(rng) for _ in range(2000)]
        assert max(draws.count(value) for value in set(draws)) < 0.1 * len(draws), family.name


@settings(max_examples=400, deadline=None)
@given(kinds)
def test_a_task_is_short_and_hides_what_its_difficulty_says(kind):
    family, difficulty, number = kind
    task = generate(family, difficulty, number)
    facts = facts_of(task)
    assert len(task.brief) <= 300
    assert len(reference_of(task)) <= 250
    assert len(reference_of(task).splitlines()) <= 6
    assert all(len(text) <= 90 for fact in facts.values() for text in (fact.text, *fact.also))
    assert len(set(task.hidden["calls"])) == 10
    assert len(facts) == HIDDEN[difficulty]
    told = recognise(task.brief).told
    assert len(facts) + len(told) == max(PARAMETERS[difficulty], len(family.core))
    assert family.core[0].name in facts
    assert Task.from_dict(json.loads(json.dumps(task.to_dict()))) == task


@settings(max_examples=400, deadline=None)
@given(kinds)
def test_questions_answers_and_code_fit_together(kind):
    task = generate(*kind)
    facts = facts_of(task)
    solver = recognise(task.brief)
    assert solver.family == kind[0].name
    assert {question.parameter for question in solver.questions} == set(facts)
    heard = {}
    for question in solver.questions:
        fact = facts[question.parameter]
        for text in (fact.text, *fact.also):
            assert solver.read(question, f"Well, {text} Anything else?") == fact.answers[fact.id]
        heard[fact.id] = solver.read(question, fact.text)
        for other in facts.values():
            if other is not fact:
                assert solver.read(question, other.text) is None
    assert solver.code(heard, guess=False) == reference_of(task)


@settings(max_examples=150, deadline=None)
@given(kinds, st.integers())
def test_any_other_value_of_any_parameter_changes_a_call(kind, seed):
    family = kind[0]
    task = generate(*kind)
    solver = recognise(task.brief)
    values = {
        **solver.told,
        **{k: v for f in facts_of(task).values() for k, v in f.answers.items()},
    }
    right = results(reference_of(task), task.hidden["calls"])
    assert not any("Error" in result or result == "None" for result in right)
    assert len(set(right)) > 1
    rng = random.Random(seed)
    for parameter in family.parameters:
        if parameter.name in values:
            for other in {parameter.values.draw(rng) for _ in range(8)} - {values[parameter.name]}:
                code = solver.code({**values, parameter.name: other})
                assert results(code, task.hidden["calls"]) != right, (parameter.name, other)


@pytest.mark.sandbox
def test_the_shipped_check_finds_nothing():
    assert list(check(list(ProceduralTasks(seed=5).take(100)), strict=False)) == []


@pytest.mark.sandbox
def test_only_who_asks_and_uses_the_answers_succeeds():
    tasks = list(ProceduralTasks(seed=1).take(500))
    assert {task.labels["difficulty"] for task in tasks} == {1, 2, 3, 4, 5}
    assert {task.labels["family"] for task in tasks} == set(FAMILIES)
    codes = []
    for task in tasks:
        solver = recognise(task.brief)
        facts = facts_of(task)
        replies = {question: facts[question.parameter].text for question in solver.questions}
        heard = {q.parameter: solver.read(q, reply) for q, reply in replies.items()}
        ignored = {q.parameter: None for q in replies}
        at_once = solver.code({})
        assert solver.code({k: v for k, v in ignored.items() if v is not None}) == at_once
        assert solver.code(heard) == reference_of(task)
        codes.append((reference_of(task), at_once))
    calls = [(task.hidden["entry"], task.hidden["calls"]) for task in tasks]
    right, guessed = (
        run([(code[i], *call) for code, call in zip(codes, calls, strict=True)]) for i in (0, 1)
    )
    assert not any(text.startswith("failed") for row in right for text in row)
    assert sum(a == b for a, b in zip(guessed, right, strict=True)) <= 0.1 * len(tasks)


def test_the_scripted_human_answers_these_questions():
    from colbench_env.humans.scripted import ScriptedHuman

    human = ScriptedHuman()
    tasks = ProceduralTasks(seed=2).take(500)
    failed = []
    for task in tasks:
        solver = recognise(task.brief)
        rng = random.Random(task.id)
        messages = [Message("human_0", task.brief)]
        heard = {}
        for question in rng.sample(solver.questions, len(solver.questions)):
            asked = rng.choice((question.text, *question.also))
            messages.append(Message("assistant_0", asked))
            [reply] = human.reply([Dialogue(task, tuple(messages))])
            messages.append(Message("human_0", reply.text))
            value = solver.read(question, reply.text)
            heard |= {} if value is None else {question.parameter: value}
        if solver.code(heard) != reference_of(task):
            failed.append([message.text for message in messages])
    assert failed == []


def test_the_solver_names_what_it_lacks():
    task = load_tasks("procedural").get("procedural/clip/2/0")
    solver = recognise(task.brief)
    with pytest.raises(ConfigError, match="no value for 'upper'"):
        solver.code({}, guess=False)
    with pytest.raises(ConfigError, match="no parameter 'top'"):
        solver.code({"top": 3})
    assert recognise("Write a sorting function. def f(x)") is None


def test_tasks_are_the_same_byte_for_byte_everywhere():
    """Change this digest together with `generate.VERSION`, never alone."""
    expected = "0b0c4ae1cadd90bc98416cc17c540437382d955e707aa1d36a8379811204252f"
    assert digest(ProceduralTasks(), 250) == expected
    code = (
        "import hashlib, json; from colbench_env.tasks import load_tasks;"
        "ts = [t.to_dict() for t in load_tasks('procedural').take(250)];"
        "print(hashlib.sha256(json.dumps(ts, sort_keys=True).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "123"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == expected


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from([None, "train", "test", "heldout"]),
    st.sampled_from([None, 1, 4]),
    st.integers(0, 3),
    st.integers(0, 10**7),
)
def test_a_task_is_made_from_its_id_alone(split, difficulty, seed, index):
    source = ProceduralTasks(difficulty, split, seed=seed)
    task = source[index]
    assert task.id == source.ids[index]
    assert task.id in source
    assert ProceduralTasks().get(task.id) == task
    assert source.take(index + 1)[task.id] == task
    assert pickle.loads(pickle.dumps(source))[index] == task
    if split == "heldout":
        assert task.labels["heldout"]
    elif split is not None:
        assert (task.split, task.labels["heldout"]) == (split, False)
    for other in {"train", "test", "heldout"} - {split}:
        if split is not None:
            assert task.id not in ProceduralTasks(difficulty, other, seed=seed)


def test_a_spec_chooses_difficulty_split_and_families():
    source = load_tasks("procedural?difficulty=3&families=clip,join&seed=2", split="train")
    first = list(source.take(4))
    assert [task.labels["family"] for task in first] == ["clip", "join", "clip", "join"]
    assert {(t.labels["difficulty"], t.split) for t in first} == {(3, "train")}
    assert len(source) > 10**6
    assert source.split("train") is source
    with pytest.raises(ConfigError, match="this source has train"):
        source.split("test")


def test_bad_arguments_name_what_there_is():
    with pytest.raises(ConfigError, match="1 to 5"):
        ProceduralTasks(difficulty=6)
    with pytest.raises(ConfigError, match="train, test, heldout"):
        ProceduralTasks(split="dev")
    with pytest.raises(ConfigError, match="no family 'clap'; there are"):
        ProceduralTasks(families=["clap"])
    with pytest.raises(ConfigError, match="in the split 'heldout'"):
        ProceduralTasks(split="heldout", families=["clip"])
    with pytest.raises(ConfigError, match="0 or more"):
        ProceduralTasks(seed=-1)
    with pytest.raises(TaskNotFoundError, match="did you mean the family clip"):
        load_tasks("procedural").get("procedural/clipp/1/0")
    for wrong in ("clip", "procedural/clip/6/0", "procedural/clip/1/01", "procedural/clip/1/-1"):
        with pytest.raises(TaskNotFoundError, match="FAMILY/DIFFICULTY/NUMBER"):
            load_tasks("procedural").get(wrong)
