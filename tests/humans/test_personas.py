"""Personas: what each does first, and that asking again always gets the truth."""

from __future__ import annotations

import pytest
from dialogues import RANKING, make_task, talk

from colbench_env.humans import PERSONAS, ScriptedHuman, facts_for, remarks
from colbench_env.humans.personas import Persona, forgotten, hint, slip
from colbench_env.records import Dialogue, Fact, Message, Reply, Task
from colbench_env.tasks.procedural import ProceduralTasks, recognise

RATE = Fact("rate", "The rate is 12 percent.", ("Twelve of a hundred, so 12 percent.",))
ROUNDING = Fact("rounding", "Round to 3 decimals.", ("Please keep 3 decimals.",))
TASK = make_task("def f(x):\n    return round(x * 12 / 100, 3)\n", [RATE, ROUNDING])
SEEDS = range(40)


def first_replies(persona: str) -> list[str]:
    return [talk(TASK, ["What is the rate?"], persona, seed)[0].text for seed in SEEDS]


@pytest.mark.parametrize("persona", PERSONAS)
def test_whoever_asks_again_learns_everything(persona: str) -> None:
    questions = ["What is the rate?", "How many decimals do you want?"]
    for seed in SEEDS:
        replies = talk(TASK, questions * 3, persona, seed)
        assert {fact for reply in replies for fact in reply.facts} >= {"rate", "rounding"}
        assert "12" in replies[4].text
        assert "3" in replies[5].text


def test_plain_and_terse_and_chatty() -> None:
    both = "What is the rate, and how many decimals do you want?"
    assert talk(TASK, [both])[0].facts == ("rate", "rounding")
    assert talk(TASK, [both], "terse")[0].facts == ("rate",)
    chatty = talk(TASK, ["What is the rate?"], "chatty")[0].text
    assert chatty.endswith(RATE.text)
    assert chatty != RATE.text


@pytest.mark.parametrize(("persona", "instead"), [("vague", hint), ("forgetful", forgotten)])
def test_some_facts_are_withheld_at_first(persona: str, instead: object) -> None:
    assert callable(instead)
    texts = set(first_replies(persona))
    assert texts == {RATE.text, instead(RATE)}
    assert "12" not in instead(RATE)


def test_vague_does_not_react_to_vague_questions() -> None:
    assert talk(TASK, ["Tell me more."], "vague")[0].text == remarks.BE_PRECISE


def test_changes_mind_is_wrong_first_and_corrects_itself_at_once() -> None:
    wrong = [
        s for s in SEEDS if talk(TASK, ["What is the rate?"], "changes_mind", s)[0].facts == ()
    ]
    assert 0 < len(wrong) < len(SEEDS)
    for seed in wrong:
        replies = talk(TASK, ["What is the rate?", "Thanks!", "Thanks!"], "changes_mind", seed)
        assert replies[0].text == "The rate is 13 percent."
        assert replies[1].text.startswith(f"Sorry, I was wrong just now: {RATE.text}")
        assert replies[1].facts == ("rate",)
        assert replies[2].text == remarks.WELCOME


def test_impatient_has_no_time_for_vague_questions_after_a_while() -> None:
    task = make_task(RANKING)
    replies = talk(task, ["Tell me more."] * 5 + ["How should it be sorted?"], "impatient")
    assert [bool(reply.facts) for reply in replies] == [True, True, True, False, False, True]


def test_novice_asks_for_plain_words_once() -> None:
    question = "Should it return a float? How many decimals do you want?"
    first, second = talk(TASK, [question, question], "novice")
    assert first.text == remarks.PLAIN_WORDS
    assert "rounding" in second.facts


def test_a_slip_changes_a_number_outside_quotes_only() -> None:
    assert slip("The limit is 2.5 for us.") == "The limit is 5 for us."
    assert slip('The text is "42"') == 'The text is "42"'
    assert slip("Sort it by name.") == "Sort it by name."


def test_a_persona_of_ones_own() -> None:
    silent = Persona("silent", "Hints at everything first.", hints_first=1.0)
    [reply] = talk(TASK, ["What is the rate?"], silent)  # type: ignore[arg-type]
    assert reply.text == hint(facts_for(TASK)[0])


def code_after_asking(task: Task, persona: str, seed: int) -> tuple[str, int]:
    """The code of an assistant that asks each of a family's questions, and how often it asked.

    It asks again once if it cannot read the answer, and puts right what the person puts right; as
    `changes_mind` advises, it then asks once more.
    """
    solver, human = recognise(task.brief), ScriptedHuman(persona=persona)
    assert solver is not None
    messages, heard = [Message("human_0", task.brief)], {}
    asked = []
    again = solver.questions[-1:] if PERSONAS[persona].slips else ()
    for question in (*solver.questions, *again):
        for _ in range(2):
            messages.append(Message("assistant_0", question.text))
            [reply] = human.reply([Dialogue(task, tuple(messages), seed)])
            assert isinstance(reply, Reply)
            messages.append(Message("human_0", reply.text))
            corrected = asked[-1:] if reply.text.startswith(remarks.SORRY) else []
            asked.append(question)
            values = {q.parameter: solver.read(q, reply.text) for q in (*corrected, question)}
            heard |= {name: value for name, value in values.items() if value is not None}
            if values[question.parameter] is not None:
                break
    return solver.code(heard), len(asked)


@pytest.mark.parametrize("persona", PERSONAS)
def test_procedural_tasks_are_solved_in_nine_turns(persona: str) -> None:
    for difficulty in (1, 3, 5):
        for seed, task in enumerate(ProceduralTasks(difficulty, seed=2).take(40)):
            code, turns = code_after_asking(task, persona, seed)
            assert code == task.private["human_0"]["reference"], (task.id, seed)
            assert turns <= 9
