"""`colbench train`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import tyro

from colbench_env.baselines.trainers import TRAINERS
from colbench_env.baselines.trainers import train as run_trainer


def train(trainer: Annotated[str, tyro.conf.Positional], /, preset: str | None = None) -> None:
    """Train a policy; each trainer has arguments of its own: colbench train NAME --help.

    Examples:
        colbench train sweet_rl --preset tiny
        colbench train rft --preset tiny --help

    Args:
        trainer: rft, multiturn_dpo or sweet_rl.
        preset: Where the defaults come from: tiny, smol or paper.
    """
    run_trainer(trainer, [] if preset is None else ["--preset", preset])


def run(argv: Sequence[str]) -> bool:
    """Run a trainer with its own arguments, if `argv` begins with the name of one."""
    if not argv or argv[0].replace("-", "_") not in TRAINERS:
        return False
    run_trainer(argv[0], argv[1:])
    return True
