"""Checkpoints of a training run: written whole or not at all, one file for each stage.

A stage that is interrupted goes on from its file. Everything else that a stage needs follows from
the run's arguments and seed, so a resumed run ends with the same weights as an unbroken one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import torch

from colbench_env.errors import ConfigError


class Checkpoint:
    """The folder of a run.

    Args:
        folder: Made when it does not exist.
        args: The run's arguments, a dataclass. A folder that holds a run with other arguments is
            not continued.
        free: Names of arguments that may change when a run is continued.

    Raises:
        ConfigError: The folder holds a run with other arguments.
    """

    def __init__(self, folder: str | Path, args: Any, free: tuple[str, ...] = ("out",)) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        assert is_dataclass(args)
        assert not isinstance(args, type)
        given = json.loads(json.dumps(asdict(args), default=str))
        path = self.folder / "args.json"
        if path.exists():
            before = json.loads(path.read_text(encoding="utf-8"))
            for name in sorted({*given, *before} - set(free)):
                if given.get(name) != before.get(name):
                    raise ConfigError(
                        f"{self.folder} holds a run with {name}={before.get(name)!r}, now it is "
                        f"{given.get(name)!r}: choose another --out, or remove the folder"
                    )
        write_text(path, json.dumps(given, indent=2) + "\n")

    def save(self, stage: str, state: Mapping[str, Any]) -> None:
        """Write the state of a stage in place of what was there."""
        path = self._path(stage)
        temporary = path.with_suffix(".tmp")
        torch.save(dict(state), temporary)
        os.replace(temporary, path)

    def load(self, stage: str) -> dict[str, Any] | None:
        """Return the state of a stage; None when it has not begun."""
        path = self._path(stage)
        if not path.exists():
            return None
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        return state

    def _path(self, stage: str) -> Path:
        return self.folder / f"{stage}.pt"


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, path)
