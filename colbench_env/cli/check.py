"""`colbench check`."""

from __future__ import annotations

from typing import Annotated

import tyro
from rich.console import Console

from colbench_env.checker import check_env
from colbench_env.registration import env_class


def check(
    env: Annotated[str, tyro.conf.Positional], /, tasks: str = "builtin", seed: int = 0
) -> None:
    """Check that an environment keeps the contract, and print the checks that it passed.

    Example: colbench check Backend-v0

    Args:
        env: Id of the environment.
        tasks: Task source to check it with.
        seed: Of the episodes that are played.
    """
    for name in check_env(env_class(env)(tasks=tasks), seed=seed):
        Console().print(f"[green]passed[/] {name}")
