"""The trainers by name, for the command line; nothing is imported before it is used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import tyro

from colbench_env.errors import ConfigError

TRAINERS = {  # name -> module with `Args`, `PRESETS` and `main`
    "rft": "colbench_env.baselines.rft",
    "multiturn_dpo": "colbench_env.baselines.multiturn_dpo",
    "sweet_rl": "colbench_env.baselines.sweet_rl",
}


def train(name: str, argv: Sequence[str] | None = None) -> Any:
    """Run a trainer by name.

    Args:
        name: Of `TRAINERS`; a hyphen counts as an underscore.
        argv: Its arguments; `--preset NAME` picks their defaults.

    Returns:
        What the trainer's `main` returns.

    Raises:
        ConfigError: No trainer or preset is called so.
    """
    module = TRAINERS.get(name.replace("-", "_"))
    if module is None:
        raise ConfigError(f"no trainer is called {name!r}; choose from {', '.join(TRAINERS)}")
    found = import_module(module)
    return run(found.PRESETS, found.main, argv, prog=f"colbench train {name}")


def run(
    presets: Mapping[str, Any],
    main: Callable[[Any], Any],
    argv: Sequence[str] | None = None,
    prog: str | None = None,
) -> Any:
    """Parse arguments over a preset's defaults and call `main` with them.

    Args:
        presets: Arguments (a dataclass) by name; the first is the default.
        main: Takes them.
        argv: Arguments; None: the process's own.
        prog: Name of the program in its help.

    Raises:
        ConfigError: No preset is called so.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    words = [w for word in words for w in (word.split("=", 1) if "--preset=" in word else [word])]
    preset = next(iter(presets))
    if "--preset" in words:
        at = words.index("--preset")
        preset = (words[at + 1 : at + 2] or [""])[0]
        del words[at : at + 2]
    if preset not in presets:
        raise ConfigError(f"no preset is called {preset!r}; choose from {', '.join(presets)}")
    defaults = presets[preset]
    description = f"Presets (--preset NAME, now {preset}): {', '.join(presets)}."
    return main(
        tyro.cli(type(defaults), args=words, default=defaults, prog=prog, description=description)
    )
