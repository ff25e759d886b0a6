"""Real benchmarks, as inputs and expected values: no correct solution may be marked down."""

from __future__ import annotations

import ast
import gzip
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from colbench_env.sandbox import (
    Case,
    Encoded,
    Limits,
    Sandbox,
    Submission,
    register_comparator,
    within,
)
from colbench_env.sandbox.trees import Tree
from colbench_env.sandbox.wire import decode

DATA = Path(os.environ.get("COLBENCH_DATA", "/nonexistent"))

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.xdist_group("sandbox"),
    pytest.mark.skipif(not DATA.is_dir(), reason="COLBENCH_DATA names no folder of records"),
]

RECORDER = """
def record_calls():
    import copy
    calls = []
    def candidate(*args):
        kept = copy.deepcopy(args)
        result = {entry}(*args)
        calls.append((kept, copy.deepcopy(result)))
        return result
    check(candidate)
    return calls
"""


def is_root(expected: Tree, got: Tree) -> bool:
    """HumanEval/32 asks for any zero of a polynomial; the expected value is its coefficients."""
    x = decode(got)
    return abs(sum(c * x**i for i, c in enumerate(decode(expected)))) < 1e-4


register_comparator("polynomial root", is_root)
register_comparator("within a thousandth", within(1e-3))


@pytest.fixture(scope="module")
def sandbox() -> Any:
    with Sandbox() as opened:
        yield opened


def failures(names: list[str], verdicts: Any) -> dict[str, Any]:
    return {
        n: (v.status, v.score, v.message) for n, v in zip(names, verdicts) if v.status != "pass"
    }


def test_human_eval(sandbox: Sandbox) -> None:
    with gzip.open(DATA / "humaneval" / "HumanEval.jsonl.gz", "rt") as lines:
        tasks = [json.loads(line) for line in lines]
    solutions = [t["prompt"] + t["canonical_solution"] for t in tasks]
    recordings = sandbox.run(
        [
            Submission(
                code + t["test"] + RECORDER.format(entry=t["entry_point"]),
                "record_calls",
                (Case(),),
            )
            for code, t in zip(solutions, tasks)
        ]
    )
    assert not failures([t["task_id"] for t in tasks], recordings)
    batch = []
    for task, code, recording in zip(tasks, solutions, recordings):
        value = recording.outcomes[0].value
        assert value is not None
        cases = tuple(Case(args=args, expected=result) for args, result in value.decode())
        job = Submission(code, task["entry_point"], cases)
        if task["task_id"] == "HumanEval/32":
            cases = tuple(replace(c, expected=c.args[0]) for c in cases)
            job = replace(job, cases=cases, comparator="polynomial root")
        batch.append(job)
    assert len(batch) == 164
    assert sum(len(job.cases) for job in batch) > 1000
    assert not failures([t["task_id"] for t in tasks], sandbox.run(batch))


def mbpp_case(test: str) -> tuple[str, str, str]:
    """Take an assertion apart: the call, the expression for its value, the comparator."""
    [statement] = ast.parse(test).body
    assert isinstance(statement, ast.Assert)
    node = statement.test
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
        return ast.unparse(node.left), ast.unparse(node.comparators[0]), "value"
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "math.isclose":
        return ast.unparse(node.args[0]), ast.unparse(node.args[1]), "within a thousandth"
    return f"bool({ast.unparse(node)})", "True", "value"


def test_mbpp(sandbox: Sandbox) -> None:
    tasks = json.loads((DATA / "mbpp" / "sanitized-mbpp.json").read_text())
    assert len(tasks) == 200
    batch = []
    for task in tasks:
        taken = [mbpp_case(test) for test in task["test_list"]]
        values = Submission("", "bool", tuple(Case(call=f"({v})") for _, v, _ in taken))
        code = "\n".join([*task["test_imports"], "import math", task["code"]])
        values = replace(values, code="bool = bool\n" + code)
        [recorded] = sandbox.run([values])
        cases = tuple(
            Case(call=call, expected=o.value) for (call, _, _), o in zip(taken, recorded.outcomes)
        )
        entry = re.findall(r"^def (\w+)", task["code"], re.MULTILINE)[-1]
        limits = Limits(case_seconds=10.0)  # number 123 needs more than a second
        batch.append(Submission(code, entry, cases, taken[0][2], limits=limits))
    assert not failures([str(t["task_id"]) for t in tasks], sandbox.run(batch))


def colbench() -> list[dict[str, Any]]:
    with (DATA / "colbench" / "backend_dev.jsonl").open() as lines:
        return [json.loads(line) for line in lines]


def test_colbench_references_pass_against_themselves(sandbox: Sandbox) -> None:
    batch = []
    for record in colbench():
        names = re.findall(r"^def (\w+)", record["ground_truth"], re.MULTILINE)
        cases = tuple(Case(call=call) for call in record["test_cases"].values())
        batch.append(Submission(record["ground_truth"], names[-1], cases, comparator="equal"))
    recorded = sandbox.run(batch)
    values: list[list[Encoded | None]] = [[o.value for o in v.outcomes] for v in recorded]
    known = sum(v is not None for row in values for v in row)
    assert known == sum(len(row) for row in values)
    second = [
        replace(job, cases=tuple(replace(c, expected=v) for c, v in zip(job.cases, row)))
        for job, row in zip(batch, values)
    ]
    assert not failures([str(i) for i in range(len(batch))], sandbox.run(second))
