"""How a scripted person talks: facts, vague and repeated questions, small talk, consistency."""

from __future__ import annotations

import json

import pytest
from dialogues import RANKING, SHIPPING, make_task, talk
from hypothesis import given
from hypothesis import strategies as st

from colbench_env.errors import ConfigError, TaskError
from colbench_env.humans import PERSONAS, NullHuman, ScriptedHuman, facts_for, make_human, remarks
from colbench_env.records import Dialogue, Fact, Message, Reply, Task
from colbench_env.tasks import load_tasks


@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("What happens if the weight is negative?", "error", "ValueError"),
        ("What should I return for a country that is not in the rates?", "case", "no delivery"),
        ("Is a parcel of exactly 20 already charged extra?", "limit", "20 is not included"),
        ("To how many decimals should the cost be rounded?", "rounding", "2 decimals"),
        ("What is the rate for far countries?", "lookup", "21.75"),
        ("How does express change the cost?", "case", "1.6"),
    ],
)
def test_answers_the_question(question: str, kind: str, says: str) -> None:
    [reply] = talk(make_task(), [question])
    assert [fact.partition("@")[0] for fact in reply.facts] == [kind]
    assert says in reply.text


def test_says_what_the_fact_means_and_not_the_code() -> None:
    [reply] = talk(make_task(RANKING), ["How should the entries be sorted?"])
    assert reply.text == 'I want it sorted by the "points" of the entry, highest first.'


def test_does_not_know_what_it_was_not_told() -> None:
    replies = talk(make_task(), ["Which courier company brings it?", "Do you have a pet?"])
    assert [reply.text for reply in replies] == list(remarks.DONT_KNOW[:2])
    assert all(reply.facts == () for reply in replies)


@pytest.mark.parametrize(
    "question",
    [
        "In which currency is the cost?",
        "Is the weight in pounds?",
        "Should the countries be sorted?",
        "Should I ignore case for the country?",
        "Is the rate given as a percentage or a fraction?",
        "What should I use to separate the countries, which delimiter?",
    ],
)
def test_does_not_know_of_an_aspect_that_no_fact_is_about(question: str) -> None:
    assert talk(make_task(), [question])[0].text == remarks.DONT_KNOW[0]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Should the names be sorted?", "highest first"),
        ("Is there a minimum number of points?", "10"),
        ("What do the entries look like?", '"points" of the entry'),
        ("Which delimiter separates the names?", '"; "'),
    ],
)
def test_knows_of_an_aspect_that_a_fact_is_about(question: str, says: str) -> None:
    assert says in talk(make_task(RANKING), [question])[0].text


def test_an_aspect_that_the_task_itself_speaks_of_is_its_subject() -> None:
    orders = Fact("ship", "Orders above 30 ship at once.", topics=("order", "shipping"))
    brief = "Please write it. The signature of the function is: def ship(order)"
    task = make_task("def ship(order):\n    return order\n", [orders], brief)
    assert talk(task, ["What happens with a large order?"])[0].facts == ("ship",)


def test_a_fact_as_near_is_told_where_the_first_gives_too_much_away() -> None:
    reference = "def f(x):\n    return x in ['red', 'green', 'blue', 'black', 'white']\n"
    telling = Fact("all", 'Colours are "red", "green", "blue", "black" and "white".')
    task = make_task(reference, [telling, Fact("some", "Colours are those of my flags.")])
    assert talk(task, ["Which colours are there?"])[0].facts == ("some",)


def test_examples_in_a_question_do_not_make_it_foreign() -> None:
    question = "Is the weight limited, e.g. for couriers, trucks, ships, planes and bicycles?"
    assert "20" in talk(make_task(), [question])[0].text


def test_a_stated_fact_comes_first_and_its_double_is_not_told_again() -> None:
    stated = Fact("places", "Round the cost to 2 decimals please.", topics=("rounding",))
    task = make_task(facts=[stated])
    assert facts_for(task)[0] == stated
    assert not any(fact.id.startswith("rounding@") for fact in facts_for(task))
    [reply] = talk(task, ["How should I round?"])
    assert reply.facts == ("places",)


def test_vague_questions_get_one_new_fact_each_until_none_is_left() -> None:
    task = make_task(RANKING)
    known = [fact.id for fact in facts_for(task)]
    replies = talk(task, ["Anything else?"] * (len(known) + 1))
    told = [fact for reply in replies for fact in reply.facts]
    assert told == [fact for fact in known if fact in told]
    assert all(len(reply.facts) <= 1 for reply in replies)
    assert len(told) > 3
    assert replies[-1].text in (remarks.NOTHING_LEFT, remarks.ENOUGH)


@pytest.mark.parametrize(
    "vague",
    [
        "Please tell me everything about it.",
        "Can you tell me more about what you need?",
        "Could you clarify the requirements?",
        "Anything else?",
    ],
)
def test_a_vague_question_never_repeats_a_fact_of_a_builtin_task(vague: str) -> None:
    for task in load_tasks("builtin"):
        if not task.private.get("human_0", {}).get("reference"):
            continue  # a page: its person looks at pictures
        told = [fact for reply in talk(task, [vague] * 9) for fact in reply.facts]
        stated = len(task.private["human_0"]["facts"])
        assert len(told) == len(set(told)) >= min(9, stated), task.id


