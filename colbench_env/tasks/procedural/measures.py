"""Families about measures: rounding, packing, clipping, calibration, cycles, shares, scores."""

from __future__ import annotations

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import (
    WORD,
    cap,
    extra,
    floor,
    missing,
    negative,
    prefix,
    suffix,
)
from colbench_env.tasks.procedural.values import SYMBOLS, Integers, Texts

NUMBERS = (("n",), ("value",), ("x",), ("number",))


def step(what: str, ask: str, topics: str) -> Parameter:
    """A size that divides the input; found out at one below it and at it."""
    return Parameter(
        "step",
        Integers(6, 60),
        facts=(f"{what} is {{v}}.", f"Take {{v}} as {what.lower()}."),
        questions=(f"What is {ask}?", f"How big is {ask}?"),
        topics=topics,
        probes=lambda v: [(v["step"] - 1,), (v["step"],), (v["step"] + 1,)],
    )


ROUND_DOWN = Family(
    name="round_down",
    heads=(
        "Round a number down to a multiple of our grid size.",
        "Snap numbers down to our grid.",
    ),
    functions=("round_down", "snap", "to_grid"),
    arguments=NUMBERS,
    result="$x // $step * $step",
    core=(step("The grid size", "the grid size", "multiple step rounding"),),
    options=(missing(), negative(), cap(300, 900, 99999), extra()),
    inputs=lambda rng, v: (rng.randint(1, 250),),
)

PACKS = Family(
    name="packs",
    heads=(
        "How many boxes do I need for so many bottles? A started box counts.",
        "Count the boxes for some bottles, the last one may be half full.",
    ),
    functions=("boxes_needed", "boxes", "box_count"),
    arguments=(("bottles",), ("n",), ("count",)),
    result="-(-$x // $step)",
    core=(step("The size of a box", "the size of a box", "bottles fit hold"),),
    options=(missing(), negative(), cap(90, 150, 99999), extra()),
    inputs=lambda rng, v: (rng.randint(1, 400),),
)

CLIP = Family(
    name="clip",
    heads=(
        "Keep a reading within our range: clip it at both ends.",
        "Clip a sensor reading to the range that we trust.",
    ),
    functions=("clip", "clamp", "limit_reading"),
    arguments=NUMBERS,
    result="max($lower, min($x, $upper))",
    core=(
        Parameter(
            "upper",
            Integers(60, 99),
            facts=("The upper end is {v}.", "Clip above {v}, the upper end."),
            questions=("What is the upper end?", "Where is the upper end of the range?"),
            topics="maximum highest",
            probes=lambda v: [(140,), (v["upper"],)],
        ),
        Parameter(
            "lower",
            Integers(10, 40),
            facts=("The lower end is {v}.", "Clip below {v}, the lower end."),
            questions=("What is the lower end?", "Where is the lower end of the range?"),
            topics="minimum lowest",
            probes=lambda v: [(1,), (v["lower"],)],
        ),
    ),
    options=(missing(), negative(), extra()),
    inputs=lambda rng, v: (rng.randint(2, 130),),
)

CALIBRATE = Family(
    name="calibrate",
    heads=(
        "Correct a raw sensor value: multiply by the gain, then add the offset.",
        "Calibrate raw values with our gain and then our offset.",
    ),
    functions=("calibrate", "corrected", "from_raw"),
    arguments=(("raw",), ("value",), ("x",)),
    result="$x * $gain + $offset",
    core=(
        Parameter(
            "gain",
            Integers(3, 40),
            facts=("The gain is {v}.", "Multiply by a gain of {v}."),
            questions=("What is the gain?", "Which gain do I multiply by?"),
            topics="factor scale",
            probes=lambda v: [(2,), (3,)],
        ),
        Parameter(
            "offset",
            Integers(5, 60),
            facts=("The offset is {v}.", "Use an offset of {v}."),
            questions=("What is the offset?", "Which offset do I use?"),
            topics="bias shift",
        ),
    ),
    options=(missing(), negative(), cap(400, 900, 9999)),
    inputs=lambda rng, v: (rng.randint(0, 60),),
)

CYCLE = Family(
    name="cycle",
    heads=(
        "Our shifts repeat. Turn a day number into its place in the cycle, from 0.",
        "Give the place of a day in our repeating cycle; the first place is 0.",
    ),
    functions=("place_in_cycle", "shift_day", "cycle_day"),
    arguments=(("day",), ("n",), ("number",)),
    result="($x - $first) % $length",
    core=(
        Parameter(
            "length",
            Integers(11, 50),
            facts=("The cycle is {v} days long.", "A cycle has {v} days."),
            questions=("How long is the cycle?", "How many days has a cycle?"),
            topics="length period repeat",
            probes=lambda v: [(v["first"] + v["length"] - 1,), (v["first"] + v["length"],)],
        ),
        Parameter(
            "first",
            Integers(1, 9),
            facts=("It starts with day number {v}.", "Day number {v} is the start."),
            questions=("With which day number does it start?", "Which day number is the start?"),
            topics="first begin offset",
            probes=lambda v: [(v["first"],)],
        ),
    ),
    options=(missing(), negative(), extra()),
    inputs=lambda rng, v: (rng.randint(0, 200),),
)

