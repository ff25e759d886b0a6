"""Facts that whole statements hold: what comes back when, formulas, tables, errors."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from colbench_env.humans.mutations import Mutation, Sketch
from colbench_env.humans.phrases import UnsayableError, is_length, listing, literal
from colbench_env.humans.vocabulary import KIND_TOPICS
from colbench_env.humans.wording import Words

_ENTRIES = 4
"""Entries of a table that one fact holds."""
_BOUNDARY_WORDS = 110
"""Longest condition, in characters, whose opposite is said instead of "in all other cases"."""


def sketch(
    kind: str, node: ast.stmt | ast.expr, text: str, also: str, *mutations: Mutation
) -> Sketch:
    """Return a sketch with its kind's topics; the first letter of each sentence is made capital."""
    topics = tuple(KIND_TOPICS[kind].split())
    also_texts = (_sentence(also),) if also and also != text else ()
    return Sketch(kind, node, _sentence(text), also_texts, topics, mutations)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", '"')) else ".")


def statement_facts(function: ast.FunctionDef, words: Words) -> Iterator[Sketch]:
    """Yield the facts of a function's statements, in order."""
    yield from _block(function.body, words, (), ())
    yield from _untouched_results(function, words)


def _block(
    body: Sequence[ast.stmt], words: Words, loops: tuple[str, ...], tests: tuple[str, ...]
) -> Iterator[Sketch]:
    for statement in body:
        try:
            if isinstance(statement, ast.If):
                yield from _branches(statement, words, loops, tests)
                if _leaves(statement.body) and not statement.orelse:
                    tests = (*(t for t in tests if t != _OTHER), _OTHER)
            elif isinstance(statement, (ast.For, ast.While)):
                inner = loops
                if isinstance(statement, ast.For):
                    inner = (*loops, words.each(statement.target, statement.iter))
                yield from _block(statement.body, words, inner, ())
            elif isinstance(statement, ast.Try):
                yield from _block(statement.body, words, loops, tests)
                yield from _handlers(statement, words)
            elif isinstance(statement, ast.With):
                yield from _block(statement.body, words, loops, tests)
            else:
                yield from _simple(statement, words, loops, tests)
        except UnsayableError:
            continue


_OTHER = "in all other cases"


def _branches(
    node: ast.If, words: Words, loops: tuple[str, ...], tests: tuple[str, ...]
) -> Iterator[Sketch]:
    """Yield the facts of an if/elif/else chain."""
    chain: list[ast.If] = [node]
    while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
        chain.append(chain[-1].orelse[0])
    for branch in chain:
        try:
            test = words.condition(branch.test)
        except UnsayableError:
            continue
        yield from _block(branch.body, words, loops, (*tests, test))
    if chain[-1].orelse:
        other = _OTHER
        if len(chain) == 1:
            try:
                opposite = words.condition(node.test, holds=False)
            except UnsayableError:
                opposite = ""
            if (
                opposite
                and len(opposite) <= _BOUNDARY_WORDS
                and not isinstance(node.test, ast.BoolOp)
            ):
                other = opposite
        yield from _block(chain[-1].orelse, words, loops, (*tests, other))


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _handlers(node: ast.Try, words: Words) -> Iterator[Sketch]:
    for handler in node.handlers:
        for statement in handler.body:
            if isinstance(statement, (ast.Return, ast.Raise)):
                try:
                    effect = _effect(statement, words)
                except UnsayableError:
                    continue
                name = handler.type.id if isinstance(handler.type, ast.Name) else "any error"
                yield sketch(
                    "error",
                    statement,
                    f"if that goes wrong ({name}), {effect}",
                    f"when it fails with {name}, {effect}",
                    Mutation.at(statement, "other value"),
                )


