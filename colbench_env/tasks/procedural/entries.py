"""Families about words and pairs: null markers, duplicates, priorities, tie-breaking, look-ups."""

from __future__ import annotations

from random import Random

from colbench_env.tasks.procedural.family import Family, Parameter
from colbench_env.tasks.procedural.options import (
    WORD,
    empty,
    extra,
    last,
    missing,
    most,
    order,
    prefix,
    suffix,
)
from colbench_env.tasks.procedural.values import NAMES, WORDS, Codes, Integers, Texts

LISTS = (("words",), ("items",), ("names",), ("entries",))
MANY = ["j", "c", "h", "a", "f", "d", "i", "b", "g", "e"]
"""Ten words that are no parameter's value."""


def some(rng: Random, word: str) -> list[str]:
    """Return a few words, `word` among them more often than not."""
    found = rng.sample(NAMES + WORDS, rng.randint(2, 4)) + [word] * rng.randint(0, 2)
    rng.shuffle(found)
    return found


DROP_NULLS = Family(
    name="drop_nulls",
    heads=(
        "Our export marks unknown cells with a word; remove those cells.",
        "Remove all cells of a row that hold our null word.",
    ),
    functions=("drop_nulls", "clean_row", "known_cells"),
    arguments=(("row",), ("cells",), ("items",)),
    result="[w for w in $x if w != $null]",
    core=(
        Parameter(
            "null",
            WORD,
            facts=("The null word is {v}.", "Unknown cells hold {v}."),
            questions=("What is the null word?", "What do unknown cells hold?"),
            topics="marker missing empty",
            probes=lambda v: [([v["null"]],), (["q", v["null"]],)],
        ),
    ),
    options=(missing(WORD), order(MANY), most(MANY), last(Codes())),
    inputs=lambda rng, v: (some(rng, v["null"]),),
)

FILL_NULLS = Family(
    name="fill_nulls",
    heads=(
        "Some cells of a row are empty texts; fill them.",
        "Fill the empty cells of a row with our standard word.",
    ),
    functions=("fill_nulls", "fill_row", "complete"),
    arguments=(("row",), ("cells",), ("items",)),
    result="[w or $filler for w in $x]",
    core=(
        Parameter(
            "filler",
            WORD,
            facts=("Fill empty cells with {v}.", "Empty cells become {v}."),
            questions=("What should I fill empty cells with?", "What do empty cells become?"),
            topics="default standard word",
            probes=lambda v: [([""],), (["q", ""],)],
        ),
    ),
    options=(missing(WORD), order(MANY), most(MANY), last(Codes())),
    inputs=lambda rng, v: (some(rng, ""),),
)

GUEST_FIRST = Family(
    name="guest_first",
    heads=(
        "Sort names alphabetically, but our guest of honour always comes first.",
        "An alphabetical list of names with one special guest at the top.",
    ),
    functions=("seating", "guest_list", "sorted_names"),
    arguments=LISTS,
    result="sorted($x, key=lambda w: (w != $guest, w))",
    core=(
        Parameter(
            "guest",
            Texts(NAMES),
            facts=("The guest is {v}.", "Our guest of honour is {v}."),
            questions=("Who is the guest?", "Who is our guest of honour?"),
            topics="first special priority top",
            probes=lambda v: [(["abel", v["guest"]],), (["zz", "abel", v["guest"]],)],
        ),
    ),
    options=(missing(WORD), most(MANY), last(Codes())),
    inputs=lambda rng, v: (some(rng, v["guest"]),),
)

WINNER = Family(
    name="winner",
    heads=(
        "Who wins? The most points win; among equals our home player wins, else the first.",
        "Find the winner by points. Our home player wins among equals, else the first.",
    ),
    functions=("winner", "best_player", "champion"),
    arguments=(("players",), ("table",), ("results",)),
    result="max($x, key=lambda p: (p[1], p[0] == $home))[0]",
    core=(
        Parameter(
            "home",
            Texts(NAMES),
            facts=("The home player is {v}.", "Our home player is called {v}."),
            questions=("Who is the home player?", "What is our home player called?"),
            topics="equal tie ties break",
            probes=lambda v: [
                ([("abel", 5), (v["home"], 5)],),
                ([("abel", 2), ("zz", 8), (v["home"], 8)],),
            ],
        ),
    ),
    options=(missing(WORD), empty(WORD, []), prefix(), suffix()),
    inputs=lambda rng, v: ([(n, rng.randint(1, 3)) for n in (*rng.sample(NAMES, 3), v["home"])],),
    heldout=True,
)

