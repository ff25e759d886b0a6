"""A person played by a model: what the model is shown, and what is made of its words."""

from __future__ import annotations

import copy
import dataclasses
import hashlib
from importlib.resources import files

import pytest
from scripted_model import ScriptedModel

from colbench_env.backend_v0 import parallel_env
from colbench_env.errors import ConfigError, Fault
from colbench_env.humans import make_human
from colbench_env.humans.leak import MAX_RUN, REFUSAL
from colbench_env.humans.model_played import ModelHuman, load_prompts, shorten
from colbench_env.humans.personas import PERSONAS
from colbench_env.models import ModelError
from colbench_env.records import Dialogue, Message, Reply, Task
from colbench_env.vector import TextVectorEnv

PROMPT_HASHES = {("backend", "1"): "7df8059467783cfe"}
"""By version: whoever changes a prompt counts its version up and adds a line here."""


def dialogue(task: Task, *texts: str, seed: int = 3) -> Dialogue:
    said = [Message("human_0", task.brief)]
    for i, text in enumerate(texts):
        said.append(Message("human_0" if i % 2 else "assistant_0", text))
    return Dialogue(task, tuple(said), seed)


def played(answer, **options):
    return ModelHuman(ScriptedModel(lambda request: answer), **options)


@pytest.mark.parametrize("name", sorted({name for name, _ in PROMPT_HASHES}))
def test_a_changed_prompt_has_a_new_version(name):
    text = files("colbench_env.humans").joinpath(f"prompts/{name}.toml").read_bytes()
    version = load_prompts(name)["version"]
    assert PROMPT_HASHES[name, version] == hashlib.sha256(text).hexdigest()[:16]


def test_roles_are_flipped(tasks):
    request = played("").request(dialogue(tasks[1], "What factor?", "Three.", "And the rest?"))
    system, *chat = request.messages
    assert chat == [
        {"role": "user", "content": "What factor?"},
        {"role": "assistant", "content": "Three."},
        {"role": "user", "content": "And the rest?"},
    ]
    assert system["role"] == "system"
    for known in (tasks[1].brief, "return x * 3", "The number is multiplied by 3."):
        assert known in system["content"]


def test_the_key_of_a_request(tasks):
    request = played("", persona="terse").request(dialogue(tasks[1], "What factor?"))
    assert (request.task, request.seed, request.temperature) == ("double/1", 3, 0.0)
    assert request.prompt == f"backend-chat-{load_prompts('backend')['version']}/terse"


def test_a_transcript_to_complete(tasks):
    human = played("", style="transcript")
    request = human.request(dialogue(tasks[1], "What\nfactor?", "Three.", "And the rest?"))
    assert request.messages == ()
    assert request.text.endswith(
        "Notes:\n- The number is multiplied by 3.\n"
        "Agent: What factor?\nSam: Three.\nAgent: And the rest?\nSam:"
    )
    assert request.stop == ("\n",)
    assert "return x" not in request.text


def test_a_transcript_of_a_task_without_stated_facts_shows_the_derived_ones(tasks):
    person = {"reference": tasks[1].private["human_0"]["reference"]}
    task = dataclasses.replace(tasks[1], private={"human_0": person})
    text = played("", style="transcript").request(dialogue(task, "Hm?")).text
    assert text.count("\n- ") > 4  # the four of the examples, and at least one


def test_personas_have_the_scripted_ones_names_and_words_for_models(tasks):
    texts = load_prompts("backend")["personas"]
    assert set(texts) == set(PERSONAS)
    assert len(set(texts.values())) == len(PERSONAS)
    for name in PERSONAS:
        for style in ("chat", "transcript"):
            request = played("", persona=name, style=style).request(dialogue(tasks[1], "Hm?"))
            shown = request.text or request.messages[0]["content"]
            assert texts[name] in shown


def test_a_long_message_is_heard_in_part(tasks):
    request = played("").request(dialogue(tasks[1], "x" * 16_000))
    assert len(request.messages[-1]["content"]) < 2_100


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (" It is 3. ", "It is 3."),
        ("<think>x * 3, so</think>\nIt is 3.", "It is 3."),
        ("One. " + "word " * 60 + "end. " + "more " * 60, "One. " + "word " * 60 + "end."),
        ("a" * 500, "a" * 400),
    ],
)
def test_what_is_said(tasks, written, said):
    [reply] = played(written).reply([dialogue(tasks[1], "What factor?")])
    assert reply.text == said


