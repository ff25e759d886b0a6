"""What a parameter's value can be: how it is drawn, said by a person, and written in code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

MARKS = (
    *("; ", " | ", "-", " / ", "_", ":", "::", " > ", "~", "+", " & ", "=", "*", "#", "@"),
    *("^", "%", "!", "<>", "->", "--", "==", "..", " - ", " + ", " ~ ", ": ", " # ", "|", "/"),
)
SYMBOLS = tuple("*#.-_+=~^@%&!?:;|/<>0xoz")
WORDS = (
    *("copper", "basic", "gold", "amber", "birch", "blue", "brisk", "calm", "cedar", "coral"),
    *("crisp", "dawn", "delta", "ember", "fern", "flint", "frost", "gamma", "grove", "hazel"),
    *("indigo", "ivory", "jade", "lark", "lemon", "lilac", "lunar", "maple", "mint", "north"),
    *("oak", "olive", "onyx", "opal", "pearl", "pine", "plum", "quartz", "reef", "ruby"),
    *("sage", "silver", "slate", "solar", "teal", "topaz", "tulip", "velvet", "violet", "zinc"),
)
NAMES = (
    *("anna", "bea", "carl", "cleo", "dora", "emil", "enzo", "fay", "finn", "gus", "hugo", "ida"),
    *("ines", "ivan", "joan", "kira", "lars", "lena", "milo", "nina", "noah", "olga", "otto"),
    *("paul", "quin", "rosa", "sven", "tara", "ugo", "vera", "walt", "xena", "yuri", "zoe"),
)


class Values(Protocol):
    """The values a parameter can take."""

    def draw(self, rng: Random) -> Any:
        """Draw one, each with the same probability."""

    def plausible(self) -> Any:
        """Return the value that a programmer who cannot ask would assume."""

    def spoken(self, value: Any) -> str:
        """Return the value as a person says it, in a form that can be copied."""

    def literal(self, value: Any) -> str:
        """Return the value as it stands in code."""

    def pattern(self) -> str:
        """Return a regular expression with one group for the spoken value."""

    def parse(self, spoken: str) -> Any:
        """Return the value from the text that `pattern`'s group matched."""


@dataclass(frozen=True)
class Integers:
    """Whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    def draw(self, rng: Random) -> int:
        """Draw a number."""
        return rng.randint(self.low, self.high)

    def plausible(self) -> int:
        """Return the roundest number near the middle."""
        middle = (self.low + self.high) // 2
        round_numbers = [n for n in range(self.low, self.high + 1) if n % 10 == 0]
        return min(round_numbers or [middle], key=lambda n: abs(n - middle))

    def spoken(self, value: int) -> str:
        """Return its digits."""
        return str(value)

    literal = spoken

    def pattern(self) -> str:
        """Return the pattern of a whole number."""
        return r"(\d+)\b"

    def parse(self, spoken: str) -> int:
        """Return the number."""
        return int(spoken)


@dataclass(frozen=True)
class Texts:
    """Some texts; said in double quotes, as they stand in code."""

    options: Sequence[str]

    def draw(self, rng: Random) -> str:
        """Draw a text."""
        return rng.choice(self.options)

    def plausible(self) -> str:
        """Return the first text."""
        return self.options[0]

    def spoken(self, value: str) -> str:
        """Return it in double quotes."""
        return json.dumps(value)

    literal = spoken

    def pattern(self) -> str:
        """Return the pattern of a text in double quotes."""
        return '("[^"]*")'

    def parse(self, spoken: str) -> str:
        """Return the text without its quotes."""
        return spoken[1:-1]


@dataclass(frozen=True)
class Codes(Texts):
    """Short codes such as "KX": two capital letters."""

    options: Sequence[str] = ("ID",)

    def draw(self, rng: Random) -> str:
        """Draw two letters."""
        return "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(2))


@dataclass(frozen=True)
class Choices:
    """A few ways to do it: what the person calls each, and the code that does it."""

    snippets: Mapping[str, str]

    def draw(self, rng: Random) -> str:
        """Draw a way."""
        return rng.choice(list(self.snippets))

    def plausible(self) -> str:
        """Return the first way."""
        return next(iter(self.snippets))

    def spoken(self, value: str) -> str:
        """Return what the person calls it."""
        return value

    def literal(self, value: str) -> str:
        """Return the code that does it."""
        return self.snippets[value]

    def pattern(self) -> str:
        """Return the pattern of any of the ways."""
        return "(" + "|".join(map(re.escape, self.snippets)) + ")"

    def parse(self, spoken: str) -> str:
        """Return the way."""
        return spoken.lower()
