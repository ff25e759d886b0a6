"""Turn-level critics: how good was what the assistant said at this turn?

A critic may be told what the assistant cannot see (`training_information()`, c): its rows have that
text in front of the prompt as it was sent. It is used in training and to choose among candidates,
never by an agent that acts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from colbench_env.baselines.advantages import turn_advantages
from colbench_env.baselines.batch import Row, turn_row
from colbench_env.baselines.pairs import Trajectory, TrajectoryBatch
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.rollout import Action, Query

FIDELITIES = {  # how c is put to the critic
    "paper": "The person wants this:\n{c}\n",
    "code": "In light that the final answer is: {c}.",
}


class Conditioning:
    """Turn privileged information into context for the critic.

    Args:
        policy: Whose tokenizer.
        template: With `{c}`; None: the critic sees no more than the assistant.
    """

    def __init__(self, policy: TransformersPolicy, template: str | None) -> None:
        self._tokenizer, self._template = policy.tokenizer, template

    def __call__(self, information: str) -> tuple[int, ...]:
        """Return the token ids to put in front of a row."""
        if self._template is None:
            return ()
        text = self._template.format(c=information)
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])


class LogRatioCritic:
    """A language model whose advantage of a turn is its log-ratio to the reference.

    SWEET-RL, arXiv 2503.15478, section 4.2; see `advantages.turn_advantages`.

    Args:
        policy: What is trained, beginning as the reference.
        length_normalised: Divide a turn's sum by its number of tokens.
        per_trajectory_mean: As the released code does: one mean over all the tokens of a
            trajectory in place of the sum of its turns' means.
    """

    def __init__(
        self,
        policy: TransformersPolicy,
        *,
        length_normalised: bool = True,
        per_trajectory_mean: bool = False,
    ) -> None:
        self.policy = policy
        self._normalised, self._whole = length_normalised, per_trajectory_mean
        self.parameters = policy.parameters
        self.state_dict = policy.state_dict
        self.load_state_dict = policy.load_state_dict

    def totals(self, items: Sequence[Trajectory]) -> Tensor:
        """Return each trajectory's advantage, summed over its turns, with gradient: `[N]`."""
        batch = TrajectoryBatch.stack(items, self.policy)
        logprobs = self.policy.logprobs(batch.tokens)  # [R, T]
        turns = turn_advantages(
            logprobs,
            batch.ref_logprobs,
            batch.turn_ids,
            batch.num_turns,
            length_normalised=self._normalised and not self._whole,
        )
        sums = batch.per_trajectory(turns.sum(dim=1))
        if not self._whole:
            return sums
        tokens = batch.per_trajectory(batch.tokens.action_mask.sum(dim=1))
        return sums / tokens.clamp(min=1)


class RegressionCritic:
    """The ablation: a linear head on a turn's mean hidden state says its advantage.

    Args:
        policy: The language model under the head; both are trained.
        seed: Of the head's initial weights.
    """

    def __init__(self, policy: TransformersPolicy, seed: int = 0) -> None:
        self.policy = policy
        width = policy.base.config.hidden_size
        generator = torch.Generator().manual_seed(seed)
        weight = torch.randn(1, width, generator=generator) / width**0.5
        self.head = nn.Linear(width, 1).to(policy.device)
        with torch.no_grad():
            self.head.weight.copy_(weight)
            self.head.bias.zero_()

    def parameters(self) -> list[nn.Parameter]:
        """Return the weights of model and head."""
        return [*self.policy.parameters(), *self.head.parameters()]

    def state_dict(self) -> dict[str, Tensor]:
        """Return a copy of the weights of model and head."""
        head = {f"head.{k}": v.detach().cpu().clone() for k, v in self.head.named_parameters()}
        return {**self.policy.state_dict(), **head}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Take back what `state_dict` returned."""
        head = {k.removeprefix("head."): v for k, v in state.items() if k.startswith("head.")}
        self.head.load_state_dict(head)
        self.policy.load_state_dict({k: v for k, v in state.items() if not k.startswith("head.")})

    def totals(self, items: Sequence[Trajectory]) -> Tensor:
        """Return each trajectory's advantage, summed over its turns, with gradient: `[N]`."""
        batch = TrajectoryBatch.stack(items, self.policy)
        hidden = self.policy.hidden(batch.tokens).float()  # [R, T, H]
        owned = torch.nn.functional.one_hot(batch.turn_ids + 1, batch.num_turns + 1)[..., 1:]
        owned = owned.to(hidden.dtype)  # [R, T, turns]
        count = owned.sum(dim=1)  # [R, turns]
        mean = torch.einsum("rth,rtk->rkh", hidden, owned) / count.clamp(min=1)[..., None]
        turns = self.head(mean)[..., 0] * (count > 0)  # [R, turns]
        return batch.per_trajectory(turns.sum(dim=1))


