"""Small changes of a syntax tree, as plain data: where, and what."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any, Literal

from colbench_env.humans.phrases import sentence

Change = Literal[
    "other value",
    "other value if empty",
    "flip limit",
    "shift number",
    "negate",
    "drop call",
    "reverse",
    "reverse input",
    "drop entry",
    "other text",
    "round it",
    "drop statement",
    "wrap",
    "other operator",
]

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of a tree.

    Attributes:
        place: First line and column, last line and column of the node, and its type.
        change: What is done to it.
        index: Which entry of the node is meant (operand, element), where it has several.
        source: The input whose emptiness is meant, as code.
    """

    place: tuple[int, int, int, int, str]
    change: Change
    index: int = 0
    source: str = ""

    @classmethod
    def at(cls, node: ast.AST, change: Change, index: int = 0, source: str = "") -> Mutation:
        """Return a mutation of `node`, a node with a position."""
        return cls(_place(node), change, index, source)

    def apply(self, reference: str) -> str:
        """Return the changed reference.

        Raises:
            LookupError: The reference has no such place.
        """
        transformer = _Transformer(self)
        tree = transformer.visit(ast.parse(reference))
        if not transformer.done:
            raise LookupError(f"{self.change!r} fits no node at line {self.place[0]}")
        return ast.unparse(ast.fix_missing_locations(tree))


class _Transformer(ast.NodeTransformer):
    def __init__(self, mutation: Mutation) -> None:
        self.mutation = mutation
        self.done = False

    def visit(self, node: ast.AST) -> Any:
        if not self.done and hasattr(node, "lineno") and _place(node) == self.mutation.place:
            self.done = True
            return _changed(node, self.mutation)
        return self.generic_visit(node)


def _place(node: ast.AST) -> tuple[int, int, int, int, str]:
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
    return (*start, *end, type(node).__name__)


def _other(node: ast.expr) -> ast.expr:
    """Return another value: numbers move, texts change, anything else is wrapped."""
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(value, bool):
        return ast.Constant(not value)
    if isinstance(value, (int, float)):
        return ast.Constant(value + 1)
    if isinstance(value, str):
        return ast.Constant(value + "?")
    if value is None and isinstance(node, ast.Constant):
        return ast.Constant("something")
    return ast.List([node], ast.Load())


def _changed(node: ast.AST, mutation: Mutation) -> ast.AST | list[ast.stmt]:
    change, index = mutation.change, mutation.index
    if change == "other value if empty" and isinstance(node, ast.Assign):
        test = ast.parse(f"if not ({mutation.source}): return 0").body[0]
        assert isinstance(test, ast.If)
        test.body = [ast.Return(_other(node.value))]
        return [node, test]
    if change == "drop statement":
        return ast.Pass()
    if change == "negate" and isinstance(node, (ast.If, ast.IfExp, ast.While)):
        node.test = ast.UnaryOp(ast.Not(), node.test)
        return node
    if change == "negate" and isinstance(node, ast.expr):
        return ast.UnaryOp(ast.Not(), node)
    if change == "flip limit" and isinstance(node, ast.Compare):
        node.ops[index] = _OPPOSITE[type(node.ops[index])]()
        return node
    if change == "shift number" and isinstance(node, ast.Compare):
        side = node.comparators[index]
        node.comparators[index] = (
            _other(side)
            if isinstance(side, ast.Constant)
            else ast.BinOp(side, ast.Add(), ast.Constant(1))
        )
        return node
    if change == "other value":
        if isinstance(node, (ast.Return, ast.Assign, ast.AugAssign)):
            node.value = _other(node.value or ast.Constant(None))
            return node
        if isinstance(node, ast.Raise):
            return ast.Return(ast.Constant("no error"))
        if isinstance(node, ast.Dict):
            node.values[index] = _other(node.values[index])
            return node
        if isinstance(node, ast.Call):
            node.args[index] = _other(node.args[index])
            return node
        if isinstance(node, ast.expr):
            return _other(node)
    if change == "other operator" and isinstance(node, (ast.BinOp, ast.AugAssign)):
        swap = isinstance(node.op, (ast.Add, ast.Mult))
        node.op = ast.Sub() if swap else ast.Add()
        return node
    if change == "other text" and isinstance(node, ast.Dict):
        key = node.keys[index]
        node.keys[index] = _other(key) if key is not None else ast.Constant("?")
        return node
    if change == "drop call" and isinstance(node, ast.Call):
        return node.args[0] if node.args else node.func.value  # type: ignore[attr-defined]
    if change == "reverse" and isinstance(node, ast.Call):
        kept = [k for k in node.keywords if k.arg != "reverse"]
        was = any(
            k.arg == "reverse" and isinstance(k.value, ast.Constant) and k.value.value is True
            for k in node.keywords
        )
        node.keywords = [*kept, ast.keyword("reverse", ast.Constant(not was))]
        return node
    if change == "reverse input" and isinstance(node, ast.Call):
        copy = ast.Call(ast.Name("list", ast.Load()), [node.args[0]], [])
        node.args[0] = ast.Subscript(
            copy, ast.Slice(step=ast.UnaryOp(ast.USub(), ast.Constant(1))), ast.Load()
        )
        return node
    if change == "drop entry" and isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        del node.elts[index]
        return node
    if change == "round it" and isinstance(node, ast.Return) and node.value is not None:
        node.value = ast.Call(ast.Name("round", ast.Load()), [node.value], [])
        return node
    if change == "wrap" and isinstance(node, ast.Return) and node.value is not None:
        node.value = ast.List([node.value], ast.Load())
        return node
    raise LookupError(f"{change} does not apply to {type(node).__name__}")


@dataclass(frozen=True, slots=True)
class Sketch:
    """A fact before it has a name.

    Attributes:
        kind: What it is about.
        node: Its place in the tree.
        text: One sentence.
        also: The same in other words.
        mutations: Changes that contradict it.
    """

    kind: str
    node: ast.stmt | ast.expr
    text: str
    also: tuple[str, ...]
    mutations: tuple[Mutation, ...]


def sketch(
    kind: str, node: ast.stmt | ast.expr, text: str, also: str, *mutations: Mutation
) -> Sketch:
    """Return a sketch; both texts become sentences."""
    return Sketch(kind, node, sentence(text), (sentence(also),), mutations)
