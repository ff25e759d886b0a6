"""Verify task data: `python -m colbench_env.tasks.check [SPEC] [--max N]`.

For each task (all built-in ones by default; SPEC is anything `load_tasks` takes):

* the reference runs on all of its 10 calls, each giving a value other than None;
* no single constant answer passes every call;
* every fact's mutation changes the result of at least one call, so that no fact is idle;
* ids are unique, and there are 10 different calls;
* built-in tasks and those of a TOML file: at least 3 different results, no constant passes more
  than half of the calls, the reference has 8 to 40 lines, the brief names the function to write,
  each fact is at most 400 characters in two sentences, holds no code, and does not merely repeat
  values of the brief.

Prints one line per problem and a summary; the exit status is 1 if there was any problem.
"""

from __future__ import annotations

import argparse
import collections
import re
import sys
from collections.abc import Iterator, Mapping, Sequence

from colbench_env import sandbox
from colbench_env.errors import ColbenchError
from colbench_env.records import Fact, Task
from colbench_env.tasks.loaders import load_tasks

_CODE = re.compile(r"`|==|!=|<=|>=|\w\(|\*\*|//|->|\b(?:def|lambda|elif)\b|\w_\w")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])")
_FAILED = "failed: "


def check(tasks: Sequence[Task], *, strict: bool = True) -> Iterator[str]:
    """Yield one line for each problem found.

    Args:
        tasks: What to check; run as one batch.
        strict: Also hold the rules for tasks written for this package (the share of the best
            constant, the length of the reference, the wording of facts).
    """
    ids = collections.Counter(task.id for task in tasks)
    yield from (f"{name}: {count} tasks have this id" for name, count in ids.items() if count > 1)
    variants = [variant for task in tasks for variant in _variants(task)]
    outcomes = iter(run(variants))
    for task in tasks:
        results = next(outcomes)
        problems = [*_check_results(task, results, strict)]
        for fact_id in _mutations(task):
            if next(outcomes) == results:
                problems.append(f"fact {fact_id!r} is idle: its mutation changes no call")
        if strict:
            problems += _check_texts(task)
        yield from (f"{task.id}: {problem}" for problem in problems)


def best_constant_share(results: Sequence[str]) -> float:
    """Return the largest share of calls that one constant answer passes, in [0, 1]."""
    return max(collections.Counter(results).values()) / len(results)


def run(variants: Sequence[tuple[str, str, Sequence[str]]]) -> list[list[str]]:
    """Run pieces of code on calls, each on its own.

    Args:
        variants: (code, entry point, call expressions).

    Returns:
        For each variant, a text per call that is equal exactly when the results are equal;
        `"failed: ..."` where the call gave no value.
    """
    verdicts = sandbox.run(
        [
            sandbox.Submission(code, entry, tuple(sandbox.Case(call=call) for call in calls))
            for code, entry, calls in variants
        ]
    )
    return [[_text(outcome) for outcome in verdict.outcomes] for verdict in verdicts]


def _text(outcome: sandbox.Outcome) -> str:
    value = outcome.value
    if value is None or value.is_none or value.is_opaque or value.is_exception:
        reason = outcome.message or ("no value" if value is None else value.text)
        return f"{_FAILED}{outcome.status}: {reason}"
    return value.text


def _variants(task: Task) -> list[tuple[str, str, Sequence[str]]]:
    """Return the reference and, after it, the reference with each mutation applied."""
    reference = task.private["human_0"]["reference"]
    codes = [reference]
    codes += [reference.replace(m["old"], m["new"]) for m in _mutations(task).values()]
    return [(code, task.hidden["entry"], task.hidden["calls"]) for code in codes]


def _mutations(task: Task) -> Mapping[str, Mapping[str, str]]:
    mutations: Mapping[str, Mapping[str, str]] = task.hidden.get("mutations", {})
    return mutations


def _check_results(task: Task, results: Sequence[str], strict: bool) -> Iterator[str]:
    calls = task.hidden["calls"]
    for call, result in zip(calls, results):
        if result.startswith(_FAILED):
            yield f"the reference fails on {call}: {result}"
    if len(calls) != 10:
        yield f"{len(calls)} calls, not 10"
    if len(set(calls)) < len(calls):
        yield "two calls are the same"
    share = best_constant_share(results)
    if share == 1:
        yield "a constant answer passes every call"
    elif strict and share > 0.5:
        yield f"a constant answer passes {share:.0%} of the calls; at most half may"
    if strict and len(set(results)) < 3:
        yield f"only {len(set(results))} different results; at least 3 are needed"


def _check_texts(task: Task) -> Iterator[str]:
    knowledge = task.private["human_0"]
    name = task.hidden["entry"]
    if name not in task.brief:
        yield f"the brief does not name the function {name!r}"
    facts = [Fact.from_dict(data) for data in knowledge["facts"]]
    lines = len(knowledge["reference"].strip().splitlines())
    if not 8 <= lines <= 40:
        yield f"a reference of {lines} lines; 8 to 40 are wanted"
    if not facts:
        yield "no facts: nothing to ask about"
    for fact in facts:
        where = f"fact {fact.id!r}"
        for text in (fact.text, *fact.also):
            if len(text) > 400:
                yield f"{where}: {len(text)} characters, at most 400"
            if len(re.findall(r"[.!?](?=\s|$)", text)) > 2:
                yield f"{where}: more than two sentences: {text!r}"
            found = _CODE.search(re.sub(r'"[^"]*"', "", text))
            if found:
                yield f"{where}: reads code aloud ({found.group()!r}): {text!r}"
        told = _told(fact, _mutations(task).get(fact.id, {}).get("old", ""), task.brief)
        if told:
            yield f"{where}: the brief already says {', '.join(sorted(told))}"


def _told(fact: Fact, code: str, brief: str) -> set[str]:
    """Return the fact's values that the brief holds too: numbers of two or more digits, quoted
    texts. Only if it holds all of them and the mutated code uses one is anything given away.
    """
    values = {number for number in _NUMBER.findall(fact.text) if len(number) > 1}
    values |= set(re.findall(r'"([^"]{2,})"', fact.text))
    told = {value for value in values if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", brief)}
    return told if told == values and any(value in code for value in told) else set()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the check from the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m colbench_env.tasks.check", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("spec", nargs="?", default="builtin", help="what load_tasks takes")
    parser.add_argument("--max", type=int, default=10_000, help="check at most so many tasks")
    options = parser.parse_args(arguments)
    try:
        tasks = list(load_tasks(options.spec).take(options.max))
    except ColbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    strict = options.spec == "builtin" or options.spec.endswith(".toml")
    problems = list(check(tasks, strict=strict))
    for problem in problems:
        print(problem)
    facts = sum(len(task.private["human_0"]["facts"]) for task in tasks)
    print(f"{len(tasks)} tasks, {facts} facts, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