def _clauses(loops: tuple[str, ...], tests: tuple[str, ...]) -> tuple[str, str]:
    """Return the circumstances as an opening ("For each song, if ..., ") and as a closing."""
    conditions = [t for t in tests if t != _OTHER]
    opening = "".join(f"for {loop}, " for loop in loops[-1:])
    closing = ""
    if conditions:
        joined = " and ".join(
            f"({t})" if " or " in t and len(conditions) > 1 else t for t in conditions
        )
        opening += f"if {joined}, "
        closing += f" if {joined}"
    elif _OTHER in tests:
        opening += f"{_OTHER}, "
        closing += f" {_OTHER}"
    closing += "".join(f" (for {loop})" for loop in loops[-1:])
    return opening, closing


def _simple(
    node: ast.stmt, words: Words, loops: tuple[str, ...], tests: tuple[str, ...]
) -> Iterator[Sketch]:
    if isinstance(node, (ast.Assign, ast.Return)) and node.value is not None:
        yield from _tables(node, words)
    if isinstance(node, (ast.Return, ast.Raise)):
        effect = _effect(node, words)
        kind = _return_kind(node, tests)
        if kind:
            opening, closing = _clauses(loops, tests)
            yield sketch(kind, node, opening + effect, effect + closing, *_value_mutations(node))
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)):
        effect = _effect(node, words)
        if not effect:
            return
        opening, closing = _clauses(loops, tests)
        kind = "formula"
        if isinstance(node, ast.AugAssign):
            kind = "accumulate"
        elif isinstance(node, ast.Expr):
            kind = "filter" if tests else "returns"
        elif tests:
            kind = "otherwise" if tests[-1] == _OTHER else "case"
        elif literal(node.value) is not None:
            if not isinstance(literal(node.value), (int, float)) or literal(node.value) in (0, 1):
                return
            kind = "constant"
        yield sketch(kind, node, opening + effect, effect + closing, *_value_mutations(node))
    elif isinstance(node, (ast.Continue, ast.Break)) and tests:
        opening, closing = _clauses(loops, tests)
        what = "it is skipped" if isinstance(node, ast.Continue) else "it stops there"
        yield sketch(
            "filter", node, opening + what, what + closing, Mutation.at(node, "drop statement")
        )


def _return_kind(node: ast.Return | ast.Raise, tests: tuple[str, ...]) -> str | None:
    if isinstance(node, ast.Raise):
        return "error"
    value = node.value
    if tests and tests[-1].endswith((" is empty", " is 0", " is nothing (None)")):
        return "empty"
    if tests:
        text = literal(value) if value is not None else None
        if isinstance(text, str) and any(w in text.lower() for w in ("error", "invalid")):
            return "error"
        return "otherwise" if tests[-1] == _OTHER else "case"
    if value is None or isinstance(value, (ast.Name, ast.Constant)):
        return None
    if isinstance(value, (ast.Dict, ast.Tuple)):
        return "returns"
    if isinstance(value, ast.JoinedStr):
        return "text"
    return "formula"


