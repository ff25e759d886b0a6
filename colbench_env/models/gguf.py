"""GGUF files as Transformers checkpoints: converted once, then kept in a cache folder.

Reading a quantised GGUF file takes many seconds; the converted copy loads in less than one.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path

from colbench_env.errors import ConfigError, MissingDependencyError


def cache_directory() -> Path:
    """Return the folder for converted files: `COLBENCH_CACHE`, else `~/.cache/colbench-env`."""
    return Path(os.environ.get("COLBENCH_CACHE") or Path.home() / ".cache" / "colbench-env")


def converted(file: Path) -> Path:
    """Return a folder with the model of a GGUF file in float32, converted on first use.

    The folder is an ordinary checkpoint with a tokenizer, named by the file's hash: another file
    under the same name is converted anew. Two processes may convert at once; the first wins.

    Raises:
        ConfigError: There is no such file.
        MissingDependencyError: The package `gguf` is not installed.
    """
    if not file.is_file():
        raise ConfigError(f"there is no GGUF file {file}")
    with file.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").hexdigest()
    target = cache_directory() / f"{file.stem}-{digest[:16]}"
    if (target / "config.json").exists():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".converting-", dir=target.parent))
    try:
        _convert(file, work)
        try:
            work.rename(target)
        except OSError:
            if not (target / "config.json").exists():
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return target


def _convert(file: Path, target: Path) -> None:
    if importlib.util.find_spec("gguf") is None:
        raise MissingDependencyError("reading GGUF weights needs gguf: pip install gguf")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    model = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    model.hf_quantizer = None  # type: ignore[assignment]
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
