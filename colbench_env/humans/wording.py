"""Put Python expressions into plain English, as a person who knows the matter would say them."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterable, Sequence

from colbench_env.humans.call_wording import say_call
from colbench_env.humans.condition_wording import say_condition, say_each, say_loops
from colbench_env.humans.phrases import (
    ORDINALS,
    UnsayableError,
    is_text,
    listing,
    literal,
    quoted,
)

MAX_PHRASE = 300
"""A phrase of more characters than this is nothing that a person says."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "plus",
    ast.Sub: "minus",
    ast.Mult: "times",
    ast.Div: "divided by",
    ast.Mod: "modulo",
    ast.Pow: "to the power of",
}
_TIGHTNESS: dict[type[ast.operator], int] = {ast.Add: 1, ast.Sub: 1, ast.Pow: 3}
_RESULTS = ("result", "results", "res", "output", "ret", "ans", "answer")
_NEAR_PI = 0.002
_NOISE = ("dict", "map", "mapping", "table", "lookup", "lst", "arr")
_AUXILIARIES = ("is", "has", "have", "can", "should", "does", "do", "was", "are")


class Words:
    """Renders expressions of one function.

    Args:
        collections: Names of the variables that hold several things, so that "empty" fits them.
        texts: Names of the variables that hold text, to which something is added at the end.
    """

    def __init__(self, collections: Iterable[str] = (), texts: Iterable[str] = ()) -> None:
        self.collections = frozenset(collections)
        self.texts = frozenset(texts)
        self.names = dict.fromkeys(_RESULTS, "the result so far")  # for names that say little

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
        parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", identifier).lower().strip("_").split("_")
        if len(parts) > 1 and parts[-1] in _NOISE:
            parts.pop()
        if parts[0] in _AUXILIARIES and len(parts) > 1:
            article = ""
        return article + " ".join(parts)

    def condition(self, node: ast.expr, holds: bool = True) -> str:
        """Return a condition, or its opposite, as a clause."""
        return say_condition(self, node, holds)

    def loops(self, generators: Sequence[ast.comprehension]) -> str:
        """Return what a comprehension goes over."""
        return say_loops(self, generators)

    def each(self, target: ast.expr, iterable: ast.expr) -> str:
        """Return what a loop goes over, and give its variables names."""
        return say_each(self, target, iterable)

    def call_short(self, names: Sequence[str], phrases: Sequence[str]) -> None:
        """Call variables whose names say nothing by these phrases from now on."""
        for name, phrase in zip(names, phrases, strict=False):
            if len(name) == 1 or name in ("_", "idx", "lst", "item", "key", "value", "val"):
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
            if abs(value - math.pi) < _NEAR_PI:
                return f"pi ({value!r})"
            return str(int(value)) if value == int(value) and abs(value) >= 1000 else repr(value)
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
            if 0 <= value < len(ORDINALS):
                return f"the {ORDINALS[value]} item of {owner}"
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
            return repr(value)
        if isinstance(node.op, ast.USub):
            return f"minus {self.say(node.operand)}"
        raise UnsayableError("operator")

    def _boolop(self, node: ast.BoolOp) -> str:
        return f"true if {self.condition(node)}, otherwise false"

    def _compare(self, node: ast.Compare) -> str:
        return f"true if {self.condition(node)}, otherwise false"

    def _ifexp(self, node: ast.IfExp) -> str:
        condition, other = self.condition(node.test), self.say(node.orelse)
        return f"{self.say(node.body)} if {condition}, otherwise {other}"

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
        self.call_short([a.arg for a in node.args.args], ("item",))
        return self.say(node.body)

    def _call(self, node: ast.Call) -> str:
        return say_call(self, node)
