"""Tasks: where they come from (`load_tasks`) and how they are held (`TaskSource`)."""

from colbench_env.tasks import procedural
from colbench_env.tasks.loaders import load_tasks
from colbench_env.tasks.source import TaskList, TaskSource

__all__ = ["TaskList", "TaskSource", "load_tasks", "procedural"]
