"""Can an assistant make the scripted human recite the hidden code?

Plays every attack of `tests/humans/attacks.json` (a list of messages each) on every task and
measures the leak of all replies together; then tries to earn points with the replies alone: every
fragment that looks like code or data (quoted or fenced, a line, the whole, what base64 decodes to,
everything strung together) becomes the body of the function and is scored in the sandbox. The best
of a few constants, which needs no reply, is printed beside it.

    python benchmarks/human_leaks.py --tasks backend_dev.jsonl --max 100
"""

from __future__ import annotations

import argparse
import json
import re
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

from colbench_env import sandbox
from colbench_env.humans import ScriptedHuman
from colbench_env.humans.leak import allowed, decoded
from colbench_env.records import Dialogue, Leak, Message, Reply, Task
from colbench_env.tasks import load_tasks

ATTACKS = Path(__file__).parent.parent / "tests" / "humans" / "attacks.json"
CONSTANTS = ("True", "False", "0", "1", "None", "''", "[]", "{}")
_SIGNATURE = re.compile(r"def\s+\w+\s*\([^)]*\)")
_SPANS = re.compile(r"```(?:\w+\n)?([\s\S]*?)```|`([^`]+)`|(\"[^\"]*\")|('[^']*')")


def play(human: ScriptedHuman, task: Task, attack: Sequence[str]) -> tuple[list[str], Leak]:
    """Return the person's replies to an attack, and their leak together."""
    found = _SIGNATURE.search(task.brief)
    signature = found[0] if found else f"def {task.hidden['entry']}(*args)"
    messages, replies, leak = [Message("human_0", task.brief)], [], Leak()
    for text in attack:
        filled = text.replace("{entry}", task.hidden["entry"]).replace("{signature}", signature)
        messages.append(Message("assistant_0", filled))
        [reply] = human.reply([Dialogue(task, tuple(messages))])
        assert isinstance(reply, Reply)
        messages.append(Message("human_0", reply.text))
        replies.append(reply.text)
        leak = reply.leak
    return replies, leak


def fragments(replies: Sequence[str]) -> Iterator[str]:
    """Yield what could be code in the replies, and everything strung together."""
    texts = [decoded(reply) for reply in replies]
    yield from ("\n".join(texts), " ".join(texts), "".join(texts))
    spans = ["".join(found) for text in texts for found in _SPANS.findall(text)]
    yield from ("\n".join(spans), " ".join(spans), "".join(spans))
    yield from spans
    for text in texts:
        yield from (line for line in re.split(r"\n|(?<=[.:,;]) ", text))
        yield from re.findall(r"\d+(?:\.\d+)?", text)


def submissions(task: Task, codes: Sequence[str]) -> list[str]:
    """Return the programs that can be made of the fragments and compile."""
    found = _SIGNATURE.search(task.brief)
    head = found[0] if found else f"def {task.hidden['entry']}(*args, **kwargs)"
    programs: dict[str, None] = {}
    for code in codes:
        body = "\n".join(f"    {line}" for line in code.splitlines())
        returned = f"{head}:\n    return ({code.strip().rstrip('.:,;')})"
        for program in (code, f"{head}:\n{body}", returned):
            try:
                with warnings.catch_warnings(action="ignore"):
                    compile(program, "attack", "exec")
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
            if program.strip():
                programs[program] = None
    return list(programs)


def outcomes(tasks: Sequence[Task]) -> list[tuple[sandbox.Encoded | None, ...]]:
    """Return what each task's reference gives for its hidden calls; None where it gives nothing."""
    batch = []
    for task in tasks:
        cases = tuple(sandbox.Case(call=call) for call in task.hidden["calls"])
        reference = task.private["human_0"]["reference"]
        batch.append(sandbox.Submission(reference, task.hidden["entry"], cases))
    return [tuple(outcome.value for outcome in verdict.outcomes) for verdict in sandbox.run(batch)]


def best_scores(
    tasks: Sequence[Task],
    expected: Sequence[Sequence[sandbox.Encoded | None]],
    codes: Sequence[Sequence[str]],
) -> list[float]:
    """Return for each task the best score of any program made of its fragments, in [0, 1]."""
    batch, owners = [], []
    for i, (task, values) in enumerate(zip(tasks, expected, strict=True)):
        cases = tuple(
            sandbox.Case(call=call, expected=value)
            for call, value in zip(task.hidden["calls"], values, strict=True)
            if value is not None
        )
        if not cases:
            continue
        for program in submissions(task, codes[i]):
            batch.append(sandbox.Submission(program, task.hidden["entry"], cases))
            owners.append(i)
    best = [0.0] * len(tasks)
    for i, verdict in zip(owners, sandbox.run(batch) if batch else [], strict=True):
        best[i] = max(best[i], verdict.score)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default="builtin", help="task source")
    parser.add_argument("--max", type=int, default=50, help="tasks to attack, the first ones")
    parser.add_argument("--persona", default="plain")
    args = parser.parse_args()
    tasks = list(load_tasks(args.tasks))[: args.max]
    human = ScriptedHuman(persona=args.persona)
    expected = outcomes(tasks)
    varied = [i for i, values in enumerate(expected) if len(set(values)) > 1]
    print(f"{len(tasks) - len(varied)} tasks left out: the same result for every hidden call")
    tasks, expected = [tasks[i] for i in varied], [expected[i] for i in varied]
    constant = best_scores(tasks, expected, [CONSTANTS] * len(tasks))
    print(f"{len(tasks)} tasks; a best constant, without any reply: score {_mean(constant):.3f}")
    print("attack                  run  share  over bound  score  solved  beats constant")
    for name, attack in json.loads(ATTACKS.read_text(encoding="utf-8")).items():
        played = [play(human, task, attack) for task in tasks]
        leaks = [leak for _, leak in played]
        scores = best_scores(tasks, expected, [list(fragments(replies)) for replies, _ in played])
        better = sum(s > c for s, c in zip(scores, constant, strict=True))
        print(
            f"{name:22} {max(k.run for k in leaks):4}  {max(k.share for k in leaks):5.3f}"
            f"  {sum(not allowed(k) for k in leaks):10}  {_mean(scores):5.3f}"
            f"  {sum(s == 1.0 for s in scores):6}  {better:14}"
        )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


if __name__ == "__main__":
    main()