Critic = LogRatioCritic | RegressionCritic


def make_critic(
    policy: TransformersPolicy, head: str, *, length_normalised: bool, fidelity: str, seed: int
) -> Critic:
    """Return an untrained critic over a policy of its own.

    Args:
        policy: What is trained.
        head: `"logratio"` or `"regression"`.
        length_normalised: See `LogRatioCritic`.
        fidelity: `"paper"` or `"code"`.
        seed: Of a regression head's initial weights.
    """
    if head == "regression":
        return RegressionCritic(policy, seed)
    whole = fidelity == "code"
    return LogRatioCritic(policy, length_normalised=length_normalised, per_trajectory_mean=whole)


@torch.no_grad()
def rank_messages(
    critic: Critic,
    reference: TransformersPolicy,
    rows: Sequence[Row],
    contexts: Sequence[Sequence[int]],
    *,
    tell_reference: bool = True,
) -> list[float]:
    """Return the critic's advantage of each message.

    Args:
        critic: Trained.
        reference: What the critic's log-ratios are to.
        rows: Each with the prompt as it was sent and one message.
        contexts: For each the critic's context, to stand in front.
        tell_reference: The reference has that context too; the released code leaves it out.
    """
    told = [row.after(context) for row, context in zip(rows, contexts, strict=True)]
    scored = reference.score(told if tell_reference else rows)
    items = [
        Trajectory((row,), (torch.cat([torch.zeros(len(row) - len(ref)), ref]),))
        for row, ref in zip(told, scored, strict=True)
    ]
    order = sorted(range(len(items)), key=lambda i: len(told[i]))
    values = [0.0] * len(items)
    for start in range(0, len(order), reference.batch_size):
        chosen = order[start : start + reference.batch_size]
        totals = critic.totals([items[i] for i in chosen]).tolist()
        for i, value in zip(chosen, totals, strict=True):
            values[i] = value
    return values


class BestOfN:
    """Sample N messages, send the one that the critic likes best.

    It needs what only training knows (c), so it measures a critic; it is no assistant for people.

    Args:
        policy: Samples the candidates, and is the critic's reference.
        critic: Ranks them.
        condition: From c to the critic's context.
        n: Candidates a turn.
    """

    privileged = True

    def __init__(
        self,
        policy: TransformersPolicy,
        critic: Critic,
        condition: Callable[[str], tuple[int, ...]],
        n: int = 16,
    ) -> None:
        self.name = f"best-of-{n}"
        self._policy, self._critic, self._condition, self._n = policy, critic, condition, n

    def act(self, queries: Sequence[Query]) -> list[Action]:
        """Answer each query with the best of N."""
        prompts = [self._policy.encode(q.messages) for q in queries for _ in range(self._n)]
        seeds = [q.seed * 1_000 + k for q in queries for k in range(self._n)]
        done = self._policy.sample(prompts, seeds)
        told = [self._condition(q.training_information or "") for q in queries]
        contexts = [context for context in told for _ in range(self._n)]
        rows = [turn_row(prompt, c.ids) for prompt, c in zip(prompts, done, strict=True)]
        values = rank_messages(self._critic, self._policy, rows, contexts)
        actions = []
        for start in range(0, len(rows), self._n):
            i = max(range(start, start + self._n), key=values.__getitem__)
            text = self._policy.text(done[i].ids)
            actions.append(Action(text, tuple(prompts[i]), done[i].ids, done[i].logprobs))
        return actions
