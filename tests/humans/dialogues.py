"""Small tasks and a way to talk about them, for the tests of the simulated people."""

from __future__ import annotations

from collections.abc import Sequence

from colbench_env.humans import ScriptedHuman
from colbench_env.records import Dialogue, Fact, Message, Reply, Task

SHIPPING = '''def shipping_cost(weight, country, express=False):
    """Cost of a parcel."""
    rates = {"home": 4.5, "near": 9.25, "far": 21.75}  # by zone
    if weight <= 0:
        raise ValueError("weight must be positive")
    if country not in rates:
        return "no delivery"
    cost = rates[country]
    if weight > 20:
        cost += (weight - 20) * 0.35
    if express:
        cost = cost * 1.6
    return round(cost, 2)
'''
RANKING = """def top_names(entries, limit=3):
    best = sorted(entries, key=lambda entry: entry["points"], reverse=True)
    names = []
    for entry in best:
        if entry["points"] >= 10:
            names.append(entry["name"].upper())
    return "; ".join(names[:limit])
"""


def make_task(reference: str = SHIPPING, facts: Sequence[Fact] = (), brief: str = "") -> Task:
    """A Backend task about a reference."""
    signature = reference.split("\n", 1)[0].rstrip(":")
    brief = brief or f"Please write this for me. The signature of the function is: {signature}"
    private = {"human_0": {"reference": reference, "facts": [fact.to_dict() for fact in facts]}}
    return Task("test/0", brief, private)


def talk(
    task: Task,
    questions: Sequence[str],
    persona: str = "plain",
    seed: int = 0,
    guard: str = "measure",
) -> list[Reply]:
    """The replies to questions asked one after the other."""
    human = ScriptedHuman(persona=persona, guard=guard)
    messages = [Message("human_0", task.brief)]
    replies = []
    for question in questions:
        messages.append(Message("assistant_0", question))
        [reply] = human.reply([Dialogue(task, tuple(messages), seed)])
        assert isinstance(reply, Reply)
        messages.append(Message("human_0", reply.text))
        replies.append(reply)
    return replies
