"""ColBench's calls: expressions, some of which hold the answer.

`f(1) == 2` is evaluated in two halves: the submission's process gets `f(1)`, while the literal 2
stays with the parent. Otherwise the answer could be read off the calling frame, and an object
with an `__eq__` of its own would decide the comparison.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from . import wire
from .compare import equal
from .trees import Tree


@dataclass(frozen=True, slots=True)
class Call:
    """One expression to evaluate.

    Attributes:
        source: What the submission's process evaluates.
        literal: Tree of the other side of a comparison, as a one-item tuple; None where the call
            is no comparison with a literal.
        negated: The comparison was `!=`.
    """

    source: str
    literal: tuple[Tree] | None = None
    negated: bool = False

    def result(self, got: Tree) -> Tree:
        """The value of the whole expression, given the tree of the part that was evaluated."""
        if self.literal is None:
            return got
        return equal(self.literal[0], got) != self.negated


@lru_cache(maxsize=4096)
def parse_call(text: str) -> Call:
    """Split off a literal that the call is compared with; text that is no Python stays as it is."""
    try:
        with warnings.catch_warnings(action="ignore"):
            node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return Call(text)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            for side, other in ((left, right), (right, left)):
                literal = _literal(other)
                if literal is not None and _literal(side) is None:
                    return Call(ast.unparse(side), literal, isinstance(operator, ast.NotEq))
    return Call(text)


def _literal(node: ast.expr) -> tuple[Any] | None:
    try:
        return (wire.encode(ast.literal_eval(node)),)
    except (ValueError, TypeError):
        return None
