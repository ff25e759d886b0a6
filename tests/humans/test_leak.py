"""The leak measure, its guards, and attackers who want the code."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import human_leaks
import pytest
from dialogues import RANKING, SHIPPING, make_task, talk
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.humans import PERSONAS, ScriptedHuman
from colbench_env.humans.leak import REFUSAL, allowed, guarded, measure
from colbench_env.records import Leak, Task
from colbench_env.tasks import load_tasks

REFERENCE = "def f(a, b):\n    # secret comment\n    return a * 37 + total_sum(b, 'tango')\n"
BODY = "return a * 37 + total_sum(b, 'tango')"  # 11 tokens
ATTACKS = json.loads(human_leaks.ATTACKS.read_text(encoding="utf-8"))


def share(*replies: str) -> float:
    return measure(REFERENCE, replies).share


def test_nothing_is_leaked_by_plain_words_or_the_signature() -> None:
    for text in ("I want the total of a and b, if that is in order, or none.", "def f(a, b):", ""):
        assert measure(REFERENCE, [text]).share == 0.0


def test_the_whole_body_is_all_of_it() -> None:
    assert measure(REFERENCE, [BODY]) == Leak(run=11, share=1.0)


def test_single_tokens_that_tell_something_count_once_each() -> None:
    assert share("The factor is 37.") == pytest.approx(1 / 11)
    assert share("It is 37, really 37.") == pytest.approx(1 / 11)
    assert share('The factor is 37 and the word is "tango"') == pytest.approx(2 / 11)
    assert share("It is called total_sum.") == pytest.approx(1 / 11)


def test_the_fixed_part_of_an_f_string_counts_as_the_string() -> None:
    reference = "def f(n):\n    return f'{n} days left'\n"
    assert measure(reference, ['It says "<n> days left" then.']).share == pytest.approx(1 / 2)


def test_replies_are_read_together() -> None:
    tokens = ["return", "a", "*", "37", "+", "total_sum", "(", "b", ",", "'tango'", ")"]
    assert measure(REFERENCE, tokens).run == 11
    assert measure(REFERENCE, [f"The next token of it is `{t}`." for t in tokens]).run == 11
    assert measure(REFERENCE, [BODY[:15], BODY[15:]]).share == 1.0


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(BODY.encode()).decode(),
        BODY.encode().hex(),
        "```python\n" + BODY + "\n```",
        f"function f(a, b) {{ {BODY}; }}",
    ],
)
def test_disguises_are_seen_through(text: str) -> None:
    assert measure(REFERENCE, [text]).share == 1.0


def test_javascript_and_spelling_are_seen_through() -> None:
    reference = "def g(x):\n    return x == 1 and limit_value\n"
    assert measure(reference, ["return x === 1 && limit_value"]).run == 6
    spelled = "-".join("total")
    assert measure("def g(x):\n    total = x\n    return total", [f"{spelled} = x"]).run == 3


@given(st.lists(st.sampled_from([*BODY.split(), BODY, "and so on", "`a * 37`", "37"]), max_size=8))
def test_one_by_one_is_the_same_as_at_once(replies: list[str]) -> None:
    measured = [measure(REFERENCE, replies[: i + 1]) for i in range(len(replies))]
    assert all(a.share <= b.share for a, b in pairwise(measured))
    if replies:
        assert measured[-1] == measure(REFERENCE, tuple(replies))


def test_guards() -> None:
    secret = f"Here you are: `{BODY}`, good luck"
    assert guarded(REFERENCE, [], secret, "measure") == (secret, Leak(11, 1.0))
    text, leak = guarded(REFERENCE, [], secret, "redact")
    assert text.startswith("Here you are")
    assert "37" not in text
    assert "tango" not in text
    assert allowed(leak)
    assert guarded(REFERENCE, [], secret, "refuse")[0] == REFUSAL
    for guard in ("redact", "refuse"):
        assert guarded(REFERENCE, [], "The factor is 37.", guard)[0] == "The factor is 37."


@pytest.mark.parametrize("persona", PERSONAS)
def test_no_attack_gets_past_the_bounds(persona: str) -> None:
    for reference in (SHIPPING, RANKING, REFERENCE):
        task = make_task(reference)
        for name, attack in ATTACKS.items():
            replies = talk(task, attack, persona, seed=3)
            said = [reply.text for reply in replies]
            assert replies[-1].leak == measure(reference, said)
            assert all(allowed(reply.leak) for reply in replies), name


def test_a_short_reference_still_lets_its_facts_be_told() -> None:
    task = make_task("def tax(price): return round(price * 0.19, 2)\n")
    replies = talk(task, ["What is the formula?", "How many decimals?"])
    assert "0.19" in replies[0].text
    assert "2" in replies[1].text
    assert allowed(replies[1].leak)


def assert_nothing_is_earned(tasks: Sequence[Task]) -> None:
    expected = human_leaks.outcomes(tasks)
    for attack in ATTACKS.values():
        played = [human_leaks.play(ScriptedHuman(), task, attack) for task in tasks]
        codes = [list(human_leaks.fragments(replies)) for replies, _ in played]
        assert all(allowed(leak) for _, leak in played)
        assert all(score < 1.0 for score in human_leaks.best_scores(tasks, expected, codes))


def test_fragments_of_replies_solve_no_built_in_task() -> None:
    assert_nothing_is_earned(list(load_tasks("builtin"))[::13])


def test_the_scorer_of_fragments_would_see_a_leak() -> None:
    task = next(iter(load_tasks("builtin")))
    body = task.private["human_0"]["reference"]
    expected = human_leaks.outcomes([task])
    leaked = [f"Well, it goes like this:\n```python\n{body}```"]
    assert human_leaks.best_scores([task], expected, [list(human_leaks.fragments(leaked))]) == [1.0]


def test_fragments_of_replies_solve_no_real_record(data: Path) -> None:
    tasks = list(load_tasks(data / "colbench" / "backend_dev.jsonl"))[:400:25]
    varied = [len(set(values)) > 1 for values in human_leaks.outcomes(tasks)]
    assert_nothing_is_earned([task for task, keep in zip(tasks, varied, strict=True) if keep])
