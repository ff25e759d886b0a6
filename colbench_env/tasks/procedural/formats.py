"""Families about formats: dates, clock times, thousands, running numbers, key-value lines."""

from __future__ import annotations

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import WORD, empty, missing, negative, prefix, suffix
from colbench_env.tasks.procedural.texts import separator
from colbench_env.tasks.procedural.values import MARKS, NAMES, Choices, Codes, Integers, Texts

NUMBERS = (("n",), ("value",), ("x",), ("number",))

DATE = Family(
    name="date",
    heads=(
        "Write a date in our format, day and month with two digits.",
        "Format a date; day and month always have two digits.",
    ),
    functions=("format_date", "date_text", "write_date"),
    arguments=(("day", "month", "year"), ("d", "m", "y")),
    result="$separator.join(str(n).zfill(2) for n in ($order))",
    core=(
        separator(
            ("What separates the numbers?", "Which separator is between the numbers?"),
            ("The separator is {v}.", "Separate the numbers with {v}."),
            "between delimiter format date",
        ),
        Parameter(
            "order",
            Choices(
                {
                    "day, month, year": "$x, $y, $z",
                    "month, day, year": "$y, $x, $z",
                    "year, month, day": "$z, $y, $x",
                    "year, day, month": "$z, $x, $y",
                }
            ),
            facts=("The order is {v}.", "Write it in the order {v}."),
            questions=("In which order should I write it?", "What is the order?"),
            topics="day month year first",
        ),
    ),
    options=(missing(WORD, 3, 2020), prefix(), suffix()),
    inputs=lambda rng, v: (rng.randint(13, 28), rng.randint(1, 12), rng.randint(1950, 2030)),
)

CLOCK = Family(
    name="clock",
    heads=(
        "Write minutes as hours and minutes, the minutes with two digits.",
        "Turn a number of minutes into hours and two-digit minutes.",
    ),
    functions=("clock", "hours_minutes", "duration_text"),
    arguments=(("minutes",), ("total",), ("n",)),
    result="str($x // 60) + $separator + str($x % 60).zfill(2)",
    core=(
        separator(
            ("What stands between hours and minutes?", "Which separator for hours and minutes?"),
            ("Between hours and minutes stands {v}.", "Hours and minutes are parted by {v}."),
            "separator colon format",
        ),
    ),
    options=(missing(WORD), negative(WORD), prefix(), suffix()),
    inputs=lambda rng, v: (rng.randint(0, 900),),
)

THOUSANDS = Family(
    name="thousands",
    heads=(
        "Write a big whole number with grouped thousands and its unit.",
        "Format large numbers: group the thousands and put the unit behind.",
    ),
    functions=("grouped", "format_number", "with_unit"),
    arguments=NUMBERS,
    result='format($x, ",").replace(",", $separator) + $unit',
    core=(
        separator(
            ("What groups the thousands?", "Which sign groups thousands?"),
            ("Group the thousands with {v}.", "The thousands are grouped by {v}."),
            "separator between",
        ),
        Parameter(
            "unit",
            Codes(),
            facts=("The unit is {v}.", "Our unit is called {v}."),
            questions=("What is the unit?", "Which unit goes behind?"),
            topics="currency behind",
        ),
    ),
    options=(missing(WORD), negative(WORD), suffix()),
    inputs=lambda rng, v: (rng.randint(1000, 9_999_999),),
)

INVOICE = Family(
    name="invoice_number",
    heads=(
        "Make an invoice number: our letters, then the count filled up with zeros.",
        "Build the id of an invoice from our letters and a zero-filled count.",
    ),
    functions=("invoice_id", "invoice_number", "make_id"),
    arguments=(("count",), ("n",), ("number",)),
    result="$letters + str($x).zfill($digits)",
    core=(
        Parameter(
            "letters",
            Codes(),
            facts=("Our letters are {v}.", "Start with the letters {v}."),
            questions=("What are our letters?", "Which letters do I start with?"),
            topics="prefix front",
        ),
        Parameter(
            "digits",
            Integers(5, 12),
            facts=("The count has {v} digits.", "Use {v} digits."),
            questions=("How many digits has the count?", "How many digits do I use?"),
            topics="width zeros length",
        ),
    ),
    options=(missing(WORD), negative(WORD), suffix()),
    inputs=lambda rng, v: (rng.randint(1, 9999),),
)

PAIRS = Family(
    name="pairs",
    heads=(
        "Print settings, a dictionary, as one line of keys with their values.",
        "Turn a dictionary of settings into one line.",
    ),
    functions=("settings_line", "dump_settings", "to_text"),
    arguments=(("settings",), ("data",), ("d",)),
    result="$separator.join(k + $link + str($x[k]) for k in $x)",
    core=(
        separator(
            ("What separates two settings?", "What stands between two settings?"),
            ("Two settings are separated by {v}.", "Between two settings stands {v}."),
            "separator delimiter",
        ),
        Parameter(
            "link",
            Texts(MARKS),
            facts=("A key is linked to its value by {v}.", "Link key and value with {v}."),
            questions=("What links a key to its value?", "How do I link key and value?"),
            topics="equals connects",
        ),
    ),
    options=(empty(WORD, {}), prefix(), suffix()),
    inputs=lambda rng, v: ({k: rng.randint(1, 99) for k in rng.sample(NAMES, rng.randint(2, 3))},),
)

ECHO = Family(
    name="echo",
    heads=(
        "Repeat a word several times in one line.",
        "Write the same word several times, one after the other.",
    ),
    functions=("echo", "repeat_word", "say_again"),
    arguments=(("word",), ("text",), ("s",)),
    result="$separator.join([$x] * $times)",
    core=(
        separator(
            ("What separates the words?", "What is the separator?"),
            ("The separator is {v}.", "Separate the words with {v}."),
            "between delimiter",
        ),
        Parameter(
            "times",
            Integers(2, 9),
            facts=("Repeat it {v} times.", "I want it {v} times."),
            questions=("How many times should I repeat it?", "How many times do you want it?"),
            topics="often count",
        ),
    ),
    options=(empty(WORD, ""), prefix(), suffix()),
    inputs=lambda rng, v: (rng.choice(NAMES),),
)

FAMILIES = (DATE, CLOCK, THOUSANDS, INVOICE, PAIRS, ECHO)