LOOKUP = Family(
    name="lookup",
    heads=(
        "Read one entry of a dictionary, with our default if it is absent.",
        "Get our entry out of a dictionary; there is a default if it is absent.",
    ),
    functions=("read_entry", "lookup", "get_setting"),
    arguments=(("data",), ("record",), ("d",)),
    result="$x.get($key, $default)",
    core=(
        Parameter(
            "key",
            WORD,
            facts=("The entry is called {v}.", "Read the entry {v}."),
            questions=("What is the entry called?", "Which entry should I read?"),
            topics="key name field",
            probes=lambda v: [({v["key"]: 7},), ({v["key"]: 12, "q": 3},)],
        ),
        Parameter(
            "default",
            Integers(100, 999),
            facts=("The default is {v}.", "If absent, the default is {v}."),
            questions=("What is the default?", "Which default if it is absent?"),
            topics="fallback otherwise",
            probes=lambda v: [({"q": 3},)],
        ),
    ),
    options=(missing(Integers(1000, 1999)), empty(Integers(1000, 1999), {}), extra()),
    inputs=lambda rng, v: (
        {rng.choice([v["key"], *WORDS]): rng.randint(1, 99), "p": rng.randint(1, 99)},
    ),
    heldout=True,
)

COUNT_LABEL = Family(
    name="count_label",
    heads=(
        "Count how often our label stands in a list.",
        "How many entries of a list carry our label?",
    ),
    functions=("count_label", "label_count", "tagged"),
    arguments=LISTS,
    result="$x.count($label)",
    core=(
        Parameter(
            "label",
            WORD,
            facts=("Our label is {v}.", "Count the label {v}."),
            questions=("What is our label?", "Which label should I count?"),
            topics="word value",
            probes=lambda v: [([v["label"]],), ([v["label"], "q", v["label"]],)],
        ),
    ),
    options=(missing(), empty(probe=[]), extra()),
    inputs=lambda rng, v: (some(rng, v["label"]),),
)

ADD_ENDING = Family(
    name="add_ending",
    heads=(
        "Add our ending to every word of a list.",
        "Every word of a list needs our ending.",
    ),
    functions=("add_ending", "with_ending", "extend_words"),
    arguments=LISTS,
    result="[w + $ending for w in $x]",
    core=(
        Parameter(
            "ending",
            Codes(),
            facts=("Our ending is {v}.", "Words get the ending {v}."),
            questions=("What is our ending?", "Which ending do words get?"),
            topics="suffix after",
        ),
    ),
    options=(missing(WORD), order(MANY), most(MANY), last(WORD)),
    inputs=lambda rng, v: (some(rng, "q"),),
)

UNIQUE = Family(
    name="unique",
    heads=(
        "Remove repeated words from a list, keeping the first; one word may repeat.",
        "Drop duplicates from a list, except for the one word that may repeat.",
    ),
    functions=("unique", "no_duplicates", "distinct"),
    arguments=LISTS,
    result="[w for i, w in enumerate($x) if w == $free or w not in $x[:i]]",
    core=(
        Parameter(
            "free",
            WORD,
            facts=("The word that may repeat is {v}.", "Only {v} may repeat."),
            questions=("Which word may repeat?", "What is the word that may repeat?"),
            topics="duplicate exception several",
            probes=lambda v: [(["q", "q", v["free"], v["free"]],), ([v["free"]] * 3,)],
        ),
    ),
    options=(missing(WORD), order(MANY), most(MANY), last(Codes())),
    inputs=lambda rng, v: (some(rng, v["free"]) + some(rng, "q"),),
)

FAMILIES = (DROP_NULLS, FILL_NULLS, GUEST_FIRST, WINNER, LOOKUP, COUNT_LABEL, ADD_ENDING, UNIQUE)
