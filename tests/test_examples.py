"""The examples, and the README's code, run as they stand."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FAST = ("gymnasium_loop.py", "branch_and_compare.py", "own_environment.py")
PAGES = ["README.md", "docs/contract.md", "docs/environments/backend.md"]
FENCED = r"^```python\n(.*?)^```$"
BLOCKS = [
    pytest.param(block, id=f"{page}-{i}")
    for page in PAGES
    for i, block in enumerate(re.findall(FENCED, (ROOT / page).read_text(), re.M | re.S))
    if block.startswith(("import ", "from "))  # whole programs
]


@pytest.mark.parametrize("name", FAST)
def test_example(name):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "reward" in done.stdout


@pytest.mark.parametrize("block", BLOCKS)
def test_page(block):
    exec(compile(block, "page", "exec"), {})


def test_the_pages_have_their_examples():
    assert len(BLOCKS) >= 4
