"""What goes into the sandbox and what comes out: plain frozen dataclasses."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from . import wire
from .trees import has_tag


class _Record(enum.Enum):
    """The type of `RECORD`: an enumeration, so that the one value survives pickling."""

    RECORD = "record"

    def __repr__(self) -> str:
        return "RECORD"


RECORD: Final = _Record.RECORD
"""`Case.expected` for a call whose result is only to be recorded."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """A result as the sandbox wrote it down: JSON text of a data tree (see `sandbox.wire`).

    It compares, hashes, pickles and can be kept in a file; nothing of the submission's own
    classes is in it.

    Attributes:
        text: The tree as JSON.
    """

    text: str

    @classmethod
    def of(cls, value: Any) -> Encoded:
        """Encode a trusted value, or an exception type.

        Raises:
            wire.CannotEncode: It is too deep or too large.
        """
        if isinstance(value, type) and issubclass(value, BaseException):
            return cls(json.dumps(["x", value.__name__]))
        return cls(json.dumps(wire.encode(value)))

    @property
    def tree(self) -> Any:
        """The data tree."""
        return json.loads(self.text)

    @property
    def is_none(self) -> bool:
        """Whether the call returned None."""
        return self.text == "null"

    @property
    def is_exception(self) -> bool:
        """Whether the call raised."""
        return self.text.startswith('["x"')

    @property
    def is_opaque(self) -> bool:
        """Whether a part of it has no data form (a function, an object of the code's own class).

        Such a value equals nothing, itself included, so no candidate can match it.
        """
        return has_tag(self.tree, "o")

    def decode(self) -> Any:
        """Rebuild the value from plain Python types.

        Raises:
            ValueError: It holds a part without a data form, or is an exception.
        """
        return wire.decode(self.tree)


@dataclass(frozen=True, slots=True)
class Case:
    """One hidden call.

    Attributes:
        args: Positional arguments: plain data (numbers, strings, containers, dates, arrays).
        kwargs: Keyword arguments.
        call: In place of the arguments, a Python expression such as `"f(1, 2)"`, evaluated in the
            submission's namespace. Of `"f(1) == 2"` only `f(1)` is evaluated there; the literal
            stays with the parent, which compares by the rules of "equal".
        expected: The value to return, an exception type to raise, an `Encoded` from an earlier
            `Outcome`, or `RECORD`.
    """

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    call: str | None = None
    expected: Any = RECORD


@dataclass(frozen=True, slots=True)
class Limits:
    """What one submission may use.

    Attributes:
        case_seconds: Wall clock of one call, kept by the parent; time spent waiting for a core
            does not count. Once three calls have run out of it, a fifth of it.
        boot_seconds: Wall clock of compiling and importing the code.
        cpu_seconds: CPU of one child process over all its calls; 0 derives it from the two above.
        memory_mb: Address space beyond that of the bare interpreter, in MiB.
        output_bytes: Size of one encoded result.
    """

    case_seconds: float = 1.0
    boot_seconds: float = 3.0
    cpu_seconds: float = 0.0
    memory_mb: int = 512
    output_bytes: int = 1 << 20


@dataclass(frozen=True, slots=True)
class Submission:
    """Untrusted code and the calls to make to it.

    Attributes:
        code: Python source.
        entry: Name of the function that the cases call.
        cases: The calls, at least one.
        comparator: How results are compared: "value", "equal", or a registered name.
        profile: What the code may import: see `sandbox.profiles`.
        limits: What it may use.
        namespace: "module": the code is a module. "split": `exec` with two separate dictionaries,
            as the original ColBench scorer did, so that helper functions, imports and recursion
            are not found.
    """

    code: str
    entry: str
    cases: tuple[Case, ...]
    comparator: str = "value"
    profile: str = "default"
    limits: Limits = Limits()
    namespace: str = "module"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case.

    Attributes:
        status: "pass", "wrong", "exception", "timeout", "crash", "boot_error", "bad_value",
            "output_limit", "protocol_error", "recorded", or "sandbox_error".
        message: Why, in a few words that are safe to show: no argument, no expected value, no
            text chosen by the submission.
        value: What the call returned or raised, where `RECORD` was asked for.
    """

    status: str
    message: str = ""
    value: Encoded | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one submission.

    Attributes:
        status: "pass" when every case passed or was recorded, else the first other status;
            "sandbox_error" when the sandbox itself failed, whatever the other cases say.
        outcomes: One for each case, in order.
        score: Share of the cases that passed or were recorded, in [0, 1]; 0 and without meaning
            when the status is "sandbox_error".
        message: The message of the outcome that gave the status.
        level: The isolation it ran under: "hard", "kernel", "rlimits" or "interpreter".
    """

    status: str
    outcomes: tuple[Outcome, ...]
    score: float
    message: str
    level: str
