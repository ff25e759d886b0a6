"""The exception tree, and `Fault`: a failure of the outside world, as a value.

A caller's mistake raises a `ColbenchError` whose message names the fix. A failure of something
outside (a model server, the sandbox, a renderer) is not the agent's doing and must not decide its
score: services return a `Fault` in place of an answer, and the environment truncates the episode
once the call has failed three times.
"""

from __future__ import annotations

from dataclasses import dataclass


class ColbenchError(Exception):
    """Base of every error that this package raises on purpose."""


class ConfigError(ColbenchError, ValueError):
    """An argument that cannot work; the message says which value would."""


class MissingDependencyError(ColbenchError, ImportError):
    """An optional package or program is absent; the message holds the line that installs it."""


class TaskError(ColbenchError, ValueError):
    """A task record that cannot be read; the message names file, line and field."""


class TaskNotFoundError(ColbenchError, LookupError):
    """No task has this id in this source."""


class ResetNeededError(ColbenchError, RuntimeError):
    """`step` was called before `reset`, or after the episode had ended."""


class SnapshotError(ColbenchError, ValueError):
    """A snapshot that belongs to another environment, version or task source."""


class EpisodeFileError(ColbenchError, ValueError):
    """An episode file that is damaged, or written by another run or schema."""


class IsolationError(ColbenchError, RuntimeError):
    """This host cannot isolate untrusted code as strongly as was asked for."""


class ContractError(ColbenchError, AssertionError):
    """An environment breaks the contract that `check_env` tests."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure of the outside, returned by a service in place of an answer.

    Attributes:
        service: What failed, in one or two words ("sandbox", "openai:gpt-4o").
        kind: A short label for tables ("timeout", "http 500", "sandbox_error").
        message: What happened, fit to be logged: no secrets, no hidden values.
        retry: Whether asking again may help.
    """

    service: str
    kind: str
    message: str = ""
    retry: bool = True


class FaultError(ColbenchError, RuntimeError):
    """Thrown into an environment's step when a call failed for good; carries the `Fault`."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(f"{fault.service}: {fault.kind}: {fault.message}")
        self.fault = fault
