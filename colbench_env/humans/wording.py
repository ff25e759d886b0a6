"""Put Python expressions into plain English, as a person who knows the matter would say them."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

MAX_PHRASE = 300
"""A phrase of more characters than this is nothing that a person says."""


class UnsayableError(Exception):
    """An expression that has no short form in words."""


def listing(items: Sequence[str], last: str = "and") -> str:
    """Join phrases: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def quoted(text: str) -> str:
    """Return a text in double quotes, or a name for what has no visible characters."""
    if text == "":
        return "an empty text"
    if text.isspace():
        return {" ": "a space", "\n": "a line break", "\t": "a tab"}.get(text, "blank space")
    if "\n" in text:
        raise UnsayableError
    return f'"{text}"'


def number(value: complex) -> str:
    """Return a number without noise."""
    return repr(value)


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.Mod: "modulo",
    ast.Pow: "to the power of",
}
_TIGHTNESS: dict[type[ast.operator], int] = {ast.Add: 1, ast.Sub: 1, ast.Pow: 3}
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
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
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


class Words:
    """Renders expressions of one function.

    Args:
        collections: Names of the variables that hold several things, so that "empty" fits them.
    """

    def __init__(self, collections: Iterable[str] = ()) -> None:
        self.names: dict[str, str] = {}  # phrases for variables whose own name says little
        self.collections = frozenset(collections)

    def say(self, node: ast.expr) -> str:
        """Return the expression in words.

        Raises:
            UnsayableError: The expression is too long or has a part without words.
        """
        method: Callable[[ast.expr], str] | None = getattr(
            self, f"_{type(node).__name__.lower()}", None
        )
        if method is None:
            raise UnsayableError(type(node).__name__)
        phrase = method(node)
        if len(phrase) > MAX_PHRASE:
            raise UnsayableError("too long")
        return phrase

    def name(self, identifier: str, article: str = "the ") -> str:
        """Return an identifier as a noun phrase."""
        if identifier in self.names:
            return self.names[identifier]
        if len(identifier) == 1:
            return f"{article}value {identifier}" if article else identifier
        return article + identifier.strip("_").replace("_", " ")

    def condition(self, node: ast.expr, holds: bool = True) -> str:
        """Return a condition, or its opposite, as a clause."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.condition(node.operand, not holds)
        if isinstance(node, ast.BoolOp):
            is_and = isinstance(node.op, ast.And) == holds
            parts = [self.condition(v, holds) for v in node.values]
            if any(isinstance(v, ast.BoolOp) for v in node.values):
                parts = [
                    f"({p})" if isinstance(v, ast.BoolOp) else p
                    for p, v in zip(parts, node.values, strict=True)
                ]
            return f" {'and' if is_and else 'or'} ".join(parts)
        if isinstance(node, ast.Compare):
            return self._comparison(node, holds)
        if isinstance(node, ast.Call):
            return self._test_call(node, holds)
        if isinstance(node, ast.Constant):
            return "always" if bool(node.value) == holds else "never"
        if isinstance(node, ast.Name) and node.id in self.collections:
            return f"{self.say(node)} is {'not ' if holds else ''}empty"
        return f"{self.say(node)} is {'true' if holds else 'false'}"

    def _comparison(self, node: ast.Compare, holds: bool) -> str:
        if len(node.ops) > 1:
            if not holds:
                return f"it does not hold that {self._comparison(node, True)}"
            lower, upper = node.ops
            if len(node.ops) == 2 and isinstance(lower, (ast.Lt, ast.LtE)):
                middle, high = node.comparators
                first = "more than" if isinstance(lower, ast.Lt) else "at least"
                second = _COMPARISONS[type(upper)][0]
                return (
                    f"{self.say(middle)} is {first} {self.say(node.left)}"
                    f" and {second.removeprefix('is ')} {self.say(high)}"
                )
            raise UnsayableError("chain")
        [op], [right] = node.ops, node.comparators
        verb = _COMPARISONS[type(op)][not holds]
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(
            right, (ast.List, ast.Tuple, ast.Set)
        ):
            among = listing([self.say(e) for e in right.elts], "or")
            return f"{self.say(node.left)} {verb.removesuffix(' in')} {among}"
        if isinstance(op, (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant):
            return f"{self.say(right)} {'has' if 'not' not in verb else 'does not have'} {self.say(node.left)}"
        if is_length(node.left) and isinstance(right, ast.Constant) and right.value == 0:
            subject = self.say(node.left.args[0])  # type: ignore[attr-defined]
            if verb in ("is", "is at most"):
                return f"{subject} is empty"
            if verb in ("is not", "is more than"):
                return f"{subject} is not empty"
        return f"{self.say(node.left)} {verb} {self.say(right)}"

    def _test_call(self, node: ast.Call, holds: bool) -> str:
        func, args = node.func, node.args
        nots = "" if holds else " not"
        if isinstance(func, ast.Attribute):
            subject = self.say(func.value)
            if func.attr in ("startswith", "endswith") and args:
                verb = func.attr.removesuffix("with")
                phrase = f"{verb}s with" if holds else f"does not {verb} with"
                return f"{subject} {phrase} {self.say(args[0])}"
            kinds = {
                "isdigit": "all digits",
                "isalpha": "all letters",
                "isnumeric": "all digits",
                "isupper": "in capitals",
                "islower": "in lower case",
                "isalnum": "all letters and digits",
                "isspace": "only blank space",
            }
            if func.attr in kinds:
                return f"{subject} is{nots} {kinds[func.attr]}"
        if isinstance(func, ast.Name):
            if func.id == "isinstance" and len(args) == 2:
                names = args[1].elts if isinstance(args[1], ast.Tuple) else [args[1]]
                types = [_TYPES.get(getattr(t, "id", ""), "") for t in names]
                if all(types):
                    return f"{self.say(args[0])} is{nots} {listing(types, 'or')}"
            if func.id in ("any", "all") and isinstance(args[0], (ast.GeneratorExp, ast.ListComp)):
                inner = args[0]
                each = self.loops(inner.generators)
                some = {"any": ("at least one", "no"), "all": ("every", "not every")}
                clause = self.condition(inner.elt)
                among = each.removeprefix("each ")
                return f"for {some[func.id][not holds]} {among}, {clause}"
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if name in ("any", "all", "isinstance", "startswith", "endswith") or name.startswith("is"):
            raise UnsayableError(name)
        return f"{self.say(node)} is{nots} true"

    def loops(self, generators: Sequence[ast.comprehension]) -> str:
        """Return what a comprehension goes over: "each song in the album songs where ..."."""
        phrases = []
        for generator in generators:
            phrase = self.each(generator.target, generator.iter)
            if generator.ifs:
                phrase += " where " + " and ".join(self.condition(c) for c in generator.ifs)
            phrases.append(phrase)
        return " and ".join(phrases)

    def each(self, target: ast.expr, iterable: ast.expr) -> str:
        """Return what a loop goes over, and name its variables."""
        names = [n.id for n in ast.walk(target) if isinstance(n, ast.Name)]
        source = iterable
        call = iterable.func if isinstance(iterable, ast.Call) else None
        if isinstance(call, ast.Attribute) and call.attr in ("items", "keys", "values"):
            owner = self.say(call.value)
            short = {"items": ("key", "value"), "keys": ("key",), "values": ("value",)}[call.attr]
            self._call_short(names, short)
            what = {"items": "entry", "keys": "key", "values": "value"}[call.attr]
            return f"each {what} of {owner}"
        if isinstance(call, ast.Name) and isinstance(iterable, ast.Call) and iterable.args:
            if call.id == "range":
                self._call_short(names, ("position",))
                first = iterable.args[-1] if len(iterable.args) < 3 else iterable.args[1]
                if is_length(first) and len(iterable.args) == 1:
                    return f"each position in {self.say(first.args[0])}"  # type: ignore[attr-defined]
                return f"each number in {self.say(iterable)}"
            if call.id == "enumerate":
                self._call_short(names, ("position", "item"))
                source = iterable.args[0]
            elif call.id == "zip":
                self._call_short(names, ("first item", "second item", "third item"))
                return f"each pair from {listing([self.say(a) for a in iterable.args])}"
            elif call.id in ("sorted", "set", "list", "reversed", "tuple"):
                source = iterable.args[0]
        self._call_short(names, ("item",) if len(names) == 1 else _ORDINALS)
        what = self.name(names[-1], "").removeprefix("the ") if names else "item"
        return f"each {what} in {self.say(source)}"

    def _call_short(self, names: Sequence[str], phrases: Sequence[str]) -> None:
        for name, phrase in zip(names, phrases, strict=False):
            if len(name) == 1 or name in ("_", "idx", "lst"):
                self.names[name] = f"the {phrase}"

    # One method for each kind of expression, found by name.

    def _constant(self, node: ast.Constant) -> str:
        value = node.value
        if isinstance(value, bool):
            return "true" if value else "false"
        if value is None:
            return "nothing (None)"
        if isinstance(value, str):
            return quoted(value)
        if isinstance(value, (int, float)):
            return number(value)
        raise UnsayableError("constant")

    def _name(self, node: ast.Name) -> str:
        return self.name(node.id)

    def _attribute(self, node: ast.Attribute) -> str:
        if isinstance(node.value, ast.Name) and node.value.id == "math":
            return {"pi": "pi", "e": "e", "inf": "infinity"}.get(node.attr, node.attr)
        return f"the {self.name(node.attr, '')} of {self.say(node.value)}"

    def _subscript(self, node: ast.Subscript) -> str:
        owner, index = self.say(node.value), node.slice
        if isinstance(index, ast.Slice):
            return self._slice_of(owner, index)
        value = literal(index)
        if isinstance(value, str):
            return f"the {quoted(value)} of {owner}"
        if isinstance(value, int) and not isinstance(value, bool):
            if value == -1:
                return f"the last item of {owner}"
            if 0 <= value < len(_ORDINALS):
                return f"the {_ORDINALS[value]} item of {owner}"
        return f"the entry of {owner} for {self.say(index)}"

    def _slice_of(self, owner: str, index: ast.Slice) -> str:
        low, high, step = (
            literal(part) if part is not None else None
            for part in (index.lower, index.upper, index.step)
        )
        if step == -1 and index.lower is index.upper is None:
            return f"{owner} in reverse"
        if step is not None or index.step is not None:
            raise UnsayableError("slice")
        if index.lower is None and index.upper is not None:
            if high == -1:
                return f"all of {owner} but the last"
            if isinstance(high, int) and high < 0:
                return f"all of {owner} but the last {-high}"
            return f"the first {self.say(index.upper)} of {owner}"
        if index.upper is None and index.lower is not None:
            if low == 1:
                return f"all of {owner} but the first"
            if isinstance(low, int) and low < 0:
                return f"the last {-low} of {owner}"
            return f"{owner} without the first {self.say(index.lower)}"
        raise UnsayableError("slice")

    def _binop(self, node: ast.BinOp) -> str:
        if isinstance(node.op, ast.FloorDiv):
            return (
                f"{self._side(node.left, 2)} divided by {self._side(node.right, 3)}, rounded down"
            )
        if type(node.op) not in _OPERATORS:
            raise UnsayableError("operator")
        tight = _TIGHTNESS.get(type(node.op), 2)
        left, right = self._side(node.left, tight), self._side(node.right, tight + 1)
        if isinstance(node.op, ast.Add) and (is_text(node.left) or is_text(node.right)):
            return f"{left} followed by {right}"
        if isinstance(node.op, ast.Pow) and literal(node.right) == 2:
            return f"{left} squared"
        if isinstance(node.op, ast.Mod):
            return f"the remainder of {left} divided by {right}"
        return f"{left} {_OPERATORS[type(node.op)]} {right}"

    def _side(self, node: ast.expr, tight: int) -> str:
        phrase = self.say(node)
        if isinstance(node, ast.BinOp) and _TIGHTNESS.get(type(node.op), 2) < tight:
            return f"({phrase})"
        if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Compare)):
            return f"({phrase})"
        return phrase

    def _unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        value = literal(node)
        if isinstance(value, (int, float)):
            return number(value)
        if isinstance(node.op, ast.USub):
            return f"minus {self.say(node.operand)}"
        raise UnsayableError("operator")

    def _boolop(self, node: ast.BoolOp) -> str:
        return f"true if {self.condition(node)}, otherwise false"

    def _compare(self, node: ast.Compare) -> str:
        return f"true if {self.condition(node)}, otherwise false"

    def _ifexp(self, node: ast.IfExp) -> str:
        return f"{self.say(node.body)} if {self.condition(node.test)}, otherwise {self.say(node.orelse)}"

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return quoted("".join(self._piece(v) for v in node.values))

    def _piece(self, node: ast.expr) -> str:
        if isinstance(node, ast.FormattedValue):
            spec = self._spec(node.format_spec)
            return f"<{self.say(node.value).removeprefix('the ')}{spec}>".replace('"', "")
        value = literal(node)
        return value if isinstance(value, str) else ""

    def _spec(self, spec: ast.expr | None) -> str:
        if spec is None:
            return ""
        value = literal(spec.values[0]) if isinstance(spec, ast.JoinedStr) and spec.values else None
        if isinstance(value, str) and value[:1] == "." and value[-1:] == "f":
            return f" with {value[1:-1]} decimals"
        raise UnsayableError("format")

    def _list(self, node: ast.List) -> str:
        if not node.elts:
            return "an empty list"
        return f"a list of {listing([self.say(e) for e in node.elts])}"

    def _tuple(self, node: ast.Tuple) -> str:
        kind = {2: "a pair of", 3: "a triple of"}.get(len(node.elts), "a tuple of")
        return f"{kind} {listing([self.say(e) for e in node.elts])}"

    def _set(self, node: ast.Set) -> str:
        return f"the set of {listing([self.say(e) for e in node.elts])}"

    def _dict(self, node: ast.Dict) -> str:
        if not node.keys:
            return "an empty dictionary"
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                raise UnsayableError("unpacking")
            pairs.append(f"{self.say(key)} is {self.say(value)}")
        return f"a dictionary where {listing(pairs)}"

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> str:
        each = self.loops(node.generators)
        if isinstance(node.elt, ast.Name) and not isinstance(node, ast.SetComp):
            return f"a list of {each}"
        return f"{self.say(node.elt)} for {each}"

    _generatorexp = _setcomp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> str:
        each = self.loops(node.generators)
        return f"a dictionary from {self.say(node.key)} to {self.say(node.value)} for {each}"

    def _lambda(self, node: ast.Lambda) -> str:
        self._call_short([a.arg for a in node.args.args], ("item",))
        return self.say(node.body)

    def _call(self, node: ast.Call) -> str:
        from colbench_env.humans.call_wording import say_call

        return say_call(self, node)


def literal(node: ast.expr | None) -> object:
    """Return the value of a literal (numbers may have a sign), or None."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand)
        if isinstance(value, (int, float)) and not math.isnan(value):
            return -value
    return None


def is_length(node: ast.expr) -> bool:
    """Whether an expression is `len(...)`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "len"
        and len(node.args) == 1
    )


def is_text(node: ast.expr) -> bool:
    """Whether an expression is surely a text."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_text(node.left) or is_text(node.right)
    return isinstance(node, ast.JoinedStr) or isinstance(literal(node), str)
