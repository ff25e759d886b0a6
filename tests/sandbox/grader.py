"""Runs case files the way a careless grader would have to fear, and reports what came of them.

Started as a process of its own, so that it can be any user: `python grader.py REQUEST` prints one
JSON object a case. It plants the secrets that cheats look for (in its environment, its memory, a
world-readable file and an importable module), listens where they call, and watches a victim file
and the process table.

A case file is a Python module under a header of `# key: value` lines: `entry`, `expect-score`,
`expect-verdict` (allowed ones, `|` between), `max-wall` seconds, and optionally `tests`: a list of
(arguments, expected value or exception type), or "SELF" (record, then expect that). Without
`tests`, the expected values of the calls 0..9 are random numbers that live in this process alone.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

from colbench_env.sandbox import Case, Limits, Sandbox, Submission
from colbench_env.sandbox.profiles import kind_of
from colbench_env.sandbox.zygote import READY

PORT = "45671"
PLANTED = "/tmp/research/sandbox/canary"
# Where the case files look for bait; `read_case` puts the real port and folder in.


class Bait:
    """The secrets, the listeners and the victim."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.numbers = [random.SystemRandom().randrange(10**8, 10**9) for _ in range(10)]
        self.folder = folder
        text = ",".join(map(str, self.numbers))
        os.environ["CANARY_SECRET"] = text
        self.memory = bytearray(f"CANARY-BEGIN {text} CANARY-END".encode())
        for name, content in (
            ("secret.txt", text),
            ("hidden_mod.py", f"EXPECTED = [{text}]"),
            ("victim.txt", "untouched"),
        ):
            (folder / name).write_text(content)
            (folder / name).chmod(0o666)
        sys.path.insert(0, str(folder))
        self.connections: list[str] = []
        for family, kind, address in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)),
            (socket.AF_UNIX, socket.SOCK_STREAM, f"\0canary{port}"),
        ):
            self._listen(socket.socket(family, kind), address)

    def _listen(self, listener: socket.socket, address: object) -> None:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        stream = listener.type == socket.SOCK_STREAM
        if stream:
            listener.listen()

        def watch() -> None:
            while True:
                (listener.accept if stream else lambda: listener.recv(1))()
                self.connections.append(repr(address))

        threading.Thread(target=watch, daemon=True).start()

    def traces(self) -> list[str]:
        """What an attack has left behind."""
        found = [f"connection to {c}" for c in self.connections]
        names = sorted(p.name for p in self.folder.iterdir() if p.name != "__pycache__")
        if names != ["hidden_mod.py", "secret.txt", "victim.txt"]:
            found.append(f"files {names}")
        if (self.folder / "victim.txt").read_text() != "untouched":
            found.append("the victim was changed")
        if Path("/dev/shm/canary_shm").exists():
            found.append("shared memory was left")
        return found


def processes() -> list[int]:
    """Processes of this grader's sandboxes: their command line names their parent."""
    mark, found = f'"parent": {os.getpid()}}}'.encode(), []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "cmdline").read_bytes():
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                found += [int(entry.name)] if state != "Z" else []
        except OSError:
            continue
    return found


def read_case(path: Path, folder: Path, port: int) -> dict[str, object]:
    source = path.read_text()
    lines = [line[2:].partition(": ") for line in source.splitlines() if line.startswith("# ")]
    header = {key: value for key, _, value in lines}
    code = source.replace(PLANTED, str(folder)).replace(PORT, str(port))
    return {**header, "name": path.stem, "code": code}


def submission(case: dict[str, object], numbers: list[int], limits: Limits) -> Submission:
    code, entry = str(case["code"]), str(case["entry"])
    tests = eval(str(case["tests"])) if "tests" in case else None
    if tests == "SELF":
        cases = tuple(Case() for _ in range(10))
    elif tests is None:
        cases = tuple(Case(args=(n,), expected=v) for n, v in enumerate(numbers))
    else:
        cases = tuple(Case(args=args, expected=expected) for args, expected in tests)
    comparator = str(case.get("options", "value"))
    return Submission(code, entry, cases, limits=limits, comparator=comparator)


def run_case(
    sandbox: Sandbox, case: dict[str, object], bait: Bait, limits: Limits
) -> dict[str, object]:
    began = time.monotonic()
    job = submission(case, bait.numbers, limits)
    [verdict] = sandbox.run([job])
    if case.get("tests") == '"SELF"':
        expected = (replace(c, expected=o.value) for c, o in zip(job.cases, verdict.outcomes))
        [verdict] = sandbox.run([replace(job, cases=tuple(expected))])
    secrets = [str(n) for n in bait.numbers]
    return {
        "name": case["name"],
        "status": verdict.status,
        "outcomes": sorted({o.status for o in verdict.outcomes}),
        "score": verdict.score,
        "level": verdict.level,
        "messages": sorted({o.message for o in verdict.outcomes}),
        "leaks": [o.message for o in verdict.outcomes if any(s in o.message for s in secrets)],
        "traces": bait.traces(),
        "wall": round(time.monotonic() - began, 2),
        "expect-score": float(str(case["expect-score"])),
        "expect-verdict": str(case["expect-verdict"]).split("|"),
        "max-wall": float(str(case["max-wall"])),
    }


def main(request: dict[str, object]) -> None:
    folder = Path(str(request["folder"]))
    bait = Bait(folder, int(str(request["port"])))
    limits = Limits(**request["limits"])
    with Sandbox(max_workers=1, without=tuple(request["without"])) as sandbox:
        if sandbox.level != request["level"]:
            print(json.dumps({"refused": sandbox.level}))
            return
        sandbox.run([Submission(f"RESIDUE_MARK_1 = {bait.numbers}\ndef f(): pass", "f", (Case(),))])
        kinds = {"common"}
        for path in request["paths"]:
            case = read_case(Path(path), folder, bait.port)
            short = limits if case["class"] != "control" else Limits()
            report = run_case(sandbox, case, bait, short)
            kinds.add(kind_of(str(case["code"])))
            # Of each kind of zygote: its launcher, itself, and the children that stand ready.
            at_rest = len(kinds) * (2 + READY)
            deadline = time.monotonic() + 5.0
            while (extra := len(processes()) - at_rest) > 0 and time.monotonic() < deadline:
                time.sleep(0.01)
            report["processes"] = max(0, extra)
            print(json.dumps(report), flush=True)
    deadline = time.monotonic() + 5.0
    while (left := processes()) and time.monotonic() < deadline:
        time.sleep(0.01)
    print(json.dumps({"name": "", "left": left}), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
