"""Several processes, one a GPU, through `accelerate launch`; alone, everything here is free.

Every process holds the same weights. Each plays and trains on its share; gradients are summed
before a step, so a step is the same as that of one process up to rounding.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

from torch import nn

from colbench_env.errors import MissingDependencyError

T = TypeVar("T")


@cache
def accelerator() -> Any | None:
    """Return the `accelerate.Accelerator` of this process; None when it is the only one.

    Raises:
        MissingDependencyError: There are several processes and accelerate is not installed.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        return None
    try:
        accelerate = import_module("accelerate")
    except ImportError as error:
        raise MissingDependencyError("pip install accelerate") from error
    return accelerate.Accelerator(
        cpu=os.environ.get("ACCELERATE_USE_CPU", "").lower() in ("1", "true")
    )


def rank() -> int:
    """Return this process's number, from 0."""
    here = accelerator()
    return int(here.process_index) if here else 0


def world_size() -> int:
    """Return the number of processes."""
    here = accelerator()
    return int(here.num_processes) if here else 1


def share(items: list[T]) -> list[T]:
    """Return this process's part of a list."""
    return items[rank() :: world_size()]


def gather(items: list[T]) -> list[T]:
    """Return the items of all processes, the first process's first."""
    if accelerator() is None:
        return items
    gathered: list[T] = import_module("accelerate.utils").gather_object(items)
    return gathered


def sum_gradients(parameters: Iterable[nn.Parameter]) -> None:
    """Add up each parameter's gradient over the processes; every process gets the sum."""
    here = accelerator()
    if here is None:
        return
    for parameter in parameters:
        if parameter.grad is None:  # an empty share
            parameter.grad = parameter.new_zeros(parameter.shape)
        parameter.grad.copy_(here.reduce(parameter.grad, "sum"))


def wait() -> None:
    """Wait until every process is here."""
    here = accelerator()
    if here is not None:
        here.wait_for_everyone()
