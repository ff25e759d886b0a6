"""The policy: token ids are kept, log-probabilities agree, adapters and forks stay apart."""

import pytest
import torch

from colbench_env.baselines import action_logprobs
from colbench_env.baselines.batch import TokenBatch, rows_from_turns, turn_row
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.rollout import Query
from colbench_env.errors import ConfigError
from colbench_env.records import Turn

TOLERANCE = 1e-4  # float32: left padding and batch composition change the order of sums


def queries(number):
    return [
        Query(
            "a_0",
            "",
            [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "x" * (i + 1)},
            ],
            {},
            seed=i,
        )
        for i in range(number)
    ]


def rows_of(actions):
    return [turn_row(a.prompt_ids, a.completion_ids, a.logprobs) for a in actions]


def assert_behaviour_equals_training(policy, actions):
    rows = rows_of(actions)
    logprobs = policy.logprobs(TokenBatch.from_rows(rows, policy.pad_id))
    for row, trained, scored in zip(rows, logprobs, policy.score(rows), strict=True):
        behaviour = torch.tensor(row.logprobs)
        assert (trained[: len(row)] - behaviour).abs().max() < TOLERANCE
        assert (scored - behaviour).abs().max() < TOLERANCE
        assert behaviour[torch.tensor(row.action_mask)].max() < 0


@pytest.mark.parametrize("temperature", [0.7, 1.0])
def test_logprobs_equal_the_behaviour(policy, temperature):
    policy.temperature = temperature
    assert_behaviour_equals_training(policy, policy.act(queries(9)))


def test_logprobs_equal_the_behaviour_of_an_adapter(lora_policy):
    with torch.no_grad():
        for p in lora_policy.parameters():
            p.add_(0.05)
    assert_behaviour_equals_training(lora_policy, lora_policy.act(queries(5)))


def test_logprobs_equal_a_float64_forward_pass(policy):
    actions = policy.act(queries(4))
    got = policy.score(rows_of(actions))
    model = policy.model.double()
    for action, logprobs in zip(actions, got, strict=True):
        ids = torch.tensor([action.prompt_ids + action.completion_ids])
        with torch.no_grad():
            logits = model(ids).logits[0]
        n = len(action.prompt_ids)
        expected = torch.log_softmax(logits[n - 1 : -1], -1).gather(1, ids[0, n:, None])[:, 0]
        assert (logprobs[n:] - expected).abs().max() < TOLERANCE
        assert (logprobs[:n] == 0).all()


def test_chunks_of_logits_change_neither_value_nor_gradient(policy, monkeypatch):
    batch = TokenBatch.from_rows(rows_of(policy.act(queries(4))), policy.pad_id)

    def run():
        policy.model.zero_grad()
        value = policy.logprobs(batch)
        value.sum().backward()
        return value.detach(), [p.grad.clone() for p in policy.parameters()]

    whole, gradients = run()
    monkeypatch.setattr(action_logprobs, "LOGITS", 3 * len(policy.tokenizer))  # 3 tokens at a time
    chunked, again = run()
    assert torch.allclose(whole, chunked, atol=1e-5)
    for a, b in zip(gradients, again, strict=True):
        assert torch.allclose(a, b, atol=1e-4)


def test_the_full_tensor_of_logits_is_never_built(policy, monkeypatch):
    sizes = []
    head = policy.base.get_output_embeddings()
    head.register_forward_hook(lambda module, args, out: sizes.append(out.numel()))
    monkeypatch.setattr(action_logprobs, "LOGITS", 2 * len(policy.tokenizer))
    actions = policy.act(queries(8))
    sizes.clear()
    policy.logprobs(TokenBatch.from_rows(rows_of(actions), policy.pad_id)).sum().backward()
    assert max(sizes) == 2 * len(policy.tokenizer)


def test_a_row_does_not_depend_on_its_batch(policy):
    together = policy.act(queries(8))
    alone = [policy.act([query])[0] for query in queries(8)]
    assert [a.completion_ids for a in together] == [a.completion_ids for a in alone]


def test_equal_prompts_with_their_own_seeds_differ(policy):
    prompt = policy.encode(queries(1)[0].messages)
    done = policy.sample([prompt] * 6, range(6))
    assert len({c.ids for c in done}) > 1
    assert [c.ids for c in policy.sample([prompt] * 6, range(6))] == [c.ids for c in done]


