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
from colbench_env.humans.mutations import Mutation
from colbench_env.humans.statement_facts import statement_facts
from colbench_env.humans.wording import Words
from colbench_env.records import Fact

MAX_FACT = 330
"""Longest text of a fact, in characters: leaves room for a person's own words within 400."""


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
    functions = [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
    for function in functions:
        if isinstance(function, ast.Lambda):
            continue
        words = Words()
        for sketch in [*statement_facts(function, words), *expression_facts(function, words)]:
            text, also = sketch.text, tuple(a for a in sketch.also if len(a) <= MAX_FACT)
            if len(text) > MAX_FACT or text in texts:
                continue
            texts.add(text)
            base = f"{sketch.kind}@{sketch.node.lineno}:{sketch.node.col_offset}"
            name, count = base, 1
            while name in found:
                count += 1
                name = f"{base}#{count}"
            fact = Fact(id=name, text=text, also=also, topics=sketch.topics)
            found[name] = DerivedFact(fact, sketch.kind, sketch.node.lineno, sketch.mutations)
    return tuple(sorted(found.values(), key=lambda d: d.line))


def mutants(reference: str, derived: DerivedFact) -> Iterator[str]:
    """Yield the reference with each of a fact's mutations applied, one at a time."""
    for mutation in derived.mutations:
        yield mutation.apply(reference)