def test_a_vague_question_with_a_subject_brings_more_about_it() -> None:
    facts = [
        Fact("late", "Late parcels are refunded.", topics=("late", "parcel")),
        Fact("lost", "Lost parcels are sent again.", topics=("lost", "parcel")),
        Fact("gift", "Gifts are wrapped in paper.", topics=("gift",)),
    ]
    task = make_task("def f(x):\n    return x\n", facts)
    replies = talk(task, ["Can you tell me more about the gifts?"] + ["More about parcels?"] * 2)
    assert replies[0].facts == ("gift",)
    replies = talk(task, ["Can you tell me more about parcels?"] * 3)
    assert [reply.facts for reply in replies[:2]] == [("late",), ("lost",)]
    assert replies[2].facts == ("gift",)


@pytest.mark.parametrize(
    "question", ["What about result, output, return?", "What should be returned?"]
)
def test_words_of_every_function_count_where_there_is_no_other(question: str) -> None:
    fact = Fact("words", 'They are "right" and "wrong".', topics=("result", "output", "return"))
    task = make_task(facts=[Fact("pets", "Dogs are welcome."), fact])
    assert talk(task, [question])[0].facts == ("words",)


def test_the_same_question_gets_the_same_fact_in_other_words() -> None:
    question = "What is the limit for the weight?"
    first, second, third = talk(make_task(), [question] * 3)
    assert first.facts == second.facts == third.facts != ()
    assert first.text != second.text
    assert "20" in first.text
    assert "20" in second.text


def test_a_compound_question_gets_two_facts_in_two_sentences() -> None:
    question = "What if the country is unknown to the rates, and how should I round the cost?"
    [reply] = talk(make_task(), [question])
    assert len(reply.facts) == 2
    assert "no delivery" in reply.text
    assert "2 decimals" in reply.text


def test_a_wrong_premise_is_corrected_by_the_fact() -> None:
    [reply] = talk(make_task(), ["The cost is rounded to a whole number, right?"])
    assert "2 decimals" in reply.text


@pytest.mark.parametrize("text", ["Hi!", "Thanks a lot.", "Hello, happy to help you with this!"])
def test_small_talk_is_answered_as_small_talk(text: str) -> None:
    assert talk(make_task(), [text])[0].text == remarks.WELCOME


def test_what_stands_before_the_question_does_not_count() -> None:
    direct = talk(make_task(), ["How should the cost be rounded?"])[0]
    polite = talk(
        make_task(),
        ["Thanks, the weight and the country are clear now. How should the cost be rounded?"],
    )[0]
    assert polite.facts == direct.facts


def test_a_reply_depends_on_task_dialogue_and_seed_alone() -> None:
    task, human = make_task(), ScriptedHuman(persona="forgetful")
    messages = (Message("human_0", task.brief), Message("assistant_0", "How is it rounded?"))
    dialogues = [Dialogue(task, messages, seed) for seed in range(20)]
    together = human.reply(dialogues)
    copies = [Dialogue.from_dict(json.loads(json.dumps(d.to_dict()))) for d in dialogues]
    apart = [ScriptedHuman(persona="forgetful").reply([d])[0] for d in reversed(copies)]
    assert together == apart[::-1]
    assert len({reply.text for reply in together if isinstance(reply, Reply)}) == 2


@given(
    st.lists(st.text(max_size=300), min_size=1, max_size=6),
    st.sampled_from(["plain", "chatty", "vague", "changes_mind", "novice", "impatient"]),
    st.integers(0, 99),
)
def test_any_text_gets_a_short_reply(questions: list[str], persona: str, seed: int) -> None:
    for reply in talk(make_task(), questions, persona, seed):
        assert 0 < len(reply.text) <= 400


def test_sentences_are_counted() -> None:
    assert remarks.sentences("One. Two? Three!") == 3
    assert remarks.sentences('It says "Stop. Now." and 2.5 more.') == 1
    assert remarks.sentences('The result is "no". Round it.') == 2
    assert remarks.sentences('The result is "no" Round it.') == 2


def test_replies_have_at_most_two_sentences() -> None:
    long = Fact("slow", "The weight counts twice abroad. At home it counts once.")
    task = make_task(facts=[long])
    questions = ["Anything else?", "What if the weight is 0? And how is it rounded?"] * 6
    questions.append("How often does the weight count at home, and how is it rounded?")
    for persona in PERSONAS:
        replies = talk(task, questions, persona, seed=1)
        assert all(remarks.sentences(reply.text) <= 2 for reply in replies)
        assert any(reply.facts == ("slow",) for reply in replies)


def test_an_unparsable_reference_leaves_the_stated_facts() -> None:
    task = make_task("def broken(:\n", [Fact("unit", "Weights are in kilograms.")])
    assert [fact.id for fact in facts_for(task)] == ["unit"]
    assert talk(task, ["In which unit are the weights?"])[0].facts == ("unit",)


def test_a_task_without_a_reference_is_an_error() -> None:
    task = Task("empty", "Write something.")
    with pytest.raises(TaskError, match=r"'empty'.*reference"):
        ScriptedHuman().reply([Dialogue(task, (Message("assistant_0", "What?"),))])


def test_null_says_one_sentence_and_measures_it() -> None:
    [reply] = NullHuman("Just do it.").reply([Dialogue(make_task(SHIPPING), ())])
    assert reply == Reply("Just do it.")


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("scripted", "scripted"),
        ("scripted:terse", "scripted:terse"),
        ("scripted?persona=vague&guard=refuse", "scripted:vague"),
        ("null", "null"),
    ],
)
def test_make_human(spec: str, name: str) -> None:
    human = make_human(spec)
    assert human.name == name
    assert make_human(human) is human


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("robot", "scripted"),
        ("scripted:rude", "terse"),
        ("scripted?guard=shout", "redact"),
        ("scripted?mood=bad", "persona"),
        ("null:x", "scripted"),
    ],
)
def test_an_unknown_human_is_an_error_that_names_the_choices(spec: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=hint):
        make_human(spec)
