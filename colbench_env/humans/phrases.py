"""Small pieces that every wording is made of."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import TypeGuard

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


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


def verb(subject: str, singular: str = "is") -> str:
    """Return a verb in the number of its subject, judged by the subject's last letter."""
    words = subject.split(" of ")[0].split(" for ")[0].split()
    plural = words and words[-1].endswith("s") and not words[-1].endswith(("ss", "us", "is"))
    return {"is": "are", "goes": "go"}[singular] if plural else singular


def sentence(text: str) -> str:
    """Return a clause as a sentence; what ends in a quotation gets no full stop behind it."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", '"')) else ".")


def literal(node: ast.expr | None) -> object:
    """Return the value of a literal (numbers may have a sign), or None."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal(node.operand)
        if isinstance(value, (int, float)) and not math.isnan(value):
            return -value
    return None


def is_length(node: ast.AST) -> TypeGuard[ast.Call]:
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
