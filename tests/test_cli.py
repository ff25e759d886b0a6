import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from colbench_env.cli import COMMANDS, main
from colbench_env.episodes import read_episodes

BACKEND = "Backend-v0"


@pytest.fixture
def records(tmp_path):
    path = tmp_path / "records.jsonl"
    code = "def scale(x):\n    if x > 7:\n        return 0\n    return x * 3"
    line = {
        "problem_description": "Scale a number.The signature of the function is: def scale(x)",
        "ground_truth": code,
        "hidden_information": code,
        "test_cases": {f"test{i}": f"scale({i})" for i in range(1, 11)},
    }
    path.write_text((json.dumps(line) + "\n") * 3)
    return path


def test_envs(capsys):
    assert main(["envs"]) == 0
    assert "ColBench/Backend-v0" in capsys.readouterr().out


def test_check(capsys):
    assert main(["check", BACKEND]) == 0
    assert "snapshot and restore" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"colbench {command}" in capsys.readouterr().out


def test_rollout_resumes_and_shows(tmp_path, capsys):
    out = tmp_path / "ask.jsonl"
    command = ["rollout", BACKEND, "--tasks", "procedural", "--policy", "ask", "--out", str(out)]
    assert main([*command, "-n", "4"]) == 0
    first = out.read_bytes()
    assert main([*command, "-n", "6"]) == 0
    assert out.read_bytes().startswith(first)
    episodes = list(read_episodes(out))
    assert sorted(e.extra["index"] for e in episodes) == list(range(6))
    assert all(e.score.value == 1.0 for e in episodes)
    capsys.readouterr()
    assert main(["show", str(out), "--first", "1"]) == 0
    assert "score 1.00" in capsys.readouterr().out
    page = tmp_path / "page.html"
    assert main(["show", str(out), "--html", str(page)]) == 0
    html = page.read_text()
    assert html.count("<details") == 6
    assert "http://" not in html
    assert "https://" not in html


def test_evaluate_prints_a_table_and_writes_a_report(tmp_path, records, capsys):
    out = tmp_path / "run"
    policies = ["answer-at-once", "ask-generic", "oracle"]
    command = ["evaluate", BACKEND, "--tasks", str(records), "-n", "3", "--out", str(out)]
    assert main([*command, "--policies", *policies, "--show", "oracle"]) == 0
    printed = capsys.readouterr().out
    assert all(policy in printed for policy in policies)
    assert "100.0 [" in printed
    assert "I WANT TO ANSWER" in printed
    assert all(policy in (out / "index.html").read_text() for policy in policies)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["check", "Frontmost"], "choose from ColBench/"),
        (["rollout", BACKEND, "--policy", "genius"], "choose from answer-at-once"),
        (["rollout", BACKEND, "--human", "robot"], "scripted"),
        (["rollout", BACKEND, "--tasks", "no/such.jsonl"], "no/such.jsonl"),
        (["rollout", BACKEND, "--split", "weekend"], "weekend"),
        (["show", "no/such.jsonl"], "colbench rollout"),
    ],
)
def test_errors_are_one_line_with_the_fix(command, words, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    error = capsys.readouterr().err.strip()
    lines = [line for line in error.splitlines() if line.startswith("error:")]
    assert len(lines) == 1
    assert words in lines[0]


def test_another_runs_file_is_refused(tmp_path, capsys):
    out = str(tmp_path / "a.jsonl")
    assert main(["rollout", BACKEND, "--policy", "oracle", "-n", "1", "--out", out]) == 0
    assert main(["rollout", BACKEND, "--policy", "random", "-n", "1", "--out", out]) == 1
    assert "policy was 'oracle'" in capsys.readouterr().err


def test_play_as_the_assistant(monkeypatch, capsys):
    said = "What should happen with empty input?\n\nI WANT TO ANSWER:\ndef f():\n    return 1\n\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    assert main(["play", BACKEND, "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "you are assistant_0" in printed
    assert "score 0.00" in printed


def test_play_as_the_human(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("I don't know.\n\n" * 9))
    assert main(["play", BACKEND, "--role", "human", "--policy", "ask-generic"]) == 0
    printed = capsys.readouterr().out
    assert "What you know" in printed
    assert "hands in" in printed


def test_leaving_a_game_is_no_error_trace(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["play", BACKEND]) == 130
    assert "stopped" in capsys.readouterr().err


def test_ctrl_c_leaves_a_valid_file(tmp_path):
    out = tmp_path / "long.jsonl"
    options = ["--tasks", "procedural", "--policy", "ask", "-n", "1000000", "--out", str(out)]
    process = subprocess.Popen(
        [sys.executable, "-m", "colbench_env", "rollout", BACKEND, *options],
        stderr=subprocess.PIPE,
        env=os.environ,
    )
    for _ in range(600):
        if out.exists() and out.stat().st_size > 20_000:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"goes on from there" in error
    assert b"Traceback" not in error
    assert len(list(read_episodes(out))) > 3
