"""Your own algorithm on this project's leaves: leave-one-out policy gradient in one loop.

python examples/own_trainer.py
"""

import torch

from colbench_env.baselines.advantages import leave_one_out
from colbench_env.baselines.batch import TokenBatch
from colbench_env.baselines.collection import grouped, learner_rows, score_of
from colbench_env.baselines.losses import clipped_policy_loss
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import collect, group_plans
from colbench_env.envs.backend import BackendEnv

GROUP = 4  # episodes a task


def make() -> BackendEnv:
    return BackendEnv(tasks="procedural?difficulty=1", split="train")


def main(updates: int = 3, tasks: int = 4) -> None:
    policy = load_policy("tiny", device="cpu", max_new_tokens=96)
    optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-4)
    source = make().tasks
    for update in range(updates):
        ids = [source[update * tasks + i].id for i in range(tasks)]
        plans = group_plans(ids, GROUP, seed=1_000 * update)
        episodes = sorted(collect(make, policy, plans), key=lambda e: e.extra["index"])

        rows, advantages = [], []
        for group in grouped(episodes, GROUP):
            returns = torch.tensor([score_of(episode) for episode in group])
            for episode, advantage in zip(group, leave_one_out(returns).tolist(), strict=True):
                rows += learner_rows(episode)
                advantages += [advantage] * (len(rows) - len(advantages))

        batch = TokenBatch.from_rows(rows, policy.pad_id)
        logprobs = policy.logprobs(batch)  # [B, T]
        per_token = torch.tensor(advantages)[:, None].expand_as(logprobs)
        loss = clipped_policy_loss(logprobs, logprobs.detach(), per_token, batch.action_mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = sum(map(score_of, episodes)) / len(episodes)
        print(f"update {update}: {len(rows)} rows, mean score {mean:.2f}")


if __name__ == "__main__":
    main()