def _effect(node: ast.stmt, words: Words) -> str:
    """Return what a statement does as a clause; "" if it is not worth saying."""
    if isinstance(node, ast.Return):
        if node.value is None:
            return "nothing comes back (None)"
        return f"the result is {words.say(node.value)}"
    if isinstance(node, ast.Raise):
        error = node.exc
        if isinstance(error, ast.Call) and isinstance(error.func, ast.Name):
            saying = f" saying {words.say(error.args[0])}" if error.args else ""
            return f"I want an error ({error.func.id}){saying}"
        return "I want an error"
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target, value = node.targets[0], node.value
        if isinstance(target, (ast.Tuple, ast.List)):
            return ""
        empty = isinstance(value, (ast.List, ast.Dict, ast.Tuple)) and not ast.unparse(value)[1:-1]
        if empty or isinstance(value, ast.Dict) or isinstance(value, ast.Name):
            return ""
        return f"{words.say(target)} is {words.say(value)}"
    if isinstance(node, ast.AugAssign):
        target, value = words.say(node.target), words.say(node.value)
        verbs: dict[type[ast.operator], str] = {
            ast.Add: f"{target} goes up by {value}",
            ast.Sub: f"{target} goes down by {value}",
            ast.Mult: f"{target} is multiplied by {value}",
            ast.Div: f"{target} is divided by {value}",
        }
        if type(node.op) not in verbs:
            raise UnsayableError("operator")
        if isinstance(node.op, ast.Add) and isinstance(literal(node.value), str):
            return f"{value} is put behind {target}"
        return verbs[type(node.op)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if isinstance(call.func, ast.Attribute) and len(call.args) == 1:
            owner = call.func.value
            if call.func.attr in ("append", "add"):
                return f"{words.say(call.args[0])} goes into {words.say(owner)}"
            if call.func.attr in ("remove", "discard"):
                return f"{words.say(call.args[0])} is taken out of {words.say(owner)}"
    return ""


def _value_mutations(node: ast.stmt) -> tuple[Mutation, ...]:
    """Return changes of a statement's value: of its numbers and operators, or else of the whole."""
    if isinstance(node, ast.Expr):
        return (Mutation.at(node, "drop statement"),)
    value = getattr(node, "value", None)
    found = []
    if value is not None and not isinstance(node, ast.Raise):
        for part in ast.walk(value):
            if isinstance(part, ast.BinOp):
                found.append(Mutation.at(part, "other operator"))
            elif isinstance(part, ast.Constant) and isinstance(part.value, (int, float)):
                found.append(Mutation.at(part, "other value"))
    if isinstance(node, ast.AugAssign):
        return (Mutation.at(node, "other operator"), *found[:2])
    return tuple(found[:3]) or (Mutation.at(node, "other value"),)


def _tables(node: ast.Assign | ast.Return, words: Words) -> Iterator[Sketch]:
    """Yield the entries of literal tables, a few a fact, and of literal lists."""
    name = ""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = words.name(node.targets[0].id)
    for part in ast.walk(node.value) if node.value is not None else ():
        if isinstance(part, ast.Dict) and len(part.keys) > 1:
            yield from _entries(part, name, words)


def _entries(table: ast.Dict, name: str, words: Words) -> Iterator[Sketch]:
    pairs: list[tuple[int, str]] = []
    for i, (key, value) in enumerate(zip(table.keys, table.values, strict=True)):
        if key is None or literal(key) is None or isinstance(value, (ast.Dict, ast.DictComp)):
            continue
        try:
            pairs.append((i, f"{words.say(key)} is {words.say(value)}"))
        except UnsayableError:
            continue
    for start in range(0, len(pairs), _ENTRIES):
        chunk = pairs[start : start + _ENTRIES]
        said = listing([text for _, text in chunk])
        key = table.keys[chunk[0][0]]
        assert key is not None
        opening = f"for {name}, " if name else "in the result, "
        yield sketch(
            "lookup" if name else "returns",
            key,
            opening + said,
            f"{said}, that is {name}" if name else f"{said}, in the result",
            *(Mutation.at(table, "other value", i) for i, _ in chunk),
        )


def _untouched_results(function: ast.FunctionDef, words: Words) -> Iterator[Sketch]:
    """Yield what comes back for empty input where a result only changes inside loops."""
    if any(is_length(n) for n in ast.walk(function)):
        return
    loops = [n for n in function.body if isinstance(n, ast.For)]
    last = function.body[-1]
    if not loops or not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
        return
    for node in function.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        if node.targets[0].id == last.value.id and not isinstance(node.value, ast.Name):
            try:
                value, source = words.say(node.value), words.say(loops[0].iter)
            except UnsayableError:
                return
            if value in ("an empty list", "an empty dictionary") or literal(node.value) is not None:
                yield sketch(
                    "empty",
                    node,
                    f"with nothing in {source}, I expect {value}",
                    f"the result for an empty input is {value}",
                    Mutation.at(node, "other value"),
                )
            return
