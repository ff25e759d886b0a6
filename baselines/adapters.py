"""LoRA adapters, through peft: several over one copy of the weights."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import torch

from colbench_env.errors import MissingDependencyError


def add_lora(model: Any, rank: int, seed: int = 0) -> Any:
    """Return the model with a new LoRA adapter on all its linear layers, as a `PeftModel`.

    Args:
        model: A Transformers causal model.
        rank: Of the adapter; alpha is twice that.
        seed: Of its initial weights.

    Raises:
        MissingDependencyError: peft is not installed.
    """
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError as error:
        raise MissingDependencyError("adapters need peft: pip install peft") from error
    config = LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", task_type="CAUSAL_LM"
    )
    with torch.random.fork_rng(), _without_deprecations():
        torch.manual_seed(seed)
        return get_peft_model(model, config)


def read_lora(model: Any, folder: str) -> Any:
    """Return the model with the LoRA adapter that a folder holds, ready to be trained on.

    Raises:
        MissingDependencyError: peft is not installed.
    """
    try:
        from peft import PeftModel
    except ImportError as error:
        raise MissingDependencyError("adapters need peft: pip install peft") from error
    with _without_deprecations():
        return PeftModel.from_pretrained(model, folder, is_trainable=True)


def add_like(model: Any, name: str, like: str) -> None:
    """Add an adapter of the same shape as another to a `PeftModel`.

    Args:
        model: The model.
        name: Of the new adapter.
        like: Of the adapter whose settings it takes.
    """
    with _without_deprecations():
        model.add_adapter(name, model.peft_config[like])


@contextlib.contextmanager
def _without_deprecations() -> Iterator[None]:
    """Silence what peft calls under a name that newer Transformers have deprecated."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield
