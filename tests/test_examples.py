"""The examples, and the README's code, run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FAST = ("gymnasium_loop.py", "branch_and_compare.py", "own_environment.py")
BLOCKS = re.findall(r"```python\n(.*?)```\n", (ROOT / "README.md").read_text(), re.DOTALL)


@pytest.mark.parametrize("name", FAST)
def test_example(name):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "reward" in done.stdout


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_readme(block):
    exec(compile(block, "README.md", "exec"), {})


def test_the_readme_has_its_examples():
    assert len(BLOCKS) >= 2