def test_sampling_follows_the_distribution(policy):
    policy.max_new_tokens = 1
    prompt = policy.encode(queries(1)[0].messages)
    done = policy.sample([prompt] * 2000, range(2000))
    with torch.no_grad():
        probability = policy.model(torch.tensor([prompt])).logits[0, -1].softmax(-1)
    best = int(probability.argmax())
    share = sum(c.ids[0] == best for c in done) / 2000
    sigma = (probability[best] * (1 - probability[best]) / 2000).sqrt()
    assert abs(share - probability[best]) < 4 * sigma


def test_temperature_zero_takes_the_likeliest(policy):
    policy.temperature, policy.max_new_tokens = 0, 5
    prompt = policy.encode(queries(1)[0].messages)
    done = policy.sample([prompt], [3])[0]
    ids = list(prompt)
    for token in done.ids:
        with torch.no_grad():
            assert token == int(policy.model(torch.tensor([ids])).logits[0, -1].argmax())
        ids.append(token)


def test_stop_string_ends_the_message_and_is_cut(policy):
    policy.max_new_tokens = 40
    [plain] = policy.act(queries(1))
    stop = plain.text[4:6]
    policy.stop = (stop,)
    [stopped] = policy.act(queries(1))
    assert stopped.text == plain.text[: plain.text.index(stop)]
    n = len(stopped.completion_ids)
    assert stopped.completion_ids == plain.completion_ids[:n]
    assert n < len(plain.completion_ids)


def test_a_prompt_that_is_too_long_gets_an_empty_message(policy):
    query = Query("a_0", "", [{"role": "user", "content": "word " * 200}], {}, seed=0)
    [action] = policy.act([query])
    assert (action.text, action.completion_ids) == ("", ())
    assert rows_from_turns([Turn("a_0", 0, "", "", 0.0, action.prompt_ids, (), ())]) == []


def test_forks_begin_equal_and_stay_apart(policy, lora_policy):
    for first in (policy, lora_policy):
        rows = rows_of(first.act(queries(3)))
        with torch.no_grad():
            for p in first.parameters():
                p.mul_(1.1).add_(0.01)
        second = first.fork("critic")
        before = first.score(rows)
        assert all(torch.equal(a, b) for a, b in zip(before, second.score(rows), strict=True))
        with torch.no_grad():
            for p in second.parameters():
                p.add_(0.05)
        assert all(torch.equal(a, b) for a, b in zip(before, first.score(rows), strict=True))
        assert not torch.equal(before[0], second.score(rows)[0])


def test_the_reference_is_the_initial_model(policy, lora_policy):
    for trained in (policy, lora_policy):
        rows = rows_of(trained.act(queries(3)))
        initial = trained.score(rows)
        reference = trained.reference()
        with torch.no_grad():
            for p in trained.parameters():
                p.add_(0.05)
        assert torch.allclose(reference.score(rows)[0], initial[0], atol=1e-6)
        assert not torch.allclose(trained.score(rows)[0], initial[0], atol=1e-3)


def test_only_the_adapter_gets_gradients(lora_policy):
    critic = lora_policy.fork("critic")
    batch = TokenBatch.from_rows(rows_of(lora_policy.act(queries(2))), 0)
    critic.logprobs(batch).sum().backward()
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in critic.parameters())
    assert all(p.grad is None for p in lora_policy.parameters())
    assert all(p.grad is None for n, p in critic.model.named_parameters() if "lora" not in n)


def test_gradient_checkpointing_changes_no_gradient(policy):
    batch = TokenBatch.from_rows(rows_of(policy.act(queries(3))), policy.pad_id)

    def gradients():
        policy.model.zero_grad()
        policy.logprobs(batch).sum().backward()
        return [p.grad.clone() for p in policy.parameters()]

    plain = gradients()
    policy.enable_gradient_checkpointing()
    for a, b in zip(plain, gradients(), strict=True):
        assert torch.allclose(a, b, atol=1e-5)


def test_weights_go_round(policy, tokenizer, tmp_path):
    from colbench_env.baselines.pretrained import load_policy

    policy.save(tmp_path)
    again = load_policy(tmp_path, device="cpu", max_new_tokens=12)
    rows = rows_of(policy.act(queries(2)))
    assert torch.equal(policy.score(rows)[0], again.score(rows)[0])
    with pytest.raises(ConfigError, match="another model"):
        policy.load_state_dict({"x": torch.zeros(1)})


def test_a_tokenizer_without_template_is_refused(policy, tokenizer):
    import copy

    bare = copy.deepcopy(tokenizer)
    bare.chat_template = None
    with pytest.raises(ConfigError, match="chat template"):
        TransformersPolicy(policy.model, bare)


def test_an_unknown_model_is_named():
    from colbench_env.baselines.pretrained import load_policy

    with pytest.raises(ConfigError, match="no model"):
        load_policy("./no-such-folder", device="cpu")
