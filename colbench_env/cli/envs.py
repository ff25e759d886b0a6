"""`colbench envs`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from colbench_env.errors import MissingDependencyError
from colbench_env.registration import ENVIRONMENTS, env_class


def envs() -> None:
    """List the environments.

    Example: colbench envs
    """
    table = Table("id", "agents", "the work", title="Environments")
    for env_id in ENVIRONMENTS:
        kind = env_class(env_id)
        summary = " ".join(kind.__doc__.split("\n\n")[0].split())
        try:
            agents = ", ".join(kind().possible_agents)
        except MissingDependencyError as error:
            agents, summary = "", f"{summary} ({error})"
        table.add_row(env_id, agents, summary)
    Console().print(table)
