"""Two processes train like one: same episodes, same pairs, the same weights up to rounding.

Adam divides by the gradient's own size, so rounding shows in weights whose gradient is small: the
runs are compared by the distance between their weights, against the distance from the start.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from colbench_env.baselines.pretrained import load_policy

SCRIPT = """
import dataclasses, sys
from pathlib import Path
sys.path.insert(0, {here!r})
import torch
torch.set_num_threads(1)
from colbench_env import registration
registration.ENVIRONMENTS["Test/Echo-v0"] = ("echo:EchoEnv", "echo")
from test_trainers import MAINS, short
name, model, out = sys.argv[1:]
MAINS[name](short(name, model, Path(out), eval_tasks=8))
"""


def test_two_processes_train_like_one(echo, tmp_path):
    pytest.importorskip("accelerate")
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(here=str(Path(__file__).parent)), encoding="utf-8")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ACCELERATE_USE_CPU": "true"}
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    for command, out in (([sys.executable], "one"), (launch, "two")):
        subprocess.run(
            [*command, str(script), "sweet_rl", str(echo), str(tmp_path / out)],
            env=environment,
            check=True,
            capture_output=True,
            timeout=200,
        )
    one, two, initial = (
        torch.cat([w.flatten() for w in load_policy(f, device="cpu").state_dict().values()])
        for f in (tmp_path / "one" / "policy", tmp_path / "two" / "policy", echo)
    )
    moved = (one - initial).norm()
    assert moved > 0.1
    assert (one - two).norm() < 0.02 * moved
    assert sorted(p.name for p in (tmp_path / "two").glob("episodes-*")) == [
        "episodes-0-0.jsonl",
        "episodes-0-1.jsonl",
    ]
