"""Put conditions and loops into plain English."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from colbench_env.humans.phrases import ORDINALS, UnsayableError, is_length, listing
from colbench_env.humans.phrases import verb as number

if TYPE_CHECKING:
    from colbench_env.humans.wording import Words

_COMPARISONS: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("is", "is not"),
    ast.NotEq: ("is not", "is"),
    ast.Lt: ("is less than", "is at least"),
    ast.LtE: ("is at most", "is more than"),
    ast.Gt: ("is more than", "is at most"),
    ast.GtE: ("is at least", "is less than"),
    ast.In: ("is in", "is not in"),
    ast.NotIn: ("is not in", "is in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
}
_TYPES = {
    "int": "a whole number",
    "float": "a decimal number",
    "str": "a text",
    "list": "a list",
    "dict": "a dictionary",
    "tuple": "a tuple",
    "bool": "true or false",
    "set": "a set",
}
_KINDS_OF_TEXT = {
    "isdigit": "all digits",
    "isnumeric": "all digits",
    "isalpha": "all letters",
    "isalnum": "all letters and digits",
    "isupper": "in capitals",
    "islower": "in lower case",
    "isspace": "only blank space",
}


def say_condition(words: Words, node: ast.expr, holds: bool = True) -> str:
    """Return a condition, or its opposite, as a clause.

    Raises:
        UnsayableError: A part of it has no words.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return say_condition(words, node.operand, not holds)
    if isinstance(node, ast.BoolOp):
        alternatives = _alternatives(words, node, holds)
        if alternatives:
            return alternatives
        joint = " and " if isinstance(node.op, ast.And) == holds else " or "
        clauses = [(say_condition(words, v, holds), v) for v in node.values]
        return joint.join(f"({c})" if isinstance(v, ast.BoolOp) else c for c, v in clauses)
    if isinstance(node, ast.Compare):
        return _comparison(words, node, holds)
    if isinstance(node, ast.Call):
        return _test_call(words, node, holds)
    if isinstance(node, ast.Constant):
        return "always" if bool(node.value) == holds else "never"
    if isinstance(node, ast.Name) and node.id in words.collections:
        subject = words.say(node)
        return f"{subject} {number(subject)} {'not ' if holds else ''}empty"
    return f"{words.say(node)} is {'true' if holds else 'false'}"


def _alternatives(words: Words, node: ast.BoolOp, holds: bool) -> str:
    """Return `x == a or x == b` as "x is a or b", `a in x or b in x` as "x has a or b"; or ""."""
    subjects, values, ops = set(), [], set()
    for test in node.values:
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:
            return ""
        contained = isinstance(test.ops[0], (ast.In, ast.NotIn))
        value, subject = test.comparators[0], test.left
        if contained:
            value, subject = subject, value
        if not isinstance(value, ast.Constant):
            return ""
        subjects.add(ast.unparse(subject))
        ops.add(type(test.ops[0]))
        values.append(words.say(value))
    [wanted, *others] = ops
    joint = {ast.Eq: ast.Or, ast.NotEq: ast.And, ast.In: None, ast.NotIn: None}.get(wanted, ast.Not)
    if others or len(subjects) > 1 or (joint is not None and not isinstance(node.op, joint)):
        return ""
    positive = (wanted in (ast.Eq, ast.In)) == holds
    first = node.values[0]
    assert isinstance(first, ast.Compare)
    is_or = isinstance(node.op, ast.Or) == (wanted in (ast.Eq, ast.In))
    if wanted in (ast.Eq, ast.NotEq):
        left = words.say(first.left)
        return f"{left} {number(left)} {'' if positive else 'not '}{listing(values, 'or')}"
    verb = "has" if positive else "does not have"
    return f"{words.say(first.comparators[0])} {verb} {listing(values, 'or' if is_or else 'and')}"


def _comparison(words: Words, node: ast.Compare, holds: bool) -> str:
    if len(node.ops) > 1:
        return _between(words, node, holds)
    [op], [right] = node.ops, node.comparators
    verb = _COMPARISONS[type(op)][not holds]
    if isinstance(op, (ast.In, ast.NotIn)):
        if isinstance(right, (ast.List, ast.Tuple, ast.Set)):
            among = listing([words.say(e) for e in right.elts], "or")
            left = words.say(node.left)
            return f"{left} {number(left)}{verb.removeprefix('is').removesuffix(' in')} {among}"
        if isinstance(node.left, ast.Constant):
            has = "does not have" if "not" in verb else "has"
            return f"{words.say(right)} {has} {words.say(node.left)}"
    if is_length(node.left) and isinstance(right, ast.Constant) and right.value == 0:
        subject = words.say(node.left.args[0])
        if verb in ("is", "is at most"):
            return f"{subject} {number(subject)} empty"
        if verb in ("is not", "is more than"):
            return f"{subject} {number(subject)} not empty"
    left = words.say(node.left)
    return f"{left} {number(left)}{verb.removeprefix('is')} {words.say(right)}"


