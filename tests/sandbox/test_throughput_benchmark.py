"""The benchmark runs; its figures are for its reader."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "sandbox_throughput.py"


@pytest.mark.sandbox
@pytest.mark.xdist_group("sandbox")
@pytest.mark.skipif("COLBENCH_DATA" not in os.environ, reason="COLBENCH_DATA is not set")
def test_it_runs() -> None:
    command = [
        sys.executable,
        str(SCRIPT),
        "--seconds",
        "0.2",
        "--rounds",
        "1",
        "--resident-gb",
        "0.1",
    ]
    environment = {k: v for k, v in os.environ.items() if k != "HUMAN_EVAL_PYTHON"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    for line in (
        "sandbox, 1 client",
        "sandbox, 2 clients",
        "fresh python -I -S",
        "parent holds 0.1",
    ):
        assert line in done.stdout
