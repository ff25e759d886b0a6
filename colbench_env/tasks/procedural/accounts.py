"""Families about accounts: bands, points, sign conventions, off-by-one limits, units, percent."""

from __future__ import annotations

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import (
    NUMBER,
    WORD,
    cap,
    extra,
    missing,
    negative,
    suffix,
)
from colbench_env.tasks.procedural.values import WORDS, Choices, Integers, Texts

AMOUNTS = (("total",), ("amount",), ("value",), ("x",))

PRICE_BAND = Family(
    name="price_band",
    heads=(
        "Sort prices into two bands and tell me the band.",
        "Give each price the name of its band; we have two.",
    ),
    functions=("price_band", "price_class", "category"),
    arguments=AMOUNTS,
    result="$below if $x < $limit else $above",
    core=(
        Parameter(
            "limit",
            Integers(15, 95),
            facts=("The upper band starts at {v}.", "From {v} on it is the upper band."),
            questions=("Where does the upper band start?", "From what is it the upper band?"),
            topics="limit threshold boundary",
            probes=lambda v: [(v["limit"] - 1,), (v["limit"],)],
        ),
        Parameter(
            "below",
            WORD,
            facts=("The cheap ones are {v}.", "Call the cheap ones {v}."),
            questions=("What do you call the cheap ones?", "How are cheap ones called?"),
            topics="low lower label name",
            probes=lambda v: [(1,)],
        ),
        Parameter(
            "above",
            WORD,
            facts=("The expensive ones are {v}.", "Call the expensive ones {v}."),
            questions=("What do you call the expensive ones?", "How are expensive ones called?"),
            topics="high upper label name",
            probes=lambda v: [(200,)],
        ),
    ),
    options=(missing(WORD), negative(WORD), suffix()),
    inputs=lambda rng, v: (rng.randint(1, 120),),
)

BONUS_POINTS = Family(
    name="bonus_points",
    heads=(
        "Customers earn bonus points for every full amount they spend.",
        "How many bonus points does a purchase earn? Only full amounts count.",
    ),
    functions=("bonus_points", "earned_points", "loyalty"),
    arguments=AMOUNTS,
    result="$x // $step * $points",
    core=(
        Parameter(
            "step",
            Integers(5, 60),
            facts=("They count for every full {v} spent.", "A full amount is {v} spent."),
            questions=("How much is a full amount spent?", "For every how much spent?"),
            topics="per step unit",
            probes=lambda v: [(v["step"] - 1,), (v["step"],)],
        ),
        Parameter(
            "points",
            Integers(2, 19),
            facts=("Each time you get {v} points.", "It is {v} points each time."),
            questions=("How many points each time?", "How many points do you get?"),
            topics="bonus earn number",
        ),
    ),
    options=(missing(), negative(), cap(150, 300, 9999), extra()),
    inputs=lambda rng, v: (rng.randint(1, 300),),
)

BOOKING_SIGN = Family(
    name="booking_sign",
    heads=(
        "Give a booking its sign by its kind: one kind adds money, all others subtract it.",
        "Bookings have a kind. One kind counts as plus, every other kind as minus.",
    ),
    functions=("signed", "booking", "balance_change"),
    arguments=(("amount", "kind"), ("value", "code"), ("x", "kind")),
    result="$x if $y == $plus else -$x",
    core=(
        Parameter(
            "plus",
            Texts(WORDS),
            facts=("Only the kind {v} counts as plus.", "The plus kind is {v}."),
            questions=("Which kind counts as plus?", "What is the plus kind?"),
            topics="add positive credit",
            probes=lambda v: [(8, v["plus"]), (9, v["plus"])],
        ),
    ),
    options=(missing(NUMBER, "other"), negative(NUMBER, "other"), extra()),
    inputs=lambda rng, v: (rng.randint(1, 90), rng.choice([v["plus"], *WORDS])),
)

OVERTIME = Family(
    name="overtime",
    heads=(
        "Pay units for hours worked: one each, and more for overtime hours.",
        "Count paid units for a week: hours count once, overtime hours count extra on top.",
    ),
    functions=("paid_units", "week_pay", "overtime_units"),
    arguments=(("hours",), ("worked",), ("h",)),
    result="$x + max(0, $x - $limit) * $more",
    core=(
        Parameter(
            "limit",
            Integers(20, 60),
            facts=("Overtime begins after {v} hours.", "Above {v} hours it is overtime."),
            questions=("When does overtime begin?", "Above how many hours is it overtime?"),
            topics="limit threshold after start",
            probes=lambda v: [(v["limit"],), (v["limit"] + 1,)],
        ),
        Parameter(
            "more",
            Integers(2, 19),
            facts=("An overtime hour brings {v} more.", "It brings {v} more per overtime hour."),
            questions=("How much more does an overtime hour bring?", "What more does it bring?"),
            topics="bonus rate pay",
            probes=lambda v: [(v["limit"] + 1,)],
        ),
    ),
    options=(missing(), negative(), cap(120, 190, 999), extra()),
    inputs=lambda rng, v: (rng.randint(1, 80),),
)

CHIP_WORTH = Family(
    name="chip_worth",
    heads=(
        "Convert our chips into cents.",
        "I need the worth of some chips in cents.",
    ),
    functions=("chips_to_cents", "chip_worth", "to_cents"),
    arguments=(("chips",), ("count",), ("n",)),
    result="$x * $worth",
    core=(
        Parameter(
            "worth",
            Integers(12, 88),
            facts=("One chip is worth {v} cents.", "A chip makes {v} cents."),
            questions=("How many cents is one chip worth?", "What is a chip worth in cents?"),
            topics="rate factor unit conversion",
            probes=lambda v: [(2,)],
        ),
    ),
    options=(missing(), negative(), cap(901, 999, 9999), extra()),
    inputs=lambda rng, v: (rng.randint(1, 40),),
)

RATE_RISE = Family(
    name="rate_rise",
    heads=(
        "An interest rate in basis points goes up; give me the new one, rounded down.",
        "Raise a fee rate, given in basis points, and round the new one down.",
    ),
    functions=("new_rate", "raised_rate", "after_rise"),
    arguments=(("rate",), ("old",), ("r0",)),
    result="$x + $kind",
    core=(
        Parameter(
            "rise",
            Integers(11, 60),
            facts=("It rises by {v}.", "The rise amounts to {v}."),
            questions=("By how much does it rise?", "What does the rise amount to?"),
            topics="increase up",
        ),
        Parameter(
            "kind",
            Choices({"percent": "$x * $rise // 100", "basis points": "$rise"}),
            facts=("The unit of that is {v}.", "Take {v} as the unit."),
            questions=("Which unit is that?", "What is the unit, percent or basis points?"),
            topics="relative absolute share",
        ),
    ),
    options=(missing(), negative(), cap(1600, 1900, 9999), extra()),
    inputs=lambda rng, v: (rng.randint(200, 900),),
)

FAMILIES = (PRICE_BAND, BONUS_POINTS, BOOKING_SIGN, OVERTIME, CHIP_WORTH, RATE_RISE)
