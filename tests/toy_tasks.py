"""Small tasks of the tests' own."""

from __future__ import annotations

from colbench_env.records import Task


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
