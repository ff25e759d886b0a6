"""Critics: totals by hand, context in front, ranking, best-of-N."""

import math

import pytest
import torch

from colbench_env.baselines.advantages import turn_advantages
from colbench_env.baselines.batch import Row, turn_row
from colbench_env.baselines.critic import (
    FIDELITIES,
    BestOfN,
    Conditioning,
    LogRatioCritic,
    RegressionCritic,
    make_critic,
    rank_messages,
)
from colbench_env.baselines.pairs import (
    Trajectory,
    TrajectoryBatch,
    preference_loss,
    preferences,
    trajectories,
)
from colbench_env.baselines.rollout import Query
from colbench_env.errors import ConfigError
from colbench_env.records import Episode, Score, Turn


def episode(score, index=0, turns=()):
    return Episode("E-v0", "t", 0, tuple(turns), score=Score(score), extra={"index": index})


def turn(step, prompt, completion):
    return Turn(
        "a_0", step, "", "", 0.0, tuple(prompt), tuple(completion), (0.0,) * len(completion)
    )


TWO_ROWS = episode(1.0, turns=[turn(0, [7, 8], [9, 10, 11]), turn(1, [7, 9], [12])])
ONE_ROW = episode(0.0, turns=[turn(0, [7], [13]), turn(1, [7, 13, 8], [14, 15])])


def pairs_of(scores, **kwargs):
    group = [episode(s, i) for i, s in enumerate(scores)]
    return [(a.extra["index"], b.extra["index"]) for a, b in preferences(group, **kwargs)]


def test_first_success_against_everything_worse():
    assert pairs_of([0.5, 1.0, 0.0, 1.0]) == [(1, 0), (1, 2)]
    assert pairs_of([0.5, 0.9]) == []
    assert pairs_of([1.0, 1.0]) == []


def test_any_two_that_differ_by_the_margin():
    assert pairs_of([0.5, 0.55, 0.7], rule="margin") == [(2, 0), (2, 1)]
    with pytest.raises(ConfigError, match="pair rule"):
        pairs_of([0.5], rule="best")


def perturbed(policy):
    critic = policy.fork("critic")
    with torch.no_grad():
        for p in critic.parameters():
            p.add_(0.02 * torch.randn(p.shape, generator=torch.Generator().manual_seed(p.numel())))
    return critic


def test_totals_are_sums_of_turn_means(policy):
    items = trajectories([TWO_ROWS, ONE_ROW], policy)
    assert [len(item.rows) for item in items] == [2, 1]
    model = perturbed(policy)
    expected = []
    for item in items:
        ratios = {}
        for row, ref, new in zip(item.rows, item.ref_logprobs, model.score(item.rows)):
            for t, difference in zip(row.turn_ids, (new - ref).tolist()):
                if t >= 0:
                    ratios.setdefault(t, []).append(difference)
        expected.append(ratios)
    assert [list(map(len, e.values())) for e in expected] == [[3, 1], [1, 2]]
    means = [sum(sum(r) / len(r) for r in e.values()) for e in expected]
    sums = [sum(sum(r) for r in e.values()) for e in expected]
    whole = [s / n for s, n in zip(sums, (4, 3))]
    with torch.no_grad():
        assert LogRatioCritic(model).totals(items).tolist() == pytest.approx(means, abs=1e-4)
        unnormalised = LogRatioCritic(model, length_normalised=False)
        assert unnormalised.totals(items).tolist() == pytest.approx(sums, abs=1e-4)
        per_trajectory = LogRatioCritic(model, per_trajectory_mean=True)
        assert per_trajectory.totals(items).tolist() == pytest.approx(whole, abs=1e-4)


def test_an_untrained_critic_is_indifferent(policy):
    items = trajectories([TWO_ROWS, ONE_ROW], policy)
    with torch.no_grad():
        assert LogRatioCritic(policy.fork("critic")).totals(items).abs().max() < 1e-5


def test_regression_is_linear_in_the_turns_mean_hidden_state(policy):
    critic = RegressionCritic(policy)
    [item] = trajectories([ONE_ROW], policy)
    with torch.no_grad():
        batch = TrajectoryBatch.stack([item], policy)
        hidden = policy.hidden(batch.tokens)[0]
        ids = torch.tensor(item.rows[0].turn_ids)
        by_turn = [critic.head(hidden[ids == t].mean(dim=0)) for t in (0, 1)]
        assert critic.totals([item]).item() == pytest.approx(sum(by_turn).item(), abs=1e-5)
    state = critic.state_dict()
    other = RegressionCritic(policy.fork("x"), seed=1)
    other.load_state_dict(state)
    assert all(torch.equal(v, state[k]) for k, v in other.state_dict().items())
    assert len(critic.parameters()) == len(policy.parameters()) + 2


