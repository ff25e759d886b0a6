"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from colbench_env.records import Task


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real benchmark records, named by COLBENCH_DATA."""
    folder = os.environ.get("COLBENCH_DATA")
    if not folder:
        pytest.skip("set COLBENCH_DATA to the folder of the real benchmark records")
    return Path(folder)


def double_task(number: int = 0) -> Task:
    """A small Backend task with one stated fact."""
    return Task(
        f"double/{number}",
        "Write a function that scales a number. The signature is: def scale(x)",
        private={
            "human_0": {
                "reference": f"def scale(x):\n    return x * {number + 2}\n",
                "facts": [
                    {
                        "id": "factor",
                        "text": f"The number is multiplied by {number + 2}.",
                        "also": [f"It is {number + 2} times the number."],
                        "topics": ["factor", "scale", "multiply"],
                        "answers": {},
                    }
                ],
            }
        },
        hidden={"entry": "scale", "calls": [f"scale({i})" for i in range(10)]},
        split="test",
        labels={"family": "scale"},
    )


@pytest.fixture
def tasks() -> list[Task]:
    return [double_task(i) for i in range(5)]