def _between(words: Words, node: ast.Compare, holds: bool) -> str:
    lower, upper = node.ops[0], node.ops[-1]
    if len(node.ops) != 2 or not isinstance(lower, (ast.Lt, ast.LtE)):
        raise UnsayableError("chain of comparisons")
    middle, high = node.comparators
    first = "more than" if isinstance(lower, ast.Lt) else "at least"
    second = _COMPARISONS[type(upper)][0].removeprefix("is ")
    return (
        f"{words.say(middle)} is{'' if holds else ' not'} {first} {words.say(node.left)}"
        f" and {second} {words.say(high)}"
    )


def _test_call(words: Words, node: ast.Call, holds: bool) -> str:
    func, args = node.func, node.args
    nots = "" if holds else " not"
    if isinstance(func, ast.Attribute):
        name, subject = func.attr, words.say(func.value)
        if name in ("startswith", "endswith") and args:
            verb = name.removesuffix("swith")
            return (
                f"{subject} {f'{verb}s' if holds else f'does not {verb}'} with {words.say(args[0])}"
            )
        if name in _KINDS_OF_TEXT:
            return f"{subject} is{nots} {_KINDS_OF_TEXT[name]}"
    elif isinstance(func, ast.Name):
        name = func.id
        if name == "isinstance" and len(args) == 2:
            named = args[1].elts if isinstance(args[1], ast.Tuple) else [args[1]]
            types = [_TYPES.get(getattr(t, "id", ""), "") for t in named]
            if all(types):
                return f"{words.say(args[0])} is{nots} {listing(types, 'or')}"
        if name in ("any", "all") and isinstance(args[0], (ast.GeneratorExp, ast.ListComp)):
            among = words.loops(args[0].generators).removeprefix("each ")
            some = {"any": ("at least one", "no"), "all": ("every", "not every")}[name]
            return f"for {some[not holds]} {among}, {words.condition(args[0].elt)}"
    else:
        raise UnsayableError("call")
    if name in ("any", "all") or name.startswith(("is", "starts", "ends")):
        raise UnsayableError(name)
    return f"{words.say(node)} is{nots} true"


def say_loops(words: Words, generators: Sequence[ast.comprehension]) -> str:
    """Return what a comprehension goes over: "each song in the album where ..."."""
    phrases = []
    for generator in generators:
        phrase = say_each(words, generator.target, generator.iter)
        if generator.ifs:
            phrase += " where " + " and ".join(words.condition(c) for c in generator.ifs)
        phrases.append(phrase)
    return " and ".join(phrases)


def say_each(words: Words, target: ast.expr, iterable: ast.expr) -> str:
    """Return what a loop goes over, and give its variables names."""
    names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
    args = iterable.args if isinstance(iterable, ast.Call) else []
    call = iterable.func if isinstance(iterable, ast.Call) else None
    if isinstance(call, ast.Attribute) and call.attr in ("items", "keys", "values"):
        short = {"items": ("key", "value"), "keys": ("key",), "values": ("value",)}[call.attr]
        words.call_short(names, short)
        what = {"items": "entry", "keys": "key", "values": "value"}[call.attr]
        return f"each {what} of {words.say(call.value)}"
    if isinstance(call, ast.Name) and args:
        if call.id == "range":
            words.call_short(names, ("position",))
            if len(args) == 1 and is_length(args[0]):
                return f"each position in {words.say(args[0].args[0])}"
            return f"each number in {words.say(iterable)}"
        if call.id == "zip":
            words.call_short(names, ("first item", "second item", "third item"))
            return f"each pair from {listing([words.say(a) for a in args])}"
        if call.id == "enumerate":
            words.call_short(names, ("position", "item"))
            return f"each item in {words.say(args[0])}"
        if call.id in ("sorted", "set", "list", "reversed", "tuple"):
            iterable = args[0]
    words.call_short(names, ("item",) if len(names) == 1 else ORDINALS)
    what = words.name(names[-1], "").removeprefix("the ") if len(names) == 1 else "item"
    return f"each {what} in {words.say(iterable)}"
