"""`colbench play`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated, Literal

import tyro
from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from colbench_env.baselines.rollout import Action, Plan, Query, collect
from colbench_env.baselines.scripted import make_policy
from colbench_env.cli.run import Settings, factory
from colbench_env.cli.tables import outcome
from colbench_env.core import printable


class Terminal:
    """A person at the terminal as a policy: shows what is new, reads a message.

    A message ends with an empty line, so that code can be typed or pasted.
    """

    name, privileged = "terminal", False

    def __init__(self, console: Console) -> None:
        self._console, self._begun = console, False

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Ask the person for each query."""
        return [Action(self._ask(query)) for query in queries]

    def _ask(self, query: Query) -> str:
        if not self._begun:
            self._begun = True
            rules = Text(query.messages[0]["content"], style="dim")
            self._console.print(Panel(rules, title=f"you are {query.agent}"))
        heard = Text(printable(query.observation).strip() or "(nothing new)")
        self._console.print(Panel(heard, title="you hear", title_align="left"))
        self._console.print("your message, ended by an empty line:", style="bold")
        lines: list[str] = []
        for line in sys.stdin:
            if not line.strip() and lines:
                return "\n".join(lines)
            if line.strip() or lines:
                lines.append(line.rstrip("\n"))
        if not lines:
            raise KeyboardInterrupt  # end of input: the person has left
        return "\n".join(lines)


def play(
    env: Annotated[str, tyro.conf.Positional],
    /,
    role: Literal["assistant", "human"] = "assistant",
    tasks: str | None = None,
    task: str | None = None,
    policy: str = "ask",
    seed: int = 0,
) -> None:
    """Play an episode at the terminal, as the assistant or as the human.

    Examples:
        colbench play Backend-v0
        colbench play Backend-v0 --role human --policy ask-generic

    Args:
        env: Id of the environment.
        role: Which side you take.
        tasks: Task source: builtin, procedural, or a path.
        task: Id of the task; without it the seed picks one.
        policy: Who plays the assistant when you are the human.
        seed: Of the episode.
    """
    console = Console()
    you = Terminal(console)
    if role == "assistant":
        [episode] = collect(factory(env, Settings(tasks=tasks)), you, [Plan(0, seed, task)])
    else:
        players = {"assistant_0": make_policy(policy), "human_0": you}
        make = factory(env, Settings(tasks=tasks, human="agent"))
        [episode] = collect(make, players, [Plan(0, seed, task)])
        answer = printable(episode.messages[-1].text)
        console.print(Panel(Text(answer), title="assistant_0 hands in", title_align="left"))
    console.print(outcome(episode), style="bold")
