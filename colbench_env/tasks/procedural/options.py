"""Parameters that many families share: what happens before and after the result proper."""

from __future__ import annotations

from typing import Any

from colbench_env.tasks.procedural.family import Parameter
from colbench_env.tasks.procedural.values import WORDS, Choices, Codes, Integers, Texts, Values

NUMBER = Integers(100, 999)
WORD = Texts(WORDS)


def missing(values: Values = NUMBER, *rest: Any) -> Parameter:
    """The first argument may be None; `rest` are the other arguments of such a call."""
    return Parameter(
        "missing",
        values,
        facts=("If it is missing, return {v}.", "A missing value gives {v}."),
        questions=(
            "What should I return if the value is missing?",
            "What does a missing value give?",
        ),
        topics="none null absent",
        hint="It may be missing.",
        line="if $x is None: return $v",
        probes=lambda v: [(None, *rest)],
    )


def empty(values: Values = NUMBER, probe: Any = ()) -> Parameter:
    """The first argument may be empty; `probe` is such an argument."""
    return Parameter(
        "empty",
        values,
        facts=("For empty input, return {v}.", "If the input is empty, the result is {v}."),
        questions=("What should I return for empty input?", "What if the input is empty?"),
        topics="blank nothing",
        hint="The input may be empty.",
        line="if not $x: return $v",
        probes=lambda v: [(probe,)],
    )


def negative(values: Values = NUMBER, *rest: Any) -> Parameter:
    """The first argument may be below zero."""
    return Parameter(
        "negative",
        values,
        facts=("A negative number gives {v}.", "For negative numbers, return {v}."),
        questions=(
            "What should a negative number give?",
            "What should I return for negative numbers?",
        ),
        topics="minus below zero",
        hint="Negative numbers can occur.",
        line="if $x < 0: return $v",
        probes=lambda v: [(-7, *rest)],
    )


def cap(low: int, high: int, *big: Any) -> Parameter:
    """The result has a maximum, which the call with arguments `big` exceeds."""
    return Parameter(
        "cap",
        Integers(low, high),
        facts=("The maximum is {v}.", "It is never more than the maximum of {v}."),
        questions=("What is the maximum?", "How much is the maximum of the result?"),
        topics="cap most highest upper limit",
        hint="Then there is a maximum.",
        line="r = min(r, $v)",
        probes=lambda v: [big],
    )


def floor(low: int, high: int, *small: Any) -> Parameter:
    """The result has a minimum, which the call with arguments `small` falls below."""
    return Parameter(
        "floor",
        Integers(low, high),
        facts=("The minimum is {v}.", "It is never less than the minimum of {v}."),
        questions=("What is the minimum?", "How much is the minimum of the result?"),
        topics="floor least lowest",
        hint="Then there is a minimum.",
        line="r = max(r, $v)",
        probes=lambda v: [small],
    )


def extra(low: int = 2, high: int = 60) -> Parameter:
    """Something is added to a number at the end."""
    return Parameter(
        "extra",
        Integers(low, high),
        facts=("Add an extra {v} at the end.", "The extra to add is {v}."),
        questions=("How much extra is added at the end?", "What extra should I add?"),
        topics="surcharge plus",
        hint="At the end an extra is added.",
        line="r = r + $v",
    )


def prefix() -> Parameter:
    """A code goes before a text."""
    return Parameter(
        "before",
        Codes(),
        facts=("Put {v} in front.", "The code in front is {v}."),
        questions=("Which code goes in front?", "What should I put in front?"),
        topics="prefix start before beginning",
        hint="Then a code goes in front.",
        line="r = $v + r",
    )


def suffix() -> Parameter:
    """A word goes after a text."""
    return Parameter(
        "after",
        WORD,
        facts=("Put {v} after it.", "The word after it is {v}."),
        questions=("Which word goes after it?", "What word should I put after it?"),
        topics="suffix end append",
        hint="Then a word goes after it.",
        line="r = r + $v",
    )


def casing() -> Parameter:
    """A text is changed to one case."""
    return Parameter(
        "casing",
        Choices({"lower": "lower", "upper": "upper", "swapped": "swapcase"}),
        facts=("Make all letters {v} case.", "The letters are to be in {v} case."),
        questions=("Which case should the letters have?", "Letters in upper or lower case?"),
        topics="capital uppercase lowercase small",
        hint="Then the case of the letters changes.",
        line="r = r.$v()",
    )


def order(probe: Any) -> Parameter:
    """A list is sorted one way or the other; `probe` is an argument with two results or more."""
    return Parameter(
        "order",
        Choices({"ascending": "", "descending": ", reverse=True"}),
        facts=("Sort it in {v} order.", "The order is {v}."),
        questions=("In which order should I sort it?", "What is the order of the result?"),
        topics="sorted sorting",
        hint="Then it is sorted.",
        line="r = sorted(r$v)",
        probes=lambda v: [(probe,)],
    )


def most(probe: Any) -> Parameter:
    """Only the first few results are kept; `probe` is an argument with ten results or more."""
    return Parameter(
        "most",
        Integers(2, 8),
        facts=("Keep only the first {v} entries.", "I want the first {v} entries at most."),
        questions=("How many entries should I keep?", "Only the first entries: how many?"),
        topics="items number limit",
        hint="Then only the first few entries are kept.",
        line="r = r[:$v]",
        probes=lambda v: [(probe,)],
    )


def last(values: Values) -> Parameter:
    """A fixed entry closes a list."""
    return Parameter(
        "last",
        values,
        facts=("Append {v} as the closing entry.", "The closing entry is {v}."),
        questions=("What is the closing entry?", "Which closing entry should I append?"),
        topics="final end last",
        hint="A closing entry is appended.",
        line="r = r + [$v]",
    )