def test_preference_loss_by_hand(policy):
    better, worse = trajectories([TWO_ROWS, ONE_ROW], policy)
    start, metrics = preference_loss(policy, [(better, worse)], beta=0.5)
    assert start.item() == pytest.approx(math.log(2), abs=1e-4)
    assert metrics["better_gain"] == pytest.approx(0, abs=1e-3)
    model = perturbed(policy)
    gains = [
        sum(float((n - r).sum()) for n, r in zip(model.score(t.rows), t.ref_logprobs))
        for t in (better, worse)
    ]
    logprobs = [float(n.sum()) for n in model.score(better.rows)]
    loss, metrics = preference_loss(model, [(better, worse)], beta=0.5, nll=2.0)
    dpo = math.log1p(math.exp(-0.5 * (gains[0] - gains[1])))
    assert metrics["dpo"] == pytest.approx(dpo, rel=1e-3)
    assert loss.item() == pytest.approx(dpo - 2.0 * sum(logprobs) / 4, rel=1e-3)


def test_context_goes_in_front_and_only_where_asked(policy):
    told = Conditioning(policy, FIDELITIES["code"])("return 7")
    assert policy.tokenizer.decode(told) == "In light that the final answer is: return 7."
    assert Conditioning(policy, None)("return 7") == ()


def test_ranking_is_the_critics_advantage(policy):
    model = perturbed(policy)
    rows = [turn_row([7, 8], [9, 10]), turn_row([7, 8], [11]), turn_row([7], [9, 10, 12])]
    contexts = [(20, 21), (20, 21), (22,)]
    told = [row.after(c) for row, c in zip(rows, contexts)]
    ref, plain, new = policy.score(told), policy.score(rows), model.score(told)
    mean = [float((n - r).sum()) / sum(row.action_mask) for n, r, row in zip(new, ref, rows)]
    critic = make_critic(model, "logratio", length_normalised=True, fidelity="paper", seed=0)
    assert rank_messages(critic, policy, rows, contexts) == pytest.approx(mean, abs=1e-4)
    untold = [
        (float(n.sum()) - float(p.sum())) / sum(r.action_mask) for n, p, r in zip(new, plain, rows)
    ]
    got = rank_messages(critic, policy, rows, contexts, tell_reference=False)
    assert got == pytest.approx(untold, abs=1e-4)


def test_best_of_n_sends_what_the_critic_likes(policy):
    class Longest:
        def totals(self, items):
            return torch.tensor([float(sum(i.rows[0].action_mask)) for i in items])

    chat = [{"role": "user", "content": "hello"}]
    query = Query("a_0", "", chat, {}, seed=3, training_information="c")
    best = BestOfN(policy, Longest(), Conditioning(policy, "{c}"), n=8)
    [action] = best.act([query])
    prompt = policy.encode(chat)
    lengths = [len(c.ids) for c in policy.sample([prompt] * 8, range(3_000, 3_008))]
    assert len(action.completion_ids) == max(lengths)
    assert action.prompt_ids == tuple(prompt)
    assert best.privileged


def test_rows_of_a_trajectory_share_their_owner(policy):
    batch = TrajectoryBatch.stack(trajectories([ONE_ROW, TWO_ROWS], policy), policy)
    assert batch.owner.tolist() == [0, 1, 1]
    assert batch.num_turns == 2
    ones = torch.ones(3)
    assert batch.per_trajectory(ones).tolist() == [1.0, 2.0]
    turns = turn_advantages(
        torch.ones_like(batch.ref_logprobs), torch.zeros_like(batch.ref_logprobs), batch.turn_ids, 2
    )
    assert turns.tolist() == [[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]


def test_prefixes_are_context_of_every_row(policy):
    [item] = trajectories([TWO_ROWS], policy, [(30, 31)])
    assert [row.input_ids[:2] for row in item.rows] == [(30, 31), (30, 31)]
    assert item.rows[0].turn_ids[:4] == (-1, -1, -1, -1)
    assert isinstance(item, Trajectory)
    assert isinstance(item.rows[0], Row)
