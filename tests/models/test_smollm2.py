"""SmolLM2-135M-Instruct on both sides of the conversation, in this process and behind a server."""

from __future__ import annotations

import dataclasses

import pytest

from colbench_env.backend_v0 import parallel_env
from colbench_env.baselines.evaluate import summarise
from colbench_env.baselines.model_policy import ModelPolicy
from colbench_env.baselines.rollout import Plan, collect
from colbench_env.cli import main
from colbench_env.episodes import EpisodeWriter, read_episodes
from colbench_env.errors import MissingDependencyError
from colbench_env.humans.model_played import ModelHuman
from colbench_env.models import Request, smollm2
from colbench_env.models.gguf import converted
from colbench_env.models.replay import ReplayModel
from colbench_env.models.server import ServerModel

pytestmark = pytest.mark.model
torch = pytest.importorskip("torch")

QUESTIONS = (
    "Say hello.",
    "What is the capital of France?",
    "Name a colour.",
    "Count from one to five, please, and then say which of these numbers you like best.",
    "Is water wet?",
    "Who wrote Hamlet?",
    "Name a fruit that is red, and another one that is yellow, and tell me how they taste.",
    "What is two plus two?",
)


def ask(question: str, **options) -> Request:
    return Request(({"role": "user", "content": question},), **{"max_tokens": 6, **options})


def margin(smol, completion) -> float:
    """How far apart the two best tokens lie, at the closest step of a greedy completion."""
    ids = torch.tensor([completion.prompt_ids + completion.completion_ids])
    with torch.inference_mode():
        logits = smol._causal(ids).logits[0, len(completion.prompt_ids) - 1 : -1]
    best = logits.topk(2, dim=-1).values
    return float((best[:, 0] - best[:, 1]).min())


def test_logits_and_texts_of_a_batch_of_eight_equal_those_of_one(smol):
    requests = [ask(question) for question in QUESTIONS]
    together = smol.next_logits(requests)
    alone = torch.cat([smol.next_logits([request]) for request in requests])
    assert together.dtype == torch.float32
    assert float((together - alone).abs().max()) < 1e-4
    batch = smol.generate(requests)
    clear = 0
    for request, completion in zip(requests, batch, strict=True):
        [single] = smol.generate([request])
        if margin(smol, single) > 1e-3:
            clear += 1
            assert completion.text == single.text
    assert clear >= 6


def test_samples_of_a_batch_equal_those_of_one(smol):
    requests = [ask(q, temperature=1.0, seed=i) for i, q in enumerate(QUESTIONS[:4])]
    batch = smol.generate(requests)
    assert [smol.generate([request])[0].text for request in requests] == [c.text for c in batch]


def test_three_episodes_with_smollm2_on_both_sides(smol, tasks, full_marks, tmp_path):
    """Played, recorded, and played again from the recordings without a model."""

    def play(human_model, policy_model):
        human = ModelHuman(human_model, style="transcript", max_tokens=16)
        policy = ModelPolicy(policy_model, max_tokens=16)

        def make():
            return parallel_env(tasks=tasks, human=human, reward=full_marks, max_turns=3)

        plans = [Plan(i, i, tasks[i].id) for i in range(3)]
        return list(collect(make, policy, plans, num_envs=3))

    human, policy = tmp_path / "human.sqlite", tmp_path / "policy.sqlite"
    episodes = play(ReplayModel(human, smol), ReplayModel(policy, smol))
    row = summarise("smol", episodes)
    assert (row.episodes, row.faults) == (3, 0)
    for episode in episodes:
        assert episode.terminated
        for turn in episode.turns:
            assert len(turn.completion_ids) == len(turn.logprobs) <= 16
            assert turn.extra["completion_tokens"] == len(turn.completion_ids)
    with EpisodeWriter(tmp_path / "episodes.jsonl", {"policy": "smol"}) as writer:
        for episode in episodes:
            writer.append(episode)
    again = play(ReplayModel(human), ReplayModel(policy))
    assert [e.to_dict() for e in again] == [e.to_dict() for e in read_episodes(writer.path)]


@pytest.fixture(scope="module")
def real_server():
    """llama.cpp's own OpenAI-style server, in this process."""
    xllamacpp = pytest.importorskip("xllamacpp")
    try:
        weights = smollm2.smollm2_gguf()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(weights)
    parameters.n_ctx, parameters.n_parallel = 4096, 2
    parameters.cpuparams.n_threads, parameters.warmup = 1, False
    server = xllamacpp.Server(parameters)
    model = ServerModel("smol", f"{server.listening_address}/v1", concurrency=2)
    yield model
    model.close()
    del server


def test_a_real_server_answers_chats_and_texts(real_server):
    chat, text = real_server.generate(
        [ask("Say hello."), Request(text="One, two, three,", max_tokens=6)]
    )
    assert chat.text.strip()
    assert "four" in text.text
    assert text.finish == "length"
    assert text.usage.completion_tokens == 6
    assert chat.usage.prompt_tokens > 20


def test_a_real_server_takes_the_seed(real_server):
    first, same, other = (
        real_server.generate([ask("Tell me a story.", temperature=1.0, seed=seed)])[0].text
        for seed in (1, 1, 2)
    )
    assert first == same != other


def test_an_episode_against_a_real_server(real_server, tasks, full_marks):
    human = ModelHuman(real_server, style="transcript", max_tokens=16)
    env = parallel_env(tasks=tasks, human=human, reward=full_marks)
    env.reset(seed=0, options={"task": "double/1"})
    observations, *_, infos = env.step({"assistant_0": "By what is the number multiplied?"})
    assert "3" in observations["assistant_0"]
    assert "fault" not in infos["assistant_0"]
    refused = dataclasses.replace(ask("word " * 5_000), max_tokens=4)
    [fault] = real_server.generate([refused])
    assert (fault.kind, fault.retry) == ("http 400", False)


def test_a_converted_file_is_found_again_by_its_content(smol, tmp_path, monkeypatch):
    """The copy is named by the file's hash: another place, same content, no second conversion."""
    smol.generate([])
    link = tmp_path / smollm2.GGUF
    link.symlink_to(smollm2.smollm2_gguf())
    monkeypatch.setattr("colbench_env.models.gguf._convert", None)
    assert converted(link) == smollm2.smollm2_directory()


def test_the_command_plays_three_episodes_with_smollm2_on_both_sides(smol, tmp_path, capsys):
    out = tmp_path / "episodes.jsonl"
    models = ["--policy", "hf:smol?max_tokens=12", "--human", "hf:smol?max_tokens=12"]
    short = ["--tasks", "procedural", "--max-turns", "2", "-n", "3", "--out", str(out)]
    assert main(["rollout", "Backend-v0", *models, *short]) == 0
    episodes = list(read_episodes(out))
    assert sorted(e.extra["index"] for e in episodes) == [0, 1, 2]
    assert all(e.terminated and e.score is not None for e in episodes)
    assert all(turn.completion_ids for e in episodes for turn in e.turns)
    printed = capsys.readouterr().out
    assert "95 % intervals" in printed
    assert "tokens read" in printed
