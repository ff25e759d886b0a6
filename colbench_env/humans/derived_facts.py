"""Facts that a reference holds and a brief leaves open, read off the reference's syntax tree.

Each fact says in words what one place of the tree does, and carries the changes of that place that
would make it untrue. `mutants` builds the changed references: a fact counts only if one of them
changes the outcome of a hidden call (see `fact_analysis`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from colbench_env.humans.expression_facts import expression_facts
from colbench_env.humans.function_facts import function_facts
from colbench_env.humans.mutations import Mutation
from colbench_env.humans.phrases import is_text
from colbench_env.humans.statement_facts import statement_facts
from colbench_env.humans.wording import Words
from colbench_env.records import Fact

MAX_FACT = 330
"""Longest text of a fact, in characters: leaves room for a person's own words within 400."""

_COLLECTION_METHODS = ("items", "keys", "values", "get", "append", "add", "extend")


@dataclass(frozen=True, slots=True)
class DerivedFact:
    """One fact and what would make it untrue.

    Attributes:
        fact: What the person says. Its id is `kind@line:column` of its place in the reference.
        kind: What it is about: "case", "formula", "limit", "rounding", "empty", ...
        line: Line of its place, from 1.
        mutations: Changes of the tree, each of which contradicts the fact.
    """

    fact: Fact
    kind: str
    line: int
    mutations: tuple[Mutation, ...]


@lru_cache(maxsize=4096)
def derived_facts(reference: str) -> tuple[DerivedFact, ...]:
    """Return the facts of a reference, in the order of its text.

    A reference that does not parse has none.
    """
    try:
        tree = ast.parse(reference)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    found: dict[str, DerivedFact] = {}
    texts: set[str] = set()
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        words = Words(*_kinds_of_variables(function))
        for sketch in (
            *statement_facts(function.body, words),
            *function_facts(function, words),
            *expression_facts(function, words),
        ):
            text, also = sketch.text, tuple(a for a in sketch.also if len(a) <= MAX_FACT)
            if len(text) > MAX_FACT or text in texts:
                continue
            texts.add(text)
            base = f"{sketch.kind}@{sketch.node.lineno}:{sketch.node.col_offset}"
            name, count = base, 1
            while name in found:
                count += 1
                name = f"{base}#{count}"
            returned = "result is" in text and sketch.kind != "empty"
            topics = tuple(function.name.split("_")) if returned else ()
            fact = Fact(id=name, text=text, also=also, topics=topics)
            found[name] = DerivedFact(fact, sketch.kind, sketch.node.lineno, sketch.mutations)
    return tuple(sorted(found.values(), key=lambda d: d.line))


def _kinds_of_variables(function: ast.FunctionDef) -> tuple[set[str], set[str]]:
    """Return the names that hold several things, and those that hold text, as far as use tells."""
    collections: set[str] = set()
    texts: set[str] = set()
    for node in ast.walk(function):
        inside: ast.expr | None = None
        if isinstance(node, (ast.For, ast.comprehension)):
            inside = node.iter
        elif isinstance(node, ast.Subscript):
            inside = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            inside = node.func.value if node.func.attr in _COLLECTION_METHODS else None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            inside = node.args[0] if node.func.id in ("len", "sum", "sorted", "set") else None
        elif isinstance(node, ast.Assign) and is_text(node.value):
            texts.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Dict)):
            collections.update(t.id for t in node.targets if isinstance(t, ast.Name))
        if isinstance(inside, ast.Name):
            collections.add(inside.id)
    return collections, texts


def mutants(reference: str, derived: DerivedFact) -> Iterator[str]:
    """Yield the reference with each of a fact's mutations applied, one at a time."""
    for mutation in derived.mutations:
        yield mutation.apply(reference)
