"""Facts read off references, and the mutations that show whether they matter."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from dialogues import RANKING, SHIPPING, make_task

from colbench_env.humans.derived_facts import derived_facts, mutants
from colbench_env.humans.fact_analysis import counted_facts
from colbench_env.records import Task
from colbench_env.tasks import load_tasks


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        (
            "if not xs:\n  return 0\n return sum(xs)",
            "empty",
            "If the xs are empty, the result is 0.",
        ),
        ("return len(xs) / 2", "rounding", "Nothing is rounded, I want it exact."),
        ("return round(xs, 1)", "rounding", "Please round it to 1 decimal."),
        ("return int(xs)", "rounding", "The xs has to be a whole number, cut off after the point."),
        (
            "return xs // 7",
            "rounding",
            "The xs divided by 7, rounded down, so no fraction is kept.",
        ),
        (
            "return 'a' if xs > 5 else 'b'",
            "limit",
            "For the xs the rule says more than 5, so exactly 5 is not included.",
        ),
        (
            "return 1 <= xs < 9",
            "limit",
            "For the xs the rule says at least 1, so exactly 1 is included.",
        ),
        ("return ', '.join(xs)", "separator", '", " goes between the parts.'),
        (
            "return sorted(xs, reverse=True)",
            "order",
            "I want it sorted highest first.",
        ),
        ("return xs.get('k', 3)", "default", 'If "k" is missing in the xs, take 3.'),
        (
            "raise KeyError('gone')",
            "error",
            'I want an error (KeyError) saying "gone"',
        ),
        ("fee = 30\n return xs * fee", "constant", "The fee is 30."),
        ("return xs / 100", "units", "The xs is a percentage, so 5 means 5 percent."),
        (
            "return sum(x for x in xs if x > 2)",
            "filter",
            "Only those count where the item is more than 2 (each item in the xs).",
        ),
        ("return len(set(xs))", "duplicates", "Duplicates in the xs count once."),
        ("return f'{xs} left'", "text", 'The result is "<xs> left"'),
        (
            "days = ['Mon', 'Tue']\n return xs in days",
            "members",
            '"Mon" and "Tue" belong to the days.',
        ),
        (
            "return xs == 'a' or xs == 'b'",
            "case",
            'The result is true if the xs are "a" or "b", otherwise false.',
        ),
    ],
)
def test_what_a_reference_says(body: str, kind: str, text: str) -> None:
    facts = derived_facts(f"def f(xs):\n {body}\n")
    assert (kind, text) in [(d.kind, d.fact.text) for d in facts]


def test_no_fact_speaks_code() -> None:
    for reference in (SHIPPING, RANKING):
        for derived in derived_facts(reference):
            for text in (derived.fact.text, *derived.fact.also):
                assert not any(sign in text for sign in ("==", ">=", "def ", "_", "[", "lambda"))
                assert len(text) <= 400


def test_ids_are_unique_and_tell_the_place() -> None:
    facts = derived_facts(SHIPPING)
    assert len({d.fact.id for d in facts}) == len(facts)
    assert all(d.fact.id.startswith(f"{d.kind}@{d.line}:") for d in facts)


def test_every_mutation_changes_the_tree() -> None:
    for reference in (SHIPPING, RANKING):
        tree = ast.dump(ast.parse(reference))
        for derived in derived_facts(reference):
            changed = list(mutants(reference, derived))
            assert changed
            assert all(ast.dump(ast.parse(code)) != tree for code in changed)


def test_a_place_that_is_not_there_is_an_error() -> None:
    [first, *_] = derived_facts(SHIPPING)
    with pytest.raises(LookupError):
        list(mutants("def other():\n    return 1\n", first))


def test_only_what_hidden_calls_depend_on_counts() -> None:
    calls = ["shipping_cost(3, 'home')", "shipping_cost(25, 'far')", "shipping_cost(2, 'mars')"]
    task = make_task(SHIPPING)
    task = Task(task.id, task.brief, task.private, {"entry": "shipping_cost", "calls": calls})
    [facts] = counted_facts([task])
    texts = " ".join(d.fact.text for d in facts)
    assert "no delivery" in texts
    assert "0.35" in texts
    assert "1.6" not in texts  # no call asks for express
    assert "ValueError" not in texts


def test_most_real_records_have_facts_that_count(data: Path) -> None:
    tasks = list(load_tasks(data / "colbench" / "backend_dev.jsonl"))[::10]
    sizes = [sum(d.kind != "shape" for d in facts) for facts in counted_facts(tasks)]
    assert sum(size >= 2 for size in sizes) / len(sizes) >= 0.7


def test_no_real_reference_is_too_strange(data: Path) -> None:
    lines = (data / "colbench" / "backend_dev.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines:
        reference = json.loads(line)["ground_truth"]
        for derived in derived_facts(reference):
            assert list(mutants(reference, derived))