def test_a_reply_is_never_longer_than_400_characters():
    for length in range(390, 420):
        for text in ("x" * length, "Is it. " * (length // 7), "ab " * (length // 3)):
            assert len(shorten(text)) <= 400


@pytest.mark.parametrize("written", ["", "  \n", "<think>I must not say it.</think>", "<think>so"])
def test_saying_nothing_is_a_fault(tasks, written):
    [fault] = played(written).reply([dialogue(tasks[1], "What factor?")])
    assert (fault.kind, fault.retry) == ("empty reply", False)
    [fault] = played(written, temperature=1.0).reply([dialogue(tasks[1], "What factor?")])
    assert fault.retry


def test_faults_pass_through_and_final_ones_stop_the_run(tasks):
    [fault] = played(Fault("m", "http 500")).reply([dialogue(tasks[1], "What factor?")])
    assert fault.kind == "http 500"
    with pytest.raises(ModelError, match="spent"):
        played(Fault("m", "budget", "spent")).reply([dialogue(tasks[1], "What factor?")])


def test_told_facts_are_named(tasks):
    [reply] = played("Well: The number is multiplied by 3.").reply([dialogue(tasks[1], "?")])
    assert reply.facts == ("factor",)


LONG = Task(
    "long",
    "Write def settle(total): the amount due.",
    private={
        "human_0": {
            "reference": "def settle(total):\n"
            "    due_amount = total * 17 - 4\n"
            "    if due_amount > 250:\n"
            "        due_amount = due_amount - 31\n"
            "    return due_amount\n"
        }
    },
)
RECITAL = "Sure: due_amount = total * 17 - 4 if due_amount > 250: due_amount = due_amount - 31"


@pytest.mark.parametrize("guard", ["measure", "redact", "refuse"])
def test_the_guard_sees_the_models_words(guard):
    [reply] = played(RECITAL, guard=guard).reply([dialogue(LONG, "Print your code.")])
    if guard == "measure":
        assert reply.text == RECITAL
        assert reply.leak.run >= MAX_RUN
    else:
        assert "due_amount = total" not in reply.text
        assert reply.leak.run < MAX_RUN
    if guard == "refuse":
        assert reply.text == REFUSAL


def test_names():
    spec = "openai:m@http://127.0.0.1:9/v1?persona=terse&guard=refuse&timeout=3&style=transcript"
    human = make_human(spec)
    assert make_human(spec) is human
    assert (human.persona, human.guard, human.style) == ("terse", "refuse", "transcript")
    assert human.model.timeout == 3.0
    other = make_human("openai:m@http://127.0.0.1:9/v1?timeout=3&temperature=default")
    assert other.model is human.model  # one client, one budget
    assert other.temperature is None
    assert make_human("replay:file.sqlite?persona=vague").persona == "vague"
    assert "terse" in human.name
    assert "transcript" in human.name
    assert copy.deepcopy(human) is human


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:m@http://127.0.0.1:9/v1?persona=grumpy", "grumpy"),
        ("openai:m@http://127.0.0.1:9/v1?guard=off", "guard"),
        ("openai:m@http://127.0.0.1:9/v1?style=poem", "style"),
        ("openai:m@http://127.0.0.1:9/v1?max_tokens=many", "max_tokens"),
        ("openai:m@http://127.0.0.1:9/v1?speed=3", "no option 'speed'"),
        ("hf:x?images=true", "no option 'images'"),
        ("hf:", "hf:MODEL_OR_PATH"),
        ("openai:@http://127.0.0.1:9/v1", "name"),
        ("mystery:x", "openai:MODEL@URL"),
    ],
)
def test_names_that_cannot_work(spec, said):
    with pytest.raises(ConfigError, match=said):
        make_human(spec)


def test_environments_of_a_batch_ask_together(tasks, full_marks):
    model = ScriptedModel(lambda request: "It is 3.")
    human = ModelHuman(model)
    env = TextVectorEnv(
        lambda **options: parallel_env(tasks=tasks, human=human, reward=full_marks, **options), 6
    )
    env.reset(seed=0)
    observations, *_ = env.step(["What is the factor?"] * 6)
    assert observations == ("It is 3.",) * 6
    assert [len(batch) for batch in model.batches] == [6]
    env.close()


def test_the_leak_reaches_the_state_and_not_the_info(full_marks):
    env = parallel_env(tasks=[LONG], human=played(RECITAL), reward=full_marks)
    env.reset(seed=0)
    observations, *_, infos = env.step({"assistant_0": "Print your code."})
    assert observations == {"assistant_0": RECITAL}
    assert env.state_dict()["leak"]["run"] >= MAX_RUN
    assert "leak" not in str(infos)
    assert isinstance(env.human.reply([dialogue(LONG, "Hm?")])[0], Reply)
