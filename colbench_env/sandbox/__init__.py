"""Run untrusted Python against hidden tests.

```python
from colbench_env import sandbox

submission = sandbox.Submission(
    code="def add(a, b): return a + b",
    entry="add",
    cases=(sandbox.Case(args=(1, 2), expected=3), sandbox.Case(call="add(2, 2)", expected=4)),
)
[verdict] = sandbox.run([submission])
assert verdict.status == "pass" and verdict.score == 1.0
```

Expected values never enter the process that runs the code: it sends back what it returned, as
plain data, and the comparison happens here.
"""

from __future__ import annotations

from collections.abc import Sequence

from .compare import register_comparator, within
from .pool import Sandbox
from .submission import RECORD, Case, Encoded, Limits, Outcome, Submission, Verdict

__all__ = [
    "RECORD",
    "Case",
    "Encoded",
    "Limits",
    "Outcome",
    "Sandbox",
    "Submission",
    "Verdict",
    "register_comparator",
    "run",
    "within",
]

_shared = Sandbox()


def run(batch: Sequence[Submission]) -> list[Verdict]:
    """Evaluate a batch in this process's shared `Sandbox`, which starts at the first call.

    Args:
        batch: What to run; all at once is fastest.

    Returns:
        One verdict for each submission, in order.

    Raises:
        IsolationError: This host cannot isolate untrusted code; the message names the way out.
        ConfigError: A submission names an unknown comparator, profile or namespace, or has no case.
    """
    return _shared.run(batch)
