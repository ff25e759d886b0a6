"""Every case file, against a grader process with everything worth stealing: see `grader.py`.

Run as this user and, when that is root, also as user 65534, on this host as it is and on hosts
that lack layers.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import socket
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.sandbox, pytest.mark.xdist_group("sandbox")]

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").glob("*.py"))
QUICK = [path for path in CASES if "# class: resource" not in path.read_text()]
HOSTS: dict[str, tuple[str, tuple[str, ...], list[Path]]] = {
    "hard": ("hard", (), CASES),
    "only-seccomp": ("kernel", ("namespaces", "landlock"), CASES),
    "no-namespaces": ("kernel", ("namespaces",), QUICK),
    "no-landlock": ("kernel", ("landlock",), QUICK),
}
NOBODY = 65534
USERS = [os.getuid(), NOBODY] if os.getuid() == 0 else [os.getuid()]
COMBINATIONS = [(host, user) for host in HOSTS for user in USERS]
LIMITS = {"case_seconds": 0.4, "boot_seconds": 1.0}  # for all but the legitimate programs


@functools.cache
def interpreter(user: int) -> str | None:
    """A Python of this version that the user may execute and that finds this package."""
    for candidate in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        command = [candidate, "-c", "import colbench_env.sandbox"]
        try:
            done = subprocess.run(command, env=environment(), capture_output=True, **identity(user))
        except OSError:
            continue
        if done.returncode == 0:
            return candidate
    return None


def environment() -> dict[str, str]:
    places = [str(HERE.parent.parent), sysconfig.get_path("purelib")]
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(places), "PYTHONDONTWRITEBYTECODE": "1"}


def identity(user: int) -> dict[str, Any]:
    return {} if user == os.getuid() else {"user": user, "group": user, "extra_groups": []}


def free_port() -> int:
    """A port that is free for TCP and UDP now; the grader binds it at once."""
    for _ in range(100):
        with socket.socket() as stream, socket.socket(type=socket.SOCK_DGRAM) as datagram:
            stream.bind(("127.0.0.1", 0))
            port: int = stream.getsockname()[1]
            with contextlib.suppress(OSError):
                datagram.bind(("127.0.0.1", port))
                return port
    raise RuntimeError("no port is free for both TCP and UDP")


def grade(host: str, user: int) -> list[dict[str, Any]] | str:
    """Run the grader; its reports, or why it cannot run here."""
    level, without, paths = HOSTS[host]
    program = interpreter(user)
    if program is None:
        return f"no Python that user {user} may execute"
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        request = {
            "folder": folder,
            "limits": LIMITS,
            "without": without,
            "level": level,
            "paths": [str(path) for path in paths],
            "port": free_port(),
        }
        command = [program, str(HERE / "grader.py"), json.dumps(request)]
        done = subprocess.run(
            command,
            env=environment(),
            capture_output=True,
            text=True,
            check=False,
            **identity(user),
        )
    if done.returncode:
        raise RuntimeError(f"the grader failed: {done.stderr}")
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if "refused" in reports[0]:
        return f"this host offers level {reports[0]['refused']!r}, not {level!r}"
    return reports


@pytest.fixture(scope="module")
def graded() -> Any:
    """Starts every combination at the first use, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        yield {combination: pool.submit(grade, *combination) for combination in COMBINATIONS}


def reports(graded: dict[Any, Future[Any]], host: str, user: int) -> dict[str, dict[str, Any]]:
    result = graded[host, user].result()
    if isinstance(result, str):
        pytest.skip(result)
    return {report["name"]: report for report in result}


@pytest.mark.parametrize(("host", "user"), COMBINATIONS)
def test_every_case_behaves_as_its_header_says(graded: Any, host: str, user: int) -> None:
    found = reports(graded, host, user)
    assert found.keys() == {path.stem for path in HOSTS[host][2]} | {""}
    wrong = {
        name: (report["status"], report["score"], report["messages"])
        for name, report in found.items()
        if name
        and (
            report["score"] != report["expect-score"]
            or report["status"] not in report["expect-verdict"]
        )
    }
    assert not wrong


@pytest.mark.parametrize(("host", "user"), COMBINATIONS)
def test_no_case_leaves_a_trace(graded: Any, host: str, user: int) -> None:
    found = reports(graded, host, user)
    assert found.pop("")["left"] == []
    traces = {n: (r["traces"], r["processes"], r["leaks"]) for n, r in found.items()}
    assert {n: t for n, t in traces.items() if t != ([], 0, [])} == {}


@pytest.mark.parametrize(("host", "user"), COMBINATIONS)
def test_no_case_takes_for_ever(graded: Any, host: str, user: int) -> None:
    found = reports(graded, host, user)
    found.pop("")
    slow = {n: r["wall"] for n, r in found.items() if r["wall"] > 10 * r["max-wall"]}
    assert not slow


def test_the_cases_cover_every_kind() -> None:
    kinds = [path.stem[0] for path in CASES]
    assert {kind: kinds.count(kind) >= 4 for kind in "chsermxl"} == dict.fromkeys("chsermxl", True)
    assert len(CASES) >= 59 + 25 + 15
