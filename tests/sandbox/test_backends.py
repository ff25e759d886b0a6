"""The other back ends, where they are installed."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from colbench_env.errors import ConfigError, MissingDependencyError
from colbench_env.sandbox import Case, Limits, Sandbox, Submission

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("sandbox")]

CASES = Path(__file__).parent / "cases"
ADD = Submission(
    "def f(a, b): return a + b", "f", (Case((1, 2), expected=3), Case((1, 2), expected=4))
)
LOOP = Submission("def f(n):\n    while n: pass", "f", (Case((1,)), Case((0,))), limits=Limits(0.3))
BROKEN = Submission("def f(:", "f", (Case(),))
RAISES = Submission("def f(): return 1 / 0", "f", (Case(expected=ZeroDivisionError),))

without_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bwrap is not installed")
without_monty = pytest.mark.skipif(
    importlib.util.find_spec("pydantic_monty") is None, reason="pydantic-monty is not installed"
)


def check_basics(sandbox: Sandbox) -> None:
    statuses = [[o.status for o in v.outcomes] for v in sandbox.run([ADD, LOOP, BROKEN, RAISES])]
    assert statuses == [["pass", "wrong"], ["timeout", "recorded"], ["boot_error"], ["pass"]]


@without_bwrap
def test_bwrap() -> None:
    with Sandbox(backend="bwrap", max_workers=1) as sandbox:
        assert sandbox.level in ("kernel", "hard")
        check_basics(sandbox)
        code = (CASES / "e03_shell.py").read_text()
        attack = Submission(code, "solve", (Case(args=(1,), expected=123456789),))
        assert sandbox.run([attack])[0].score == 0.0


def test_bwrap_is_asked_for_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with (
        Sandbox(backend="bwrap") as sandbox,
        pytest.raises(MissingDependencyError, match="bubblewrap"),
    ):
        sandbox.run([ADD])


@without_monty
def test_monty() -> None:
    with Sandbox(backend="monty", max_workers=2) as sandbox:
        assert sandbox.level == "interpreter"
        check_basics(sandbox)
        steal = Submission(
            "import os\ndef f(): return os.listdir('/')", "f", (Case(expected=[]), Case(call="f()"))
        )
        assert [o.status for o in sandbox.run([steal])[0].outcomes] == ["exception"] * 2
        with pytest.raises(ConfigError, match="module"):
            sandbox.run([Submission("def f(): pass", "f", (Case(),), namespace="split")])


@pytest.mark.skipif(
    importlib.util.find_spec("pydantic_monty") is not None, reason="pydantic-monty is installed"
)
def test_monty_missing() -> None:
    with (
        Sandbox(backend="monty") as sandbox,
        pytest.raises(MissingDependencyError, match="pip install"),
    ):
        sandbox.run([ADD])
