"""How many facts does the scripted human know that a task's hidden calls depend on?

A derived fact counts only if a mutation of its place in the reference changes the outcome of at
least one hidden call, in the sandbox. Facts about the mere kind of result ("a number") are printed
apart: with or without them. Also printed: how much of what counts can be told before the human
declines for fear of reciting the reference.

    python benchmarks/human_facts.py --tasks backend_dev.jsonl
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from colbench_env.humans.derived_facts import derived_facts
from colbench_env.humans.fact_analysis import counted_facts
from colbench_env.humans.facts import reference_of
from colbench_env.humans.leak import allowed, measure
from colbench_env.tasks import load_tasks


def tellable(reference: str, texts: list[str]) -> int:
    """Return how many of the texts can be told, in order, within the leak bound."""
    told: list[str] = []
    for text in texts:
        if allowed(measure(reference, [*told, text])):
            told.append(text)
    return len(told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=Path, required=True, help="backend records, JSON lines")
    parser.add_argument("--batch", type=int, default=50, help="tasks run in the sandbox at once")
    args = parser.parse_args()
    tasks = list(load_tasks(args.tasks))
    counted = []
    for start in range(0, len(tasks), args.batch):
        counted += counted_facts(tasks[start : start + args.batch])
    derived = Counter(d.kind for task in tasks for d in derived_facts(reference_of(task)))
    kinds = Counter(d.kind for facts in counted for d in facts)
    print("kind: counted of derived")
    for kind, n in derived.most_common():
        print(f"  {kind:12} {kinds[kind]:4} of {n:4}")
    for name, left_out in (("without kind of result", "shape"), ("all", "")):
        sizes = [sum(d.kind != left_out for d in facts) for facts in counted]
        table = Counter(min(size, 8) for size in sizes)
        print(f"{name}: counted facts a task: ", end="")
        print(", ".join(f"{k}{'+' * (k == 8)}: {table[k]}" for k in sorted(table)))
        print(f"  two or more: {sum(s >= 2 for s in sizes) / len(sizes):.1%} of {len(sizes)} tasks")
    shares = []
    for task, facts in zip(tasks, counted, strict=True):
        if facts:
            reference = reference_of(task)
            shares.append(tellable(reference, [d.fact.text for d in facts]) / len(facts))
    full = sum(share == 1.0 for share in shares)
    print(f"within the leak bound: {sum(shares) / len(shares):.1%} of a task's counted facts can")
    print(f"  be told on average; all of them on {full / len(shares):.1%} of the tasks")


if __name__ == "__main__":
    main()
