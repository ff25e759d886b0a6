"""Does the scripted human find the fact that a question is about?

Asks the labelled questions of `tests/humans/questions.json`, each as the first question of a fresh
dialogue, about real ColBench backend records, and prints top-1 accuracy (the first fact told is one
that answers; for a question without an answer: no fact is told) and the precision of "I don't
know" (the share of such replies that were given to questions without an answer), with
95 % intervals (Wilson, JASA 22, 1927), for each set of questions, for all independent ones together
and for all. How the sets came about is told in docs/humans.md.

    python benchmarks/human_recall.py --tasks backend_dev.jsonl
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

from colbench_env.humans import ScriptedHuman
from colbench_env.humans.remarks import DONT_KNOW
from colbench_env.records import Dialogue, Message, Reply, Task

QUESTIONS = Path(__file__).parent.parent / "tests" / "humans" / "questions.json"
SEALED = ("held-out", "independent-b")
"""Sets of which only totals are looked at."""


def read_task(record: dict[str, Any], index: int) -> Task:
    """Return a Backend task made of one raw record, as far as the human needs it."""
    private = {"reference": record["ground_truth"], "facts": []}
    return Task(str(index), record["problem_description"], {"human_0": private})


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    if n == 0:
        return (0.0, 1.0)
    z, p = 1.96, hits / n
    centre, spread = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return ((centre - spread) / (1 + z * z / n), (centre + spread) / (1 + z * z / n))


def is_right(answers: list[str], told: tuple[str, ...]) -> bool:
    """Whether a reply that told these facts answers a question with this label."""
    if answers == ["any"]:
        return bool(told)
    return told[0] in answers if told and answers else not told and not answers


def ask_all(tasks_path: Path) -> list[dict[str, Any]]:
    """Ask every question; return one row for each, with what was told and whether it is right.

    Raises:
        ValueError: A record is not the one that the questions were written for.
    """
    records = [json.loads(line) for line in tasks_path.read_text(encoding="utf-8").splitlines()]
    human, rows = ScriptedHuman(), []
    for entry in json.loads(QUESTIONS.read_text(encoding="utf-8"))["records"]:
        record = records[entry["index"]]
        text = f"{record['problem_description']}\n{record['ground_truth']}"
        if hashlib.sha256(text.encode()).hexdigest()[:12] != entry["sha256"]:
            raise ValueError(f"record {entry['index']} of {tasks_path} is not the labelled one")
        task = read_task(record, entry["index"])
        for question in entry["questions"]:
            opening = Message("human_0", task.brief)
            messages = (opening, Message("assistant_0", question["text"]))
            [reply] = human.reply([Dialogue(task, messages)])
            assert isinstance(reply, Reply)
            row = {**question, "index": entry["index"], "half": entry["half"]}
            right = is_right(question["answers"], reply.facts)
            rows.append({**row, "told": reply.facts, "reply": reply.text, "right": right})
    return rows


def summary(rows: list[dict[str, Any]]) -> dict[str, tuple[int, int]]:
    """Return hits and number of cases by measure: accuracy, precision, and accuracy by kind."""
    result = {"top-1 accuracy": (sum(r["right"] for r in rows), len(rows))}
    silent = [r for r in rows if r["reply"] in DONT_KNOW]
    result["precision of don't know"] = (sum(not r["answers"] for r in silent), len(silent))
    open_questions = [r for r in rows if not r["answers"]]
    result["recall of don't know"] = (sum(r["right"] for r in open_questions), len(open_questions))
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by_kind[row["kind"]].append(row["right"])
    result |= {f"accuracy, {k}": (sum(v), len(v)) for k, v in sorted(by_kind.items())}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True, help="backend records, JSON lines")
    parser.add_argument(
        "--misses", action="store_true", help="print wrong replies, but of sealed sets"
    )
    args = parser.parse_args()
    rows = ask_all(args.tasks)
    for name in (*dict.fromkeys(row["half"] for row in rows), "independent", ""):
        chosen = [r for r in rows if r["half"].startswith(name)]
        records = len({r["index"] for r in chosen})
        print(f"{name or 'all'}: {len(chosen)} questions on {records} records")
        for measure, (hits, n) in summary(chosen).items():
            low, high = wilson(hits, n)
            print(f"  {measure:28} {hits / max(1, n):6.1%}  [{low:.1%}, {high:.1%}]  {hits}/{n}")
    if args.misses:
        for r in rows:
            if r["half"] not in SEALED and not r["right"]:
                print(f"{r['index']} ({r['kind']}) {r['text']}\n   wants {r['answers']}")
                print(f"   told {r['told']}: {r['reply']}")


if __name__ == "__main__":
    main()
