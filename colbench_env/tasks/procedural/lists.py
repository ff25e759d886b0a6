"""Families about lists of numbers: limits, inclusive ranges, defaults, gaps, remainders."""

from __future__ import annotations

from random import Random

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import cap, empty, extra, last, missing, most, order
from colbench_env.tasks.procedural.values import Integers

LISTS = (("numbers",), ("values",), ("data",), ("xs",))


def numbers(rng: Random) -> list[int]:
    """Return a few numbers from 1 to 120."""
    return [rng.randint(1, 120) for _ in range(rng.randint(3, 6))]


MANY = [121, 128, 124, 122, 129, 123, 127, 125, 126, 130]
"""Ten numbers above every limit."""

KEEP_LARGE = Family(
    name="keep_large",
    heads=(
        "Keep only the numbers that are large enough.",
        "Throw out all numbers that are too small.",
    ),
    functions=("keep_large", "large_ones", "drop_small"),
    arguments=LISTS,
    result="[n for n in $x if n >= $limit]",
    core=(
        Parameter(
            "limit",
            Integers(15, 90),
            facts=("Numbers from {v} on are large enough.", "At least {v} is large enough."),
            questions=("From what on is it large enough?", "When is a number large enough?"),
            topics="limit threshold small minimum",
            probes=lambda v: [([v["limit"] - 1],), ([v["limit"]],)],
        ),
    ),
    options=(missing(), order(MANY), most(MANY), last(Integers(200, 999))),
    inputs=lambda rng, v: (numbers(rng),),
)

CAPPED_SUM = Family(
    name="capped_sum",
    heads=(
        "Add up numbers, but no single one may count for too much.",
        "Sum of a list where each number counts up to a ceiling only.",
    ),
    functions=("capped_sum", "fair_sum", "total"),
    arguments=LISTS,
    result="sum(min(n, $ceiling) for n in $x)",
    core=(
        Parameter(
            "ceiling",
            Integers(20, 80),
            facts=("The ceiling is {v}.", "Each counts up to a ceiling of {v}."),
            questions=("What is the ceiling?", "Up to which ceiling does each count?"),
            topics="single limit",
            probes=lambda v: [([100],), ([100, 90],)],
        ),
    ),
    options=(missing(), empty(probe=[]), cap(300, 390, [150] * 20), extra()),
    inputs=lambda rng, v: (numbers(rng),),
)

AVERAGE = Family(
    name="average",
    heads=(
        "Average of a list, rounded down, with our default for an empty list.",
        "Give the mean of some numbers, rounded down; an empty list has a default.",
    ),
    functions=("average", "mean", "middle"),
    arguments=LISTS,
    result="sum($x) // len($x) if $x else $default",
    core=(
        Parameter(
            "default",
            Integers(130, 199),
            facts=("The default for an empty list is {v}.", "An empty list gives {v}."),
            questions=("What is the default for an empty list?", "What does an empty list give?"),
            topics="nothing fallback",
            probes=lambda v: [([],), ((),)],
        ),
    ),
    options=(missing(), cap(200, 390, [999]), extra()),
    inputs=lambda rng, v: (numbers(rng),),
)

COUNT_WITHIN = Family(
    name="count_within",
    heads=(
        "Count the readings within our range, both ends included.",
        "How many readings lie in our range? Both ends count as inside.",
    ),
    functions=("count_within", "in_range", "valid_count"),
    arguments=(("readings",), ("values",), ("data",)),
    result="sum($bottom <= n <= $top for n in $x)",
    core=(
        Parameter(
            "top",
            Integers(55, 95),
            facts=("The top of the range is {v}.", "The range ends at {v}."),
            questions=("What is the top of the range?", "Where does the range end?"),
            topics="upper highest maximum",
            probes=lambda v: [([v["top"]],), ([v["top"] + 1],)],
        ),
        Parameter(
            "bottom",
            Integers(10, 45),
            facts=("The bottom of the range is {v}.", "The range begins at {v}."),
            questions=("What is the bottom of the range?", "Where does the range begin?"),
            topics="lower lowest minimum",
            probes=lambda v: [([v["bottom"] - 1],), ([v["bottom"]],)],
        ),
    ),
    options=(missing(), empty(probe=[]), extra()),
    inputs=lambda rng, v: (numbers(rng),),
    heldout=True,
)

GAPS = Family(
    name="gaps",
    heads=(
        "Count the breaks in ascending times: gaps longer than we allow.",
        "Times are ascending. How many gaps are longer than allowed?",
    ),
    functions=("count_gaps", "breaks", "pauses"),
    arguments=(("times",), ("stamps",), ("t",)),
    result="sum(b - a > $allowed for a, b in zip($x, $x[1:]))",
    core=(
        Parameter(
            "allowed",
            Integers(5, 60),
            facts=("A gap of {v} is still allowed.", "Gaps up to {v} are allowed."),
            questions=("How long a gap is still allowed?", "Up to what are gaps allowed?"),
            topics="limit maximum longest break",
            probes=lambda v: [([3, 3 + v["allowed"]],), ([3, 4 + v["allowed"]],)],
        ),
    ),
    options=(missing(), empty(probe=[]), extra()),
    inputs=lambda rng, v: (sorted(rng.sample(range(300), rng.randint(4, 8))),),
)

SCALE_ALL = Family(
    name="scale_all",
    heads=(
        "Multiply every number of a list by our factor.",
        "Scale all numbers of a list.",
    ),
    functions=("scale_all", "scaled", "multiplied"),
    arguments=LISTS,
    result="[n * $factor for n in $x]",
    core=(
        Parameter(
            "factor",
            Integers(3, 60),
            facts=("Our factor is {v}.", "Multiply by {v}."),
            questions=("What is our factor?", "What should I multiply by?"),
            topics="scale",
        ),
    ),
    options=(missing(), order(MANY), most(MANY), last(Integers(200, 999))),
    inputs=lambda rng, v: (numbers(rng),),
)

CHECK_DIGITS = Family(
    name="check_number",
    heads=(
        "Compute the check number: the sum's remainder by our modulus.",
        "Our check number is the sum of all numbers modulo a fixed one.",
    ),
    functions=("check_number", "checksum", "control"),
    arguments=LISTS,
    result="sum($x) % $modulus",
    core=(
        Parameter(
            "modulus",
            Integers(11, 97),
            facts=("The modulus is {v}.", "We divide by a modulus of {v}."),
            questions=("What is the modulus?", "Which modulus do we divide by?"),
            topics="remainder divisor",
            probes=lambda v: [([v["modulus"]],), ([v["modulus"] - 2, 1],)],
        ),
    ),
    options=(missing(), empty(probe=[]), extra()),
    inputs=lambda rng, v: (numbers(rng),),
)

FAMILIES = (KEEP_LARGE, CAPPED_SUM, AVERAGE, COUNT_WITHIN, GAPS, SCALE_ALL, CHECK_DIGITS)
