"""`colbench`: the command line.

Every command is a function in a module of this folder; its docstring is its help.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from colbench_env.errors import ColbenchError

COMMANDS = {  # name -> module:function
    "envs": "envs:envs",
    "play": "play:play",
    "rollout": "rollout:rollout",
    "evaluate": "evaluate:evaluate",
    "show": "show:show",
    "check": "check:check",
    "train": "train:train",
}
INTERRUPTED = 130  # exit status after Ctrl-C, as shells have it


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: Arguments without the program's name; None takes the process's own.

    Returns:
        The exit status: 0, 1 after an error (one line on stderr says the fix), 130 after Ctrl-C.
    """
    import tyro
    from rich.console import Console

    arguments = list(sys.argv[1:] if argv is None else argv)
    # Only the command that is asked for is imported, so that the others' packages may be absent.
    named = [name for name in arguments[:1] if name in COMMANDS]
    commands = {}
    for name in named or COMMANDS:
        module, _, function = COMMANDS[name].partition(":")
        commands[name] = getattr(import_module(f"colbench_env.cli.{module}"), function)
    console = Console(stderr=True, highlight=False)
    try:
        if named == ["train"] and import_module("colbench_env.cli.train").run(arguments[1:]):
            return 0
        tyro.extras.subcommand_cli_from_dict(
            commands,
            prog="colbench",
            description="Environments in which language-model agents collaborate.",
            args=arguments,
        )
    except ColbenchError as error:
        console.print(f"[bold red]error:[/] {' '.join(str(error).split())}", soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        console.print("stopped; what was written is valid, the same command goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        return 0
    return 0
