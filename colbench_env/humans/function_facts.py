"""Facts that a function holds as a whole: tables, lists, kind of result, empty input."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from colbench_env.humans.mutations import Mutation, Sketch, sketch
from colbench_env.humans.phrases import UnsayableError, is_length, is_text, listing, literal
from colbench_env.humans.wording import Words

_ENTRIES = 4
"""Entries of a table, or members of a list, that one fact holds."""
_ROUNDING = ("round", "int", "floor", "ceil", "trunc", "quantize")
_KINDS_OF_RESULT = {
    "number": "just a number",
    "text": "a text",
    "truth": "true or false",
    "list": "a list",
    "dictionary": "a dictionary",
    "pair": "several values together, as a tuple",
}


def function_facts(function: ast.FunctionDef, words: Words) -> Iterator[Sketch]:
    """Yield the facts of a function as a whole."""
    owners: dict[int, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            owners[id(node.value)] = words.name(node.targets[0].id)
        elif isinstance(node, ast.Dict) and id(node) in owners:
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(value, ast.Dict) and isinstance(literal(key), str):
                    owners[id(value)] = f"{literal(key)} in {owners[id(node)]}"
        if isinstance(node, ast.Dict) and (len(node.keys) > 1 or id(node) in owners):
            yield from _entries(node, owners.get(id(node), ""), words)
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) > 1:
            yield from _members(node, owners.get(id(node), ""), words)
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    yield from _kind_of_result(returns, words)
    yield from _exactness(function, returns)
    yield from _empty_input(function, words)


def _entries(table: ast.Dict, name: str, words: Words) -> Iterator[Sketch]:
    if len({ast.dump(v) for v in table.values}) == 1 and not any(map(_leaves, table.values)):
        return  # counters before the count begins
    chunks: list[list[tuple[int, ast.expr, str]]] = [[]]
    size = 0
    for i, (key, value) in enumerate(zip(table.keys, table.values, strict=True)):
        if key is None or literal(key) is None or isinstance(value, (ast.Dict, ast.DictComp)):
            continue
        try:
            text = f"{words.say(key)} is {words.say(value)}"
        except UnsayableError:
            continue
        size += max(1, _leaves(value))
        if size > _ENTRIES and chunks[-1]:
            chunks.append([])
            size = max(1, _leaves(value))
        chunks[-1].append((i, key, text))
    for chunk in filter(None, chunks):
        said = listing([text for _, _, text in chunk])
        changes = [Mutation.at(table, "other value", i) for i, _, _ in chunk]
        if name:
            also = f"{said}, that is {name}"
            yield sketch("lookup", chunk[0][1], f"for {name}, {said}", also, *changes)
        else:
            also = f"{said}, those are the parts"
            yield sketch("returns", chunk[0][1], f"in the dictionary, {said}", also, *changes)


def _leaves(value: ast.expr) -> int:
    """Return how many literals other than nothing and 0 a value holds."""
    return sum(isinstance(n, ast.Constant) and bool(n.value) for n in ast.walk(value))


def _members(node: ast.List | ast.Tuple | ast.Set, name: str, words: Words) -> Iterator[Sketch]:
    leaves = [e.elts if isinstance(e, ast.Tuple) else [e] for e in node.elts]
    if not name or any(literal(leaf) is None for group in leaves for leaf in group):
        return
    size = max(1, _ENTRIES // max(len(group) for group in leaves))
    for start in range(0, len(node.elts), size):
        chunk = node.elts[start : start + size]
        try:
            said = listing([words.say(e) for e in chunk])
        except UnsayableError:
            continue
        changes = [Mutation.at(node, "drop entry", start + i) for i in range(len(chunk))]
        also = f"for {name} I think of {said}"
        belong = "belong" if len(chunk) > 1 else "belongs"
        yield sketch("members", chunk[0], f"{said} {belong} to {name}", also, *changes)


def _kind_of_result(returns: list[ast.Return], words: Words) -> Iterator[Sketch]:
    kinds = {_kind(r.value, words) for r in returns if r.value is not None}
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind:
        what = _KINDS_OF_RESULT[kind]
        yield sketch(
            "shape",
            returns[-1],
            f"what comes back is {what}",
            f"I expect {what}, nothing around it",
            *(Mutation.at(r, "wrap") for r in returns),
        )


def _kind(value: ast.expr, words: Words) -> str:
    """Return the kind of a result, "" where its form does not tell."""
    said = literal(value)
    if isinstance(said, bool) or isinstance(value, (ast.Compare, ast.BoolOp)):
        return "truth"
    if is_text(value) or (isinstance(value, ast.Name) and value.id in words.texts):
        return "text"
    if isinstance(said, (int, float)) or isinstance(value, ast.BinOp):
        return "number"
    if isinstance(value, (ast.List, ast.ListComp)):
        return "list"
    if isinstance(value, (ast.Dict, ast.DictComp)):
        return "dictionary"
    if isinstance(value, ast.Tuple):
        return "pair"
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        name = value.func.id
        if name in ("any", "all", "bool", "isinstance"):
            return "truth"
        if name in ("round", "sum", "len", "int", "float", "abs"):
            return "number"
        return "list" if name in ("sorted", "list") else ""
    return ""


def _exactness(function: ast.FunctionDef, returns: list[ast.Return]) -> Iterator[Sketch]:
    """Yield that nothing is rounded, where a quotient comes back as it is."""
    for node in ast.walk(function):
        name = (
            getattr(node.func, "id", getattr(node.func, "attr", ""))
            if isinstance(node, ast.Call)
            else ""
        )
        if name in _ROUNDING or isinstance(node, ast.FormattedValue):
            return
    divided = {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_fraction(node.value)
    }
    for node in returns:
        value = node.value
        named = isinstance(value, ast.Name) and value.id in divided
        if value is not None and (named or _is_fraction(value)):
            yield sketch(
                "rounding",
                value,
                "nothing is rounded, I want it exact",
                "please do not round it, keep all the decimals",
                Mutation.at(node, "round it"),
            )
            return


def _is_fraction(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) and any(
        isinstance(n, ast.Div) or (isinstance(n, ast.Constant) and isinstance(n.value, float))
        for n in ast.walk(value)
    )


def _empty_input(function: ast.FunctionDef, words: Words) -> Iterator[Sketch]:
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
        empty = (
            isinstance(node.value, (ast.List, ast.Dict))
            and not list(ast.iter_child_nodes(node.value))[1:]
        )
        if node.targets[0].id == last.value.id and (empty or literal(node.value) is not None):
            try:
                value, source = words.say(node.value), words.say(loops[0].iter)
            except UnsayableError:
                return
            yield sketch(
                "empty",
                node,
                f"with nothing in {source}, I expect {value}",
                f"the result for an empty input is {value}",
                Mutation.at(node, "other value if empty", source=ast.unparse(loops[0].iter)),
            )
            return
