"""Families about texts: truncation, padding, masking, separators, case, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import WORD, casing, empty, prefix, suffix
from colbench_env.tasks.procedural.values import (
    MARKS,
    NAMES,
    SYMBOLS,
    WORDS,
    Choices,
    Codes,
    Integers,
    Texts,
)

TEXTS = (("text",), ("s",), ("name",), ("value",))
BLANK = empty(WORD, "")
PARTS = (("Oak", "Teal"), ("Fern", "Jade"), ("Reef", "Gold"), ("Ruby", "Pine"))


def phrase(rng: Random, words: int) -> str:
    """Return some words with blanks between them, each with a capital letter."""
    return " ".join(word.capitalize() for word in rng.choices(WORDS + NAMES, k=words))


def separator(questions: tuple[str, ...], facts: tuple[str, ...], topics: str) -> Parameter:
    """The mark between parts."""
    return Parameter("separator", Texts(MARKS), facts, questions, topics)


def lines_with_inner_marks(values: Mapping[str, Any]) -> list[tuple[str]]:
    """Return lines whose parts hold the marks that the separator itself contains ("-" in "->")."""
    mark = values["separator"]
    inner = [other for other in MARKS if other != mark and other in mark]
    return [(mark.join(f"{a}{other}{b}" for a, b in PARTS),) for other in inner]


SHORTEN = Family(
    name="shorten",
    heads=(
        "Cut a text to its first letters and always put our end mark behind.",
        "Shorten a text: keep the beginning, then always our end mark.",
    ),
    functions=("shorten", "truncate", "preview"),
    arguments=TEXTS,
    result="$x[:$length] + $mark",
    core=(
        Parameter(
            "length",
            Integers(5, 30),
            facts=("Keep {v} letters.", "The first {v} letters stay."),
            questions=("How many letters should I keep?", "How many of the letters stay?"),
            topics="length characters long cut",
        ),
        Parameter(
            "mark",
            Texts(MARKS),
            facts=("The end mark is {v}.", "Use {v} as the end mark."),
            questions=("What is the end mark?", "Which end mark should I use?"),
            topics="ellipsis",
        ),
    ),
    options=(BLANK, prefix(), suffix(), casing()),
    inputs=lambda rng, v: (phrase(rng, 9),),
)

PAD = Family(
    name="pad",
    heads=(
        "Fill up a text on the left to a fixed width.",
        "Pad a text on its left side until it is wide enough.",
    ),
    functions=("pad", "fill_left", "align"),
    arguments=TEXTS,
    result="$x.rjust($width, $fill)",
    core=(
        Parameter(
            "width",
            Integers(9, 40),
            facts=("The width is {v}.", "Make it {v} wide."),
            questions=("What is the width?", "How wide should I make it?"),
            topics="length characters",
        ),
        Parameter(
            "fill",
            Texts(SYMBOLS),
            facts=("Fill it with {v}.", "The filler is {v}."),
            questions=("What should I fill it with?", "What is the filler?"),
            topics="character padding symbol",
        ),
    ),
    options=(BLANK, prefix(), suffix()),
    inputs=lambda rng, v: (phrase(rng, 1),),
    heldout=True,
)

MASK = Family(
    name="mask",
    heads=(
        "Hide an account number: replace all but the last digits by a sign.",
        "Mask a number given as text, leaving only its last digits readable.",
    ),
    functions=("mask", "hide_number", "redact"),
    arguments=(("number",), ("account",), ("s",)),
    result="$sign * (len($x) - $keep) + $x[-$keep:]",
    core=(
        Parameter(
            "sign",
            Texts(SYMBOLS),
            facts=("Hide digits with {v}.", "The sign that hides digits is {v}."),
            questions=("Which sign hides the digits?", "What should I hide digits with?"),
            topics="mask character symbol",
        ),
        Parameter(
            "keep",
            Integers(2, 6),
            facts=("Leave the last {v} readable.", "The last {v} stay readable."),
            questions=("How many stay readable?", "How many should I leave readable?"),
            topics="last visible keep",
        ),
    ),
    options=(BLANK, prefix(), suffix()),
    inputs=lambda rng, v: (str(rng.randint(10**7, 10**11)),),
)

JOIN = Family(
    name="join",
    heads=(
        "Join a list of words into one line.",
        "Write all words of a list in one line.",
    ),
    functions=("join_words", "one_line", "to_line"),
    arguments=(("words",), ("items",), ("parts",)),
    result="$separator.join($x)",
    core=(
        separator(
            ("What separates the words?", "Which separator goes between?"),
            ("The separator is {v}.", "Put the separator {v} between."),
            "joined separator delimiter",
        ),
    ),
    options=(empty(WORD, []), prefix(), suffix(), casing()),
    inputs=lambda rng, v: (phrase(rng, rng.randint(2, 4)).split(),),
)

SPLIT = Family(
    name="split",
    heads=(
        "Take one part out of a line of our log.",
        "Our log lines have several parts; give me one of them.",
    ),
    functions=("log_part", "part_of_line", "field"),
    arguments=(("line",), ("text",), ("s",)),
    result="$x.split($separator)[$part]",
    core=(
        replace(
            separator(
                ("What separates the parts?", "Which separator is between the parts?"),
                ("The parts are separated by {v}.", "Split the parts at {v}."),
                "split delimiter between",
            ),
            probes=lines_with_inner_marks,
        ),
        Parameter(
            "part",
            Choices({"first": "0", "second": "1", "third": "2", "last": "-1"}),
            facts=("I want the {v} one.", "Give me the {v} one."),
            questions=("Which one do you want?", "Which one should I give?"),
            topics="first last position index part",
        ),
    ),
    options=(BLANK, prefix(), suffix(), casing()),
    inputs=lambda rng, v: (v["separator"].join(phrase(rng, 4).split()),),
)

WRAP = Family(
    name="wrap",
    heads=(
        "Wrap a text in our two tags, one on each side.",
        "Put our opening tag before a text and our closing tag behind it.",
    ),
    functions=("wrap", "tagged", "enclose"),
    arguments=TEXTS,
    result="$opening + $x + $closing",
    core=(
        Parameter(
            "opening",
            Codes(),
            facts=("The opening tag is {v}.", "Begin with the opening tag {v}."),
            questions=("What is the opening tag?", "Which opening tag do I begin with?"),
            topics="left before start",
        ),
        Parameter(
            "closing",
            Codes(),
            facts=("The closing tag is {v}.", "Finish with the closing tag {v}."),
            questions=("What is the closing tag?", "Which closing tag do I finish with?"),
            topics="right after end",
        ),
    ),
    options=(BLANK, suffix(), casing()),
    inputs=lambda rng, v: (phrase(rng, 1),),
)

SLUG = Family(
    name="slug",
    heads=(
        "Make a file name from a title by replacing the blanks.",
        "Replace the blanks in a title so that it can be a file name.",
    ),
    functions=("file_name", "slug", "no_blanks"),
    arguments=(("title",), ("text",), ("s",)),
    result='$x.replace(" ", $separator)',
    core=(
        separator(
            ("What replaces a blank?", "What should I write for a blank?"),
            ("Write {v} for a blank.", "A blank is replaced by {v}."),
            "space replace separator",
        ),
    ),
    options=(BLANK, prefix(), suffix(), casing()),
    inputs=lambda rng, v: (phrase(rng, rng.randint(2, 3)),),
)

STRIP_TAG = Family(
    name="strip_tag",
    heads=(
        "Remove our tag from the beginning of a label, if it is there.",
        "Some labels begin with a tag; remove it.",
    ),
    functions=("strip_tag", "bare_label", "untagged"),
    arguments=(("label",), ("text",), ("s",)),
    result="$x.removeprefix($tag)",
    core=(
        Parameter(
            "tag",
            Codes(),
            facts=("The tag to remove is {v}.", "Our tag is {v}."),
            questions=("Which tag should I remove?", "What is our tag?"),
            topics="beginning prefix label",
            probes=lambda v: [(v["tag"] + "maple",), (v["tag"] + "Reef",)],
        ),
    ),
    options=(BLANK, prefix(), suffix(), casing()),
    inputs=lambda rng, v: (rng.choice([v["tag"], "", Codes().draw(rng)]) + rng.choice(WORDS),),
    heldout=True,
)

FAMILIES = (SHORTEN, PAD, MASK, JOIN, SPLIT, WRAP, SLUG, STRIP_TAG)
