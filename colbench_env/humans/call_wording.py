"""Put calls of well-known functions and methods into plain English."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from colbench_env.humans.phrases import UnsayableError, is_text, listing, literal

if TYPE_CHECKING:
    from colbench_env.humans.wording import Words

_FUNCTIONS = {
    "abs": "the size of {0} without its sign",
    "int": "{0} as a whole number with the decimals dropped",
    "float": "{0}",
    "str": "{0}",
    "list": "{0}",
    "tuple": "{0}",
    "bool": "whether {0} is true",
    "set": "the distinct items of {0}",
    "dict": "{0}",
    "reversed": "{0} in reverse",
    "sqrt": "the square root of {0}",
    "ceil": "{0} rounded up",
    "floor": "{0} rounded down",
    "log": "the natural logarithm of {0}",
    "log10": "the logarithm to base 10 of {0}",
    "log2": "the logarithm to base 2 of {0}",
    "exp": "e to the power of {0}",
    "radians": "{0} in radians",
    "degrees": "{0} in degrees",
    "sin": "the sine of {0}",
    "cos": "the cosine of {0}",
    "tan": "the tangent of {0}",
    "bin": "{0} in binary",
    "enumerate": "{0} with positions",
    "Counter": "the counts of {0}",
    "ord": "the character code of {0}",
    "mean": "the average of {0}",
    "median": "the median of {0}",
}
_TYPES = {"dict": "dictionary", "str": "text"}
_METHODS = {
    "lower": "{s} in lower case",
    "casefold": "{s} in lower case",
    "upper": "{s} in upper case",
    "title": "{s} with capital initials",
    "capitalize": "{s} with a capital first letter",
    "strip": "{s} without blanks at the ends",
    "rstrip": "{s} without blanks at the end",
    "lstrip": "{s} without blanks at the start",
    "keys": "the keys of {s}",
    "values": "the values of {s}",
    "items": "the entries of {s}",
    "splitlines": "the lines of {s}",
    "copy": "{s}",
    "count": "how often {0} occurs in {s}",
    "index": "the position of {0} in {s}",
    "find": "the position of {0} in {s}",
    "union": "{s} together with {0}",
    "intersection": "what {s} and {0} have in common",
    "difference": "{s} without {0}",
    "date": "the date of {s}",
    "total_seconds": "{s} in seconds",
}


def say_call(words: Words, node: ast.Call) -> str:
    """Return a call in words.

    Raises:
        UnsayableError: The function is not a well-known one, or an argument cannot be said.
    """
    if any(isinstance(a, ast.Starred) for a in node.args):
        raise UnsayableError("starred")
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    args = node.args
    keywords = {k.arg: k.value for k in node.keywords}
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    module = isinstance(owner, ast.Name) and owner.id in ("math", "np", "numpy", "statistics")
    if owner is None or module:
        if name == "len" and len(args) == 1:
            return f"the number of items in {words.say(args[0])}"
        if name == "sum" and args:
            return _sum_of(words, args[0])
        if name in ("max", "min") and args:
            kind = "largest" if name == "max" else "smallest"
            if len(args) > 1:
                kind = {"max": "larger", "min": "smaller"}[name] if len(args) == 2 else kind
                return f"the {kind} of {listing([words.say(a) for a in args])}"
            by = f" by {_sort_key(words, keywords['key'])}" if "key" in keywords else ""
            return f"the {kind} of {words.say(args[0])}{by}"
        if name == "round" and args:
            digits = literal(args[1]) if len(args) > 1 else 0
            if not isinstance(digits, int):
                raise UnsayableError("digits")
            if digits == 0:
                return f"{words.say(args[0])} rounded to a whole number"
            return f"{words.say(args[0])} rounded to {digits} decimal{'s' * (digits != 1)}"
        if name == "sorted" and args:
            return f"{words.say(args[0])} sorted{sort_words(words, keywords)}"
        if name == "range":
            return _range_of(words, args)
        if name == "zip":
            return f"pairs from {listing([words.say(a) for a in args])}"
        if name in ("list", "dict", "set", "tuple", "str") and not args and not keywords:
            return f"an empty {_TYPES.get(name, name)}"
        if name == "pow" and len(args) == 2:
            return f"{words.say(args[0])} to the power of {words.say(args[1])}"
        if name in ("any", "all"):
            return f"true if {words.condition(node)}, otherwise false"
        if name in _FUNCTIONS and len(args) == 1 and not keywords:
            return _FUNCTIONS[name].format(words.say(args[0]))
    if owner is None or module:
        raise UnsayableError(name)
    subject = owner
    if name == "join" and args:
        separator = literal(subject)
        between = f"joined with {words.say(subject)}" if separator != "" else "joined directly"
        return f"{words.say(args[0])} {between}"
    if name == "split":
        by = f"at {words.say(args[0])}" if args else "into words at blanks"
        return f"{words.say(subject)} split {by}"
    if name == "replace" and len(args) == 2:
        if literal(args[1]) == "":
            return f"{words.say(subject)} without {words.say(args[0])}"
        return f"{words.say(subject)} with {words.say(args[0])} replaced by {words.say(args[1])}"
    if name == "get" and args:
        key = literal(args[0])
        entry = (
            f"the {words.say(args[0])} of {words.say(subject)}"
            if isinstance(key, str)
            else f"the entry of {words.say(subject)} for {words.say(args[0])}"
        )
        return f"{entry} ({words.say(args[1])} if missing)" if len(args) > 1 else entry
    if name in ("strptime", "strftime") and args:
        verb = "read as a date of the form" if name == "strptime" else "written in the form"
        what = args[0] if name == "strptime" and len(args) > 1 else subject
        return f"{words.say(what)} {verb} {words.say(args[-1])}"
    if name in ("startswith", "endswith") or name.startswith("is"):
        return f"true if {words.condition(node)}, otherwise false"
    if name in _METHODS and not keywords:
        if ("{0}" in _METHODS[name]) != bool(args) and is_text(subject) is False and args:
            raise UnsayableError(name)
        return _METHODS[name].format(*[words.say(a) for a in args], s=words.say(subject))
    raise UnsayableError(name)


def sort_words(words: Words, keywords: dict[str | None, ast.expr]) -> str:
    """Return what `key=` and `reverse=` say: " by the rating, highest first"."""
    key = keywords.get("key")
    by = f" by {_sort_key(words, key)}" if key is not None else ""
    downward = literal(keywords.get("reverse")) is True
    if isinstance(key, ast.Lambda) and isinstance(key.body, ast.UnaryOp):
        downward = not downward
        by = f" by {words.say(key).removeprefix('minus ')}"
    return f"{by}, {'highest' if downward else 'lowest'} first"


def _sort_key(words: Words, key: ast.expr) -> str:
    """Return a key in words; `lambda i: times[i]` is simply "the times"."""
    if isinstance(key, ast.Lambda) and isinstance(key.body, ast.Subscript) and key.args.args:
        index, variable = key.body.slice, key.args.args[0].arg
        if isinstance(index, ast.Name) and index.id == variable:
            return words.say(key.body.value)
    if isinstance(key, ast.Attribute) and key.attr == "get":
        return f"their entry in {words.say(key.value)}"
    return words.say(key)


def _sum_of(words: Words, node: ast.expr) -> str:
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        each = words.loops(node.generators)
        if literal(node.elt) == 1:
            return f"the number of times there is {each.replace('each', 'a', 1)}"
        if isinstance(node.elt, ast.Name):
            return f"the sum of {each}"
        return f"the sum of {words.say(node.elt)} over {each}"
    return f"the sum of {words.say(node)}"


def _range_of(words: Words, args: Sequence[ast.expr]) -> str:
    low = literal(args[0]) if len(args) > 1 else 0
    high = args[1] if len(args) > 1 else args[0]
    step = f" in steps of {words.say(args[2])}" if len(args) > 2 else ""
    if isinstance(high, ast.BinOp) and isinstance(high.op, ast.Add) and literal(high.right) == 1:
        end = f"to {words.say(high.left)} inclusive"
    elif isinstance(value := literal(high), int):
        end = f"to {value - 1} inclusive"
    else:
        end = f"up to but not including {words.say(high)}"
    start = words.say(args[0]) if len(args) > 1 else str(low)
    return f"{start} {end}{step}"
