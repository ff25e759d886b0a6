"""The labelled questions: well formed, and answered as well as the benchmark says."""

from __future__ import annotations

import json
from pathlib import Path

import human_recall


def test_the_questions_are_many_and_of_all_kinds() -> None:
    records = json.loads(human_recall.QUESTIONS.read_text(encoding="utf-8"))["records"]
    questions = [question for record in records for question in record["questions"]]
    assert len(records) >= 60
    assert len({record["index"] for record in records}) == len(records)
    assert len(questions) >= 200
    assert {question["kind"] for question in questions} == {
        "specific",
        "vague",
        "compound",
        "wrong-premise",
        "off-topic",
        "unanswerable",
    }
    silent = ("off-topic", "unanswerable")
    assert all((question["kind"] in silent) == (not question["answers"]) for question in questions)


def test_questions_find_their_facts(data: Path) -> None:
    rows = human_recall.ask_all(data / "colbench" / "backend_dev.jsonl")
    summary = human_recall.summary(rows)
    right, asked = summary["top-1 accuracy"]
    assert right / asked >= 0.8
    right, silent = summary["precision of don't know"]
    assert right / silent >= 0.9
    sealed = human_recall.summary([row for row in rows if row["half"] in human_recall.SEALED])
    right, asked = sealed["top-1 accuracy"]
    assert right / asked >= 0.74, "below what the documentation says of questions never looked at"


def test_a_wilson_interval() -> None:
    low, high = human_recall.wilson(8, 10)  # worked out by hand from the formula
    assert (round(low, 3), round(high, 3)) == (0.49, 0.943)
    assert human_recall.wilson(0, 0) == (0.0, 1.0)
