"""Facts that whole statements hold: what comes back when, formulas, errors, sums."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from colbench_env.humans.mutations import Mutation, Sketch, sketch
from colbench_env.humans.phrases import UnsayableError, literal, verb
from colbench_env.humans.wording import Words

_OTHER = "in all other cases"
_AFTER = "otherwise"  # behind guards that have returned
_LONGEST_OPPOSITE = 110
"""Longest condition, in characters, whose opposite is said instead of "in all other cases"."""
_NOTHING = (" empty", " is 0", " are 0", " nothing (None)", " an empty text")


def statement_facts(
    body: Sequence[ast.stmt],
    words: Words,
    loop: str = "",
    tests: tuple[str, ...] = (),
) -> Iterator[Sketch]:
    """Yield the facts of a block's statements, in order.

    Args:
        body: The statements.
        words: Renders the function's expressions.
        loop: The innermost loop around the block ("each song in the album"), or "".
        tests: The conditions under which the block runs, inside that loop.
    """
    for statement in body:
        try:
            if isinstance(statement, ast.If):
                yield from _branches(statement, words, loop, tests)
                if isinstance(statement.body[-1], ast.Return) and not statement.orelse:
                    tests = (*(t for t in tests if t != _AFTER), _AFTER)
            elif isinstance(statement, ast.For):
                inner = words.each(statement.target, statement.iter)
                yield from statement_facts(statement.body, words, inner)
            elif isinstance(statement, ast.While):
                inner = f"as long as {words.condition(statement.test)}"
                yield from statement_facts(statement.body, words, inner)
            elif isinstance(statement, ast.Try):
                yield from statement_facts(statement.body, words, loop, tests)
                yield from _handlers(statement, words)
            elif isinstance(statement, ast.With):
                yield from statement_facts(statement.body, words, loop, tests)
            else:
                yield from _simple(statement, words, loop, tests)
        except UnsayableError:
            continue


def _branches(node: ast.If, words: Words, loop: str, tests: tuple[str, ...]) -> Iterator[Sketch]:
    """Yield the facts of an if/elif/else chain."""
    chain: list[ast.If] = [node]
    while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
        chain.append(chain[-1].orelse[0])
    for branch in chain:
        try:
            test = words.condition(branch.test)
        except UnsayableError:
            continue
        yield from statement_facts(branch.body, words, loop, (*tests, test))
    if chain[-1].orelse:
        other = _equality([branch.test for branch in chain], words) or _OTHER
        if len(chain) == 1 and not isinstance(node.test, ast.BoolOp):
            try:
                opposite = words.condition(node.test, holds=False)
            except UnsayableError:
                opposite = _OTHER
            other = opposite if len(opposite) <= _LONGEST_OPPOSITE else _OTHER
        yield from statement_facts(chain[-1].orelse, words, loop, (*tests, other))


def _equality(tests: Sequence[ast.expr], words: Words) -> str:
    """Return "x equals y" where x < y and x > y have been dealt with; otherwise ""."""
    sides, ops = set(), set()
    for test in tests:
        if not isinstance(test, ast.Compare) or len(test.ops) > 1:
            return ""
        sides.add((ast.unparse(test.left), ast.unparse(test.comparators[0])))
        ops.add(type(test.ops[0]))
    test = tests[0]
    if len(sides) > 1 or ops != {ast.Lt, ast.Gt} or not isinstance(test, ast.Compare):
        return ""
    return f"{words.say(test.left)} and {words.say(test.comparators[0])} are equal"


def _handlers(node: ast.Try, words: Words) -> Iterator[Sketch]:
    for handler in node.handlers:
        for statement in handler.body:
            if isinstance(statement, (ast.Return, ast.Raise)):
                effect = _effect(statement, words)
                name = handler.type.id if isinstance(handler.type, ast.Name) else "any error"
                yield sketch(
                    "error",
                    statement,
                    f"if that goes wrong ({name}), {effect}",
                    f"when it fails with {name}, {effect}",
                    Mutation.at(statement, "other value"),
                )


def _circumstances(loop: str, tests: tuple[str, ...]) -> tuple[str, str]:
    """Return loop and conditions as an opening ("For each song, if ..., ") and as a closing."""
    conditions = [f"({t})" if " or " in t and len(tests) > 1 else t for t in tests if t != _OTHER]
    around = loop if not loop.startswith("each") else f"for {loop}"
    opening, closing = f"{around}, " if loop else "", f" ({around})" if loop else ""
    if _OTHER in tests:
        opening, closing = f"{opening}{_OTHER}, ", f" {_OTHER}{closing}"
    if conditions:
        condition = f"if {' and '.join(conditions)}"
        opening, closing = f"{opening}{condition}, ", f" {condition}{closing}"
    return opening, closing


def _simple(node: ast.stmt, words: Words, loop: str, tests: tuple[str, ...]) -> Iterator[Sketch]:
    if isinstance(node, ast.Return):
        tests = tuple(_OTHER if test == _AFTER else test for test in tests)
    else:
        tests = tuple(test for test in tests if test != _AFTER)
    opening, closing = _circumstances(loop, tests)
    if isinstance(node, (ast.Return, ast.Raise)):
        kind = _kind_of_return(node, tests)
        if kind:
            effect = _effect(node, words)
            back = effect.replace("the result is", "what I want back is", 1)
            yield sketch(kind, node, opening + effect, back + closing, *value_mutations(node))
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.Expr)):
        effect, kind = _effect(node, words, bool(tests)), _kind_of_change(node, tests)
        if effect and kind:
            also = effect + closing
            if not closing and isinstance(node, ast.Assign):
                also = f"to get {words.say(node.targets[0])}, take {words.say(node.value)}"
            yield sketch(kind, node, opening + effect, also, *value_mutations(node))
    elif isinstance(node, (ast.Continue, ast.Break)) and tests:
        what = "it is skipped" if isinstance(node, ast.Continue) else "it stops there"
        drop = Mutation.at(node, "drop statement")
        yield sketch("filter", node, opening + what, what + closing, drop)


def _kind_of_return(node: ast.Return | ast.Raise, tests: tuple[str, ...]) -> str:
    """Return what a fact about a return is about; "" if there is none."""
    if isinstance(node, ast.Raise):
        return "error"
    value = node.value
    if tests and tests[-1].endswith(_NOTHING) and " not " not in tests[-1]:
        return "empty"
    said = literal(value)
    if tests and isinstance(said, str) and any(w in said.lower() for w in ("error", "invalid")):
        return "error"
    if tests:
        return "otherwise" if tests[-1] == _OTHER else "case"
    if value is None or isinstance(value, (ast.Name, ast.Constant)):
        return ""
    if isinstance(value, (ast.Dict, ast.Tuple)):
        return "returns"
    if isinstance(value, (ast.BoolOp, ast.Compare, ast.IfExp)):
        return "case"
    return "text" if isinstance(value, ast.JoinedStr) else "formula"


def _kind_of_change(node: ast.Assign | ast.AugAssign | ast.Expr, tests: tuple[str, ...]) -> str:
    """Return what a fact about an assignment or a call is about; "" if there is none."""
    if isinstance(node, ast.AugAssign):
        return "accumulate"
    if isinstance(node, ast.Expr):
        return "filter" if tests else "accumulate"
    if tests:
        return "otherwise" if tests[-1] == _OTHER else "case"
    value = literal(node.value)
    if isinstance(node.value, ast.Constant) and value is None:
        return ""
    if value is not None:
        told = (isinstance(value, (int, float)) and value not in (0, 1)) or isinstance(value, str)
        return "constant" if told and value != "" else ""
    return "case" if isinstance(node.value, ast.IfExp) else "formula"


def _effect(node: ast.stmt, words: Words, decided: bool = False) -> str:
    """Return what a statement does as a clause; "" if it is not worth saying.

    A plain copy of another variable is worth saying only if a condition has `decided` on it.
    """
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
        container = isinstance(value, (ast.List, ast.Dict, ast.Set))
        copy = isinstance(value, ast.Name) and not decided
        if isinstance(target, (ast.Tuple, ast.List)) or container or copy:
            return ""
        named = words.say(target)
        return f"{named} {verb(named)} {words.say(value)}"
    if isinstance(node, ast.AugAssign):
        return _update(node, words)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if isinstance(call.func, ast.Attribute) and len(call.args) == 1:
            owner, item = words.say(call.func.value), words.say(call.args[0])
            if call.func.attr in ("append", "add", "extend", "update"):
                return f"{item} {verb(item, 'goes')} into {owner}"
            if call.func.attr in ("remove", "discard"):
                return f"{item} {verb(item)} taken out of {owner}"
    return ""


def _update(node: ast.AugAssign, words: Words) -> str:
    target, value = words.say(node.target), words.say(node.value)
    if isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name):
        if node.target.id in words.texts:
            return f"{value} {verb(value)} put at the end of {target}"
        if node.target.id in words.collections:
            return f"{value} {verb(value, 'goes')} into {target}"
    changes: dict[type[ast.operator], str] = {
        ast.Add: "goes up by",
        ast.Sub: "goes down by",
        ast.Mult: "is multiplied by",
        ast.Div: "is divided by",
    }
    if type(node.op) not in changes:
        raise UnsayableError("operator")
    return f"{target} {changes[type(node.op)]} {value}"


def value_mutations(node: ast.stmt) -> tuple[Mutation, ...]:
    """Return changes of a statement's value: of its numbers and operators, or else of the whole."""
    if isinstance(node, ast.Expr):
        return (Mutation.at(node, "drop statement"),)
    value = getattr(node, "value", None)
    found = [Mutation.at(node, "other operator")] if isinstance(node, ast.AugAssign) else []
    if value is not None:
        for part in ast.walk(value):
            if isinstance(part, ast.BinOp):
                found.append(Mutation.at(part, "other operator"))
            elif isinstance(part, ast.Constant) and isinstance(part.value, (int, float)):
                found.append(Mutation.at(part, "other value"))
    return tuple(found[:3]) or (Mutation.at(node, "other value"),)
