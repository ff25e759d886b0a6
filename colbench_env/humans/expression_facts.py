"""Facts that single expressions hold: limits, rounding, order, defaults, separators, letters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from colbench_env.humans.call_wording import sort_words
from colbench_env.humans.mutations import Mutation, Sketch, sketch
from colbench_env.humans.phrases import UnsayableError, literal
from colbench_env.humans.wording import Words

_ORDERED = {
    ast.Gt: ("more than", False),
    ast.GtE: ("at least", True),
    ast.Lt: ("less than", False),
    ast.LtE: ("at most", True),
}
_MIRRORED = {
    "more than": "less than",
    "less than": "more than",
    "at least": "at most",
    "at most": "at least",
}


def expression_facts(function: ast.FunctionDef, words: Words) -> Iterator[Sketch]:
    """Yield the facts of a function's expressions, in the tree's order."""
    for node in ast.walk(function):
        try:
            if isinstance(node, ast.Compare):
                yield from _comparison(node, words)
            elif isinstance(node, ast.Call):
                yield from _call(node, words)
            elif isinstance(node, ast.BinOp):
                yield from _binop(node, words)
            elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
                yield from _comprehension(node, words)
        except UnsayableError:
            continue


def _comparison(node: ast.Compare, words: Words) -> Iterator[Sketch]:
    left = node.left
    for i, (op, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        if type(op) in _ORDERED:
            phrase, inclusive = _ORDERED[type(op)]
            bound, subject = words.say(right), words.say(left)
            between = i == 0 and len(node.ops) > 1
            if isinstance(left, ast.Constant) or between:
                bound, subject, phrase = subject, bound, _MIRRORED[phrase]
            within = "is included" if inclusive else "is not included"
            yield sketch(
                "limit",
                node,
                f"for {subject} the rule says {phrase} {bound}, so exactly {bound} {within}",
                f"the limit for {subject} is {bound}, and {bound} itself {within} ({phrase})",
                Mutation.at(node, "flip limit", i),
                Mutation.at(node, "shift number", i),
            )
        left = right


def _call(node: ast.Call, words: Words) -> Iterator[Sketch]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    keywords = {k.arg: k.value for k in node.keywords}
    drop = Mutation.at(node, "drop call")
    if name == "round" and node.args:
        digits = literal(node.args[1]) if len(node.args) > 1 else 0
        what = f"{digits} decimal{'s' * (digits != 1)}" if digits else "a whole number"
        yield sketch(
            "rounding",
            node,
            f"please round it to {what}",
            f"rounded to {what} is what I need",
            drop,
        )
    elif name in ("int", "floor", "ceil", "trunc") and node.args:
        way = {"floor": "rounded down", "ceil": "rounded up"}.get(name, "cut off after the point")
        subject = words.say(node.args[0])
        yield sketch(
            "rounding",
            node,
            f"{subject} has to be a whole number, {way}",
            f"no decimals for {subject}: it is {way}",
            drop,
        )
    elif name in ("sorted", "sort"):
        how = sort_words(words, keywords).strip(" ,")
        yield sketch(
            "order",
            node,
            f"I want it sorted {how}",
            f"the order is {how}",
            Mutation.at(node, "reverse"),
        )
        if name == "sorted" and "key" in keywords:
            yield sketch(
                "order",
                node.args[0] if node.args else node,
                "with ties, whatever came first in the input stays first",
                "equal ones keep the order they came in",
                Mutation.at(node, "reverse input"),
            )
    elif name in ("max", "min") and len(node.args) == 1 and "key" in keywords:
        yield sketch(
            "order",
            node,
            f"if several tie for {words.say(node)}, the one that comes first wins",
            "in a tie the first one counts",
            Mutation.at(node, "reverse input"),
        )
    elif name == "get" and len(node.args) == 2 and isinstance(node.func, ast.Attribute):
        entry, value = words.say(node.args[0]), words.say(node.args[1])
        yield sketch(
            "default",
            node,
            f"if {entry} is missing in {words.say(node.func.value)}, take {value}",
            f"{value} is the default when there is no {entry.removeprefix('the ')}",
            Mutation.at(node, "other value", 1),
        )
    elif name in ("lower", "upper", "casefold") and isinstance(node.func, ast.Attribute):
        subject = words.say(node.func.value)
        yield sketch(
            "letters",
            node,
            f"capital or small letters make no difference for {subject}",
            f"{subject} is compared without looking at capitals",
            drop,
        )
    elif name in ("join", "split") and isinstance(node.func, ast.Attribute):
        part = node.func.value if name == "join" else (node.args[0] if node.args else None)
        separator = literal(part)
        if isinstance(separator, str) and separator:
            said = words.say(part) if part is not None else ""
            verb = "goes between the parts" if name == "join" else "is what separates the parts"
            yield sketch(
                "separator",
                node,
                f"{said} {verb}",
                f"the separator is {said}",
                Mutation.at(part, "other value") if part is not None else drop,
            )
    elif name == "set" and node.args:
        subject = words.say(node.args[0])
        yield sketch(
            "duplicates",
            node,
            f"duplicates in {subject} count once",
            f"every different one of {subject} counts only one time",
            drop,
        )


def _binop(node: ast.BinOp, words: Words) -> Iterator[Sketch]:
    if isinstance(node.op, ast.FloorDiv):
        yield sketch(
            "rounding",
            node,
            f"{words.say(node)}, so no fraction is kept",
            f"only whole numbers count when dividing {words.say(node.left)}",
            Mutation.at(node, "other operator"),
        )
    number = literal(node.right)
    if isinstance(node.op, ast.Div) and number == 100 and isinstance(node.left, ast.Name):
        subject = words.say(node.left)
        yield sketch(
            "units",
            node,
            f"{subject} is a percentage, so 5 means 5 percent",
            f"I give {subject} in percent and not as a fraction",
            Mutation.at(node, "other operator"),
        )
    elif isinstance(node.op, ast.Mult) and 100 in (number, literal(node.left)) and _divides(node):
        yield sketch(
            "units",
            node,
            "it comes out as a percentage, so a half is 50",
            "percent, not a fraction: multiplied by 100",
            Mutation.at(node, "other operator"),
        )


def _divides(node: ast.BinOp) -> bool:
    return any(
        isinstance(side, ast.BinOp) and isinstance(side.op, ast.Div)
        for side in (node.left, node.right)
    )


def _comprehension(
    node: ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp, words: Words
) -> Iterator[Sketch]:
    for generator in node.generators:
        each = words.each(generator.target, generator.iter)
        for test in generator.ifs:
            condition = words.condition(test)
            yield sketch(
                "filter",
                test,
                f"only those count where {condition} ({each})",
                f"of {each.replace('each ', 'all ', 1)}, take it only if {condition}",
                Mutation.at(test, "negate"),
            )
