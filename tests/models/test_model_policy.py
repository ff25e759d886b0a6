"""The assistant played by a model."""

from __future__ import annotations

import copy

import pytest
from scripted_model import ScriptedModel

from colbench_env.backend_v0 import parallel_env
from colbench_env.baselines.evaluate import summarise
from colbench_env.baselines.model_policy import ATTEMPTS, ModelPolicy
from colbench_env.baselines.rollout import Action, Plan, Query, collect
from colbench_env.baselines.scripted import hand_in, make_policy
from colbench_env.errors import ConfigError, Fault
from colbench_env.models import ModelError, make_model, usage_by_model

CHAT = (
    {"role": "system", "content": "You are a programmer."},
    {"role": "user", "content": "Scale a number."},
)


def query(seed=5) -> Query:
    return Query("assistant_0", "Scale a number.", CHAT, {"acts": True}, seed)


def test_the_environments_chat_is_what_the_model_reads():
    model = ScriptedModel(lambda request: "<think>hm</think>What factor?")
    [action] = ModelPolicy(model).act([query()])
    assert isinstance(action, Action)
    assert action.text == "What factor?"
    [[request]] = model.batches
    assert request.messages == CHAT
    assert (request.seed, request.temperature, request.max_tokens) == (5, 1.0, 1024)
    assert request.prompt


def test_faults_are_tried_again_and_then_passed_on():
    failures = {1: 1, 2: ATTEMPTS, 3: 9}

    def answer(request):
        failures[request.seed] = failures.get(request.seed, 0) - 1
        return Fault("m", "http 500") if failures[request.seed] >= 0 else "Fine."

    model = ScriptedModel(answer)
    actions = ModelPolicy(model).act([query(seed) for seed in range(4)])
    assert [type(a) for a in actions] == [Action, Action, Fault, Fault]
    assert [[r.seed for r in batch] for batch in model.batches] == [[0, 1, 2, 3], [1, 2, 3], [2, 3]]


@pytest.mark.parametrize("kind", ["budget", "http 401"])
def test_what_cannot_go_on_stops_the_run(kind):
    policy = ModelPolicy(ScriptedModel(lambda request: Fault("m", kind, retry=False)))
    with pytest.raises(ModelError, match=kind):
        policy.act([query()])


def test_a_policys_fault_ends_its_episode_and_is_nobodys_score(tasks, full_marks):
    def answer(request):
        said = sum(m["role"] == "assistant" for m in request.messages)
        if said and request.seed // 1000 == 1:
            return Fault("m", "http 503")
        return hand_in("def scale(x): return x") if said else "What is the factor?"

    def make():
        return parallel_env(tasks=tasks, human="scripted", reward=full_marks)

    plans = [Plan(i, i, tasks[i].id) for i in range(4)]
    for overlap in (False, True):
        policy = ModelPolicy(ScriptedModel(answer))
        found = collect(make, policy, copy.deepcopy(plans), num_envs=2, overlap=overlap)
        episodes = sorted(found, key=lambda e: e.extra["index"])
        assert [e.score is None for e in episodes] == [False, True, False, False]
        failed = episodes[1]
        assert failed.truncated
        assert not failed.terminated
        assert "http 503" in failed.fault
        assert failed.return_ == {"assistant_0": 0.0}
        assert len(failed.turns) == 1  # the turn that the model did take
        row = summarise("m", episodes)
        assert (row.episodes, row.faults, row.passed.mean) == (3, 1, 1.0)


def test_names():
    policy = make_policy("openai:m@http://127.0.0.1:9/v1?temperature=0&max_tokens=64&timeout=5")
    assert isinstance(policy, ModelPolicy)
    assert (policy.temperature, policy.max_tokens, policy.model.timeout) == (0.0, 64, 5.0)
    assert make_policy("hf:smol").model is make_model("hf:smol")
    assert not policy.privileged
    assert "sk-" not in policy.name
    with pytest.raises(ConfigError, match="persona"):
        make_policy("openai:m@http://127.0.0.1:9/v1?persona=terse")
    with pytest.raises(ConfigError, match="openai:"):
        make_policy("mystery")


def test_usage_is_listed_by_model(server):
    model = make_model(f"openai:counted@{server.url}?price_in=1&price_out=2")
    model.generate([ModelPolicy(model)._request(query())])
    usage = usage_by_model()[model.name]
    assert (usage.requests, usage.tokens) == (1, 15)
    assert usage.cost == pytest.approx((10 + 2 * 5) / 1e6)
    model.close()