STARS = Family(
    name="stars",
    heads=(
        "Show a score as a row of signs, one sign for each full portion of points.",
        "Draw a score as a bar: one sign for every full portion of points.",
    ),
    functions=("bar", "draw_score", "signs"),
    arguments=(("score",), ("points",), ("n",)),
    result="$sign * ($x // $step)",
    core=(
        step("The portion", "the portion", "points step per"),
        Parameter(
            "sign",
            Texts(SYMBOLS),
            facts=("The sign is {v}.", "Draw with {v} as the sign."),
            questions=("Which sign should I draw?", "What is the sign?"),
            topics="character symbol",
        ),
    ),
    options=(missing(WORD), negative(WORD), prefix(), suffix()),
    inputs=lambda rng, v: (rng.randint(1, 300),),
)

WEIGHTED = Family(
    name="weighted",
    heads=(
        "Mix two marks into one: the exam has a weight in percent, homework the rest. Round down.",
        "Final mark from exam and homework by percent weights, rounded down.",
    ),
    functions=("final_mark", "mix", "course_mark"),
    arguments=(("exam", "homework"), ("x", "y")),
    result="($x * $weight + $y * (100 - $weight)) // 100",
    core=(
        Parameter(
            "weight",
            Integers(11, 89),
            facts=("The exam weighs {v} percent.", "Weigh the exam with {v} percent."),
            questions=("How many percent does the exam weigh?", "What does the exam weigh?"),
            topics="weight share",
        ),
    ),
    options=(
        missing(Integers(100, 999), 50),
        cap(500, 900, 9999, 9999),
        floor(11, 60, 1, 1),
        extra(),
    ),
    inputs=lambda rng, v: (rng.randint(200, 450), rng.randint(0, 99)),
)

QUIZ = Family(
    name="quiz",
    heads=(
        "Score a quiz: points for right answers, a penalty for each wrong one.",
        "Quiz score from the numbers of right and wrong answers.",
    ),
    functions=("quiz_score", "score", "result_points"),
    arguments=(("right", "wrong"), ("good", "bad")),
    result="$x * $points - $y * $penalty",
    core=(
        Parameter(
            "points",
            Integers(3, 40),
            facts=("A right answer brings {v} points.", "Give {v} points for a right answer."),
            questions=("How many points for a right answer?", "What does a right answer bring?"),
            topics="correct reward",
            probes=lambda v: [(12, 0)],
        ),
        Parameter(
            "penalty",
            Integers(2, 21),
            facts=("A wrong answer costs {v}.", "The penalty for a wrong answer is {v}."),
            questions=("What does a wrong answer cost?", "How big is the wrong answer penalty?"),
            topics="minus incorrect",
            probes=lambda v: [(20, 1)],
        ),
    ),
    options=(missing(Integers(100, 999), 3), floor(2, 30, 0, 30), extra()),
    inputs=lambda rng, v: (rng.randint(0, 20), rng.randint(0, 20)),
)

VOTE = Family(
    name="vote",
    heads=(
        "Decide a vote from yes and no: a share of yes is needed, reached exactly is enough.",
        "Was a motion carried? A share of yes votes is needed; exactly that is enough.",
    ),
    functions=("decide", "vote_result", "outcome"),
    arguments=(("yes", "no"), ("pro", "contra")),
    result="$won if $x * 100 >= $share * ($x + $y) else $lost",
    core=(
        Parameter(
            "share",
            Integers(21, 79),
            facts=("It takes {v} percent yes.", "The share needed is {v} percent."),
            questions=("How many percent yes does it take?", "What percent share is needed?"),
            topics="quorum threshold majority",
            probes=lambda v: [
                (v["share"], 100 - v["share"]),
                (v["share"] - 1, 101 - v["share"]),
            ],
        ),
        Parameter(
            "won",
            WORD,
            facts=("Call a carried motion {v}.", "If it is carried, say {v}."),
            questions=("What do I call a carried motion?", "What to say if it is carried?"),
            topics="accepted passed won",
            probes=lambda v: [(100, 0)],
        ),
        Parameter(
            "lost",
            WORD,
            facts=("Call a failed motion {v}.", "If it failed, say {v}."),
            questions=("What do I call a failed motion?", "What to say if it failed?"),
            topics="rejected lost",
            probes=lambda v: [(0, 100)],
        ),
    ),
    options=(missing(WORD, 5), prefix(), suffix()),
    inputs=lambda rng, v: (rng.randint(0, 99), rng.randint(1, 99)),
    heldout=True,
)

FAMILIES = (ROUND_DOWN, PACKS, CLIP, CALIBRATE, CYCLE, STARS, WEIGHTED, QUIZ, VOTE)
