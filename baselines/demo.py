"""The demonstration: SWEET-RL teaches the tiny model to ask before it answers, in minutes.

Plays, trains and evaluates on procedural tasks, then writes one self-contained page with the
success before and after, the learning curve, and dialogues on the same tasks before and after.

    python -m colbench_env.baselines.demo
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jinja2
import torch
import tyro

from colbench_env.baselines import sweet_rl
from colbench_env.baselines.checkpoint import write_text
from colbench_env.baselines.collection import PER_ROUND, Arena
from colbench_env.baselines.evaluate import Interval, Row, summarise
from colbench_env.baselines.rollout import Plan
from colbench_env.baselines.scripted import make_policy
from colbench_env.episodes import read_episodes
from colbench_env.records import Episode

SCRIPTED = {
    "answer-at-once": "a script that answers without asking",
    "ask": "a script that asks and uses every answer",
}


@dataclass
class Args:
    """Arguments of the demonstration.

    Attributes:
        out: Folder of the page and of the run; a run that stopped there is continued.
        tasks: Task source.
        seed: Of everything.
        rounds: Rounds of SWEET-RL.
        num_tasks: Tasks played a round, four episodes each.
        eval_tasks: Held-out tasks of each evaluation.
        threads: Threads of the computation.
        dialogues: Dialogues shown before and after.
    """

    out: Path = Path("runs/demo")
    tasks: str = "procedural?difficulty=2"
    seed: int = 0
    rounds: int = 1
    num_tasks: int = 200
    eval_tasks: int = 200
    threads: int = 2
    dialogues: int = 4


@dataclass
class Report:
    """What the page shows.

    Attributes:
        before: The tiny model as it comes.
        after: After training.
        curve: Success before training and after each quarter of a round.
        scripted: Scripted assistants on the same tasks, for comparison.
        dialogues: Pairs of episodes on one task, before and after.
        seconds: Wall-clock time of it all.
    """

    before: Row
    after: Row
    curve: list[Interval]
    scripted: list[tuple[str, Row]]
    dialogues: list[tuple[Episode, Episode]]
    seconds: float
    page: Path
    args: Args = field(default_factory=Args)


def main(args: Args) -> Report:
    """Train, evaluate, write `index.html`; returns what it shows."""
    started = time.perf_counter()
    torch.set_num_threads(args.threads)
    print("SWEET-RL teaches the tiny model to ask before it answers")
    sweet_rl.main(
        sweet_rl.Args(
            tasks=args.tasks, seed=args.seed, out=args.out / "run", device="cpu",
            rounds=args.rounds, num_tasks=args.num_tasks, eval_tasks=args.eval_tasks,
        )
    )  # fmt: skip
    files = [f"evaluate-{i}.jsonl" for i in range(PER_ROUND * args.rounds + 1)]
    played = [read(args.out / "run" / file) for file in files]
    rows = [summarise(file, episodes) for file, episodes in zip(files, played, strict=True)]

    arena = Arena("ColBench/Backend-v0", tasks=args.tasks, human="scripted", split="test")
    plans = [Plan(i, args.seed + i, t) for i, t in enumerate(arena.task_ids(args.eval_tasks))]
    scripted = []
    for name, words in SCRIPTED.items():
        file = args.out / f"{name}.jsonl"
        scripted.append((words, summarise(name, arena.play(make_policy(name), plans, file))))

    report = Report(
        before=rows[0],
        after=rows[-1],
        curve=[row.success for row in rows],
        scripted=scripted,
        dialogues=choose_dialogues(played[0], played[-1], args.dialogues),
        seconds=time.perf_counter() - started,
        page=args.out / "index.html",
        args=args,
    )
    write_text(report.page, render(report))
    print(f"success on {args.eval_tasks} held-out tasks, in % with 95 % intervals:")
    print(f"  before  {report.before.success}")
    print(f"  after   {report.after.success}")
    print(f"{report.seconds:.0f} s; see {report.page}")
    return report


def read(file: Path) -> list[Episode]:
    """Return the episodes of a file by their index."""
    return sorted(read_episodes(file), key=lambda e: e.extra["index"])


def choose_dialogues(
    before: Sequence[Episode], after: Sequence[Episode], number: int
) -> list[tuple[Episode, Episode]]:
    """Return pairs on the same task: what was mended, then one that still fails, or broke."""

    def passed(episode: Episode) -> bool:
        return episode.score is not None and episode.score.value >= 1.0

    pairs = list(zip(before, after, strict=True))
    mended = [(a, b) for a, b in pairs if not passed(a) and passed(b)]
    failing = [(a, b) for a, b in pairs if not passed(b)]
    families: dict[Any, tuple[Episode, Episode]] = {}
    for pair in mended:
        families.setdefault(pair[0].labels.get("family"), pair)
    chosen = list(families.values())[: max(0, number - 1)]
    return chosen + failing[: number - len(chosen)]


def learning_curve(curve: Sequence[Interval], width: int = 640, height: int = 300) -> str:
    """Return the success through training as an SVG picture, with its 95 % intervals."""
    left, right, top, bottom = 50, 20, 15, 45

    def x(i: int) -> float:
        return left + (width - left - right) * i / max(1, len(curve) - 1)

    def y(value: float) -> float:
        return top + (height - top - bottom) * (1 - value)

    parts = [f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Learning curve">']
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(
            f'<line class="grid" x1="{left}" x2="{width - right}" y1="{y(tick):.1f}" '
            f'y2="{y(tick):.1f}"/><text x="{left - 8}" y="{y(tick) + 4:.1f}" '
            f'text-anchor="end">{tick:.0%}</text>'
        )
    band = [f"{x(i):.1f},{y(p.high):.1f}" for i, p in enumerate(curve)]
    band += [f"{x(i):.1f},{y(p.low):.1f}" for i, p in reversed(list(enumerate(curve)))]
    parts.append(f'<polygon class="band" points="{" ".join(band)}"/>')
    line = " ".join(f"{x(i):.1f},{y(p.mean):.1f}" for i, p in enumerate(curve))
    parts.append(f'<polyline class="curve" points="{line}"/>')
    for i, p in enumerate(curve):
        parts.append(
            f'<circle cx="{x(i):.1f}" cy="{y(p.mean):.1f}" r="4"/>'
            f'<text x="{x(i):.1f}" y="{height - bottom + 18}" text-anchor="middle">'
            f"{i / PER_ROUND:g}</text>"
        )
    parts.append(
        f'<text x="{(left + width - right) / 2}" y="{height - 6}" text-anchor="middle">'
        "rounds of SWEET-RL</text></svg>"
    )
    return "".join(parts)


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>SWEET-RL on procedural tasks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; color: #222; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
td, th { padding: .3rem .8rem; border-bottom: 1px solid #ddd; text-align: left; }
tr.main td { font-weight: 600; }
svg { width: 100%; max-width: 40rem; font-size: 12px; fill: #444; }
.grid { stroke: #ddd; } .band { fill: #2a6f97; opacity: .18; }
.curve { fill: none; stroke: #2a6f97; stroke-width: 2.5; } circle { fill: #2a6f97; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.turn { white-space: pre-wrap; overflow-wrap: anywhere; border-radius: .5rem;
  padding: .4rem .7rem; margin: .3rem 0; font-size: .9rem; }
.human_0 { background: #eef3f6; } .assistant_0 { background: #fff4e0; margin-left: 1.5rem; }
.verdict { font-weight: 600; } .good { color: #1b7a3d; } .bad { color: #b3261e; }
@media (max-width: 40rem) { .pair { grid-template-columns: 1fr; } }
</style></head><body>
<h1>A tiny model learns to ask before it answers</h1>
<p>The tiny model has learnt to talk from scripted assistants of mixed quality: it asks sensible
and senseless questions, answers too early, mistakes what it is told. SWEET-RL (arXiv 2503.15478)
trains it on {{ r.args.num_tasks }} procedural tasks a round, four episodes each. Below is its
success on {{ r.args.eval_tasks }} held-out tasks: the share whose hidden tests all pass, with 95 %
intervals (Wilson). Everything ran in {{ "%.0f"|format(r.seconds) }} s on
{{ r.args.threads }} threads.</p>
{% macro cells(row) %}<td>{{ row.success }}</td><td>{{ row.passed }}</td>
<td>{{ "%.1f"|format(row.turns) }}</td><td>{{ "%.0f"|format(100 * row.leak) }}</td>{% endmacro %}
<table><tr><th>assistant</th><th>success, %</th><th>tests passed, %</th>
<th>turns</th><th>leak, %</th></tr>
<tr class="main"><td>tiny, before</td>{{ cells(r.before) }}</tr>
<tr class="main"><td>tiny, after {{ r.args.rounds }} round{{ 's' if r.args.rounds > 1 }}</td>
{{ cells(r.after) }}</tr>
{% for words, row in r.scripted %}<tr><td>{{ words }}</td>{{ cells(row) }}</tr>{% endfor %}
</table>
<h2>Learning curve</h2>
{{ curve | safe }}
<h2>Dialogues before and after</h2>
{% for pair in r.dialogues %}<h3>{{ pair[0].task_id }}</h3><div class="pair">
{% for episode in pair %}<div><h4>{{ "before" if loop.first else "after" }}</h4>
{% for m in episode.messages %}<div class="turn {{ m.agent }}">{{ m.text }}</div>{% endfor %}
{% set passed = episode.score and episode.score.value >= 1 %}
<p class="verdict {{ 'good' if passed else 'bad' }}">
{{ "%.0f"|format(100 * (episode.score.value if episode.score else 0)) }} % of the hidden tests pass
</p></div>{% endfor %}</div>{% endfor %}
</body></html>
"""


def render(report: Report) -> str:
    """Return the page as HTML; what was said is escaped."""
    template = jinja2.Environment(autoescape=True).from_string(PAGE)
    return template.render(r=report, curve=learning_curve(report.curve))


if __name__ == "__main__":
    main(tyro.cli(Args))
