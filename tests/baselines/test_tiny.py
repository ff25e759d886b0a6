"""The tiny model: its dialogues, its checkpoint, and the demonstration built on it."""

import dataclasses
import re
from random import Random

import pytest
import torch

from colbench_env.baselines import demo, pretrain_tiny
from colbench_env.baselines.evaluate import Interval
from colbench_env.baselines.pretrained import TINY, load_policy
from colbench_env.baselines.tiny_dialogues import (
    MARKER,
    SENSELESS,
    SENSIBLE,
    Habits,
    dialogues,
    play,
)
from colbench_env.records import Episode, Message, Score, Submission
from colbench_env.rewards.unit_tests import UnitTests
from colbench_env.tasks.procedural import ProceduralTasks, recognise

TASKS = ProceduralTasks(2, "train")


def test_a_sensible_assistant_hands_in_what_passes():
    tasks = [TASKS[i] for i in range(12)]
    answers = [play(task, Random(i), SENSIBLE)[-1]["content"] for i, task in enumerate(tasks)]
    code = [answer.removeprefix(MARKER) for answer in answers]
    scores = UnitTests().score([Submission(t, c) for t, c in zip(tasks, code, strict=True)])
    assert [s.value for s in scores] == [1.0] * 12


@pytest.mark.parametrize(
    ("habits", "questions"),
    [(Habits(early=1.0, senseless=0.0), 0), (Habits(0.0, 0.0, mistaken=1.0), 2)],
)
def test_early_and_mistaken_assistants_hand_in_a_guess(habits, questions):
    task = TASKS[0]
    chat = play(task, Random(0), habits)
    assert chat[-1]["content"] == f"{MARKER}\n{recognise(task.brief).code({})}"
    assert len(chat) == 2 + 2 * questions


def test_senseless_questions_get_no_fact_and_end_at_the_last_turn():
    for i in range(20):
        chat = play(TASKS[i], Random(i), Habits(senseless=1.0), max_turns=4)
        assert [m["role"] for m in chat] == ["user", "assistant"] * 4
        assert all(m["content"] in SENSELESS for m in chat[1:-1:2])
        for reply in (m["content"] for m in chat[2::2]):
            solver = recognise(TASKS[i].brief)
            assert all(solver.read(question, reply) is None for question in solver.questions)


def test_dialogues_follow_from_the_seed():
    def some(seed):
        return list(dialogues(6, seed, difficulties=(1, 2), habits=Habits()))

    assert some(1) == some(1) != some(2)


def test_values_are_spelled_alike_in_speech_and_code():
    chats = list(dialogues(200, 0, difficulties=(1, 2), habits=Habits()))
    tokenizer = pretrain_tiny.train_tokenizer(chats, 700)
    said = tokenizer('It is 47, and the word "maple" goes in.')["input_ids"]
    code = tokenizer('if x == 47: return "maple"')["input_ids"]
    pieces = [tokenizer.convert_ids_to_tokens(ids) for ids in (said, code)]
    for wanted in (["4", "7"], ['"', *tokenizer.tokenize("maple"), '"']):
        for found in pieces:
            assert any(found[i : i + len(wanted)] == wanted for i in range(len(found)))
    text = 'def f(x):\n    return "é" + x'
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


def test_only_the_assistants_words_are_trained_on():
    chats = list(dialogues(50, 0, difficulties=(1,), habits=Habits()))
    tokenizer = pretrain_tiny.train_tokenizer(chats, 500)
    ids, mask = pretrain_tiny.encode(chats[0], tokenizer)
    spoken = tokenizer.decode([i for i, own in zip(ids, mask, strict=True) if own])
    said = [m["content"] for m in chats[0] if m["role"] == "assistant"]
    assert spoken == "<|end|>".join(said) + "<|end|>"
    assert ids[: ids.index(tokenizer.convert_tokens_to_ids("<|assistant|>")) + 1] == (
        tokenizer.apply_chat_template(chats[0][:1], add_generation_prompt=True, return_dict=False)
    )


def test_the_checkpoint_is_rebuilt_by_one_command(tmp_path):
    args = pretrain_tiny.Args(sensible=40, mixed=40, vocabulary=400, hidden=16, layers=1, heads=2)
    for name in ("a", "b"):
        pretrain_tiny.main(dataclasses.replace(args, out=tmp_path / name))
    a, b = (load_policy(tmp_path / name, device="cpu") for name in ("a", "b"))
    for x, y in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.equal(x, y)


needs_tiny = pytest.mark.skipif(not TINY.exists(), reason="the tiny checkpoint is not here")


@needs_tiny
def test_the_checkpoint_is_small_and_half_precision():
    from safetensors import safe_open

    assert sum(f.stat().st_size for f in TINY.iterdir()) <= 4 * 2**20
    with safe_open(TINY / "model.safetensors", "pt") as file:
        names = list(file.keys())
        assert {file.get_slice(name).get_dtype() for name in names} == {"F16"}


@needs_tiny
def test_the_tiny_model_copies_what_it_was_told():
    policy = load_policy("tiny", device="cpu", max_new_tokens=96, temperature=0)
    tasks = ProceduralTasks(2, "test")
    chats = [play(tasks[i], Random(i), SENSIBLE) for i in range(60)]
    done = policy.sample([policy.encode(chat[:-1]) for chat in chats], range(60))
    right = sum(policy.text(d.ids) == chat[-1]["content"] for d, chat in zip(done, chats))
    assert right >= 54


@needs_tiny
def test_the_demonstration_makes_one_self_contained_page(tmp_path):
    report = demo.main(
        demo.Args(out=tmp_path, rounds=1, num_tasks=8, eval_tasks=12, threads=1, dialogues=2)
    )
    page = report.page.read_text()
    assert report.page == tmp_path / "index.html"
    assert str(report.after.success) in page
    assert "<svg" in page
    assert not re.search(r"""(src|href)\s*=|url\(|@import""", page)
    assert page.count('class="pair"') == len(report.dialogues) <= 2
    assert [row.success.mean for _, row in report.scripted] == [0.0, 1.0]


def test_the_curve_shows_every_round_inside_the_picture():
    curve = [Interval(0.2, 0.1, 0.3), Interval(1.0, 0.9, 1.0), Interval(0.0, 0.0, 0.1)]
    picture = demo.learning_curve(curve, 640, 300)
    points = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', picture)
    assert len(points) == 3
    heights = [float(y) for _, y in points]
    assert heights[1] < heights[0] < heights[2]
    assert all(0 <= float(x) <= 640 and 0 <= float(y) <= 300 for x, y in points)


def test_what_was_said_is_escaped_in_the_page(tmp_path):
    talk = (Message("human_0", "<script>alert(1)</script>"),)
    episode = Episode("E-v0", "t", 0, (), talk, Score(0.5), extra={"index": 0})
    row = demo.summarise("x", [episode])
    report = demo.Report(row, row, [row.success] * 2, [], [(episode, episode)], 1.0, tmp_path)
    page = demo.render(report)
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_dialogues_shown_are_mended_ones_and_one_failure():
    def episodes(*scores):
        return [
            Episode("E-v0", f"t{i}", 0, (), (), Score(s), labels={"family": i})
            for i, s in enumerate(scores)
        ]

    pairs = demo.choose_dialogues(episodes(0, 0, 1, 0.5), episodes(1, 1, 1, 0.5), 3)
    assert [a.task_id for a, _ in pairs] == ["t0", "t1", "t3"]
