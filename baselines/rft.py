"""Rejection-sampling fine-tuning: play, keep what succeeded, imitate it.

Paper: the RFT baseline of SWEET-RL (arXiv 2503.15478, section 5), after RAFT (arXiv 2304.06767).

Filter: an episode is kept when its score reaches `threshold` (1.0: every hidden test passed), at
most `keep` episodes of a task, the shortest dialogues first. Groups of zero variance are no special
case: a task that never succeeds gives nothing, one that always succeeds gives `keep` episodes. A
fault drops its whole group.

Departures from the paper: tasks and models are yours to choose; the cap `keep` (the paper names
none), so that easy tasks do not crowd out the others; `--rounds` above 1 plays and imitates again
from the trained policy (the paper does one round).

    colbench train rft --preset tiny
    python -m colbench_env.baselines.rft --preset tiny
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from colbench_env.baselines.batch import Row, TokenBatch
from colbench_env.baselines.checkpoint import Checkpoint
from colbench_env.baselines.collection import (
    Arena,
    Evaluation,
    collection_metrics,
    grouped,
    learner_rows,
    score_of,
)
from colbench_env.baselines.logger import Logger
from colbench_env.baselines.losses import nll_loss
from colbench_env.baselines.optimise import Schedule, fit
from colbench_env.baselines.parallel import rank
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import group_plans
from colbench_env.baselines.trainers import run
from colbench_env.records import Episode


@dataclass
class Args:
    """Arguments of rejection-sampling fine-tuning.

    Attributes:
        env: Environment.
        tasks: Task source; its train split is trained on, its test split evaluated on.
        human: The simulated person.
        model: `tiny`, `smol`, a hub id, or a folder.
        lora_rank: Rank of the adapter to train; 0: all weights.
        device: `auto`, `cpu`, `cuda`.
        seed: Of everything.
        out: Folder of the run; a run that stopped there is continued.
        rounds: How often to play and imitate.
        num_tasks: Tasks played a round.
        group_size: Episodes a task.
        num_envs: Environments that live at once.
        max_new_tokens: Longest message.
        threshold: Least score of an episode to imitate.
        keep: Most episodes of a task to imitate.
        lr: Learning rate.
        epochs: Passes over the kept episodes.
        batch_size: Rows an update.
        micro_batch: Rows a forward pass.
        eval_tasks: Tasks of the evaluation; 0: none.
        alarms: Limits that stop the run, such as `entropy<0.01,kl>10,leak>0.3`.
    """

    env: str = "ColBench/Backend-v0"
    tasks: str = "procedural?difficulty=2"
    human: str = "scripted"
    model: str = "tiny"
    lora_rank: int = 0
    device: str = "auto"
    seed: int = 0
    out: Path = Path("runs/rft")
    rounds: int = 1
    num_tasks: int = 300
    group_size: int = 4
    num_envs: int = 64
    max_new_tokens: int = 96
    threshold: float = 1.0
    keep: int = 2
    lr: float = 3e-4
    epochs: int = 2
    batch_size: int = 32
    micro_batch: int = 32
    eval_tasks: int = 200
    alarms: str = "leak>0.5"


PRESETS = {
    "tiny": Args(),
    "smol": Args(
        model="smol", lora_rank=16, tasks="procedural?difficulty=1", num_tasks=8, lr=1e-4,
        group_size=4, num_envs=8, batch_size=8, micro_batch=4, eval_tasks=8, max_new_tokens=128,
    ),
    "paper": Args(
        tasks="hub:facebook/collaborative_agent_bench", human="openai:meta-llama/Llama-3.1-70B-Instruct@http://127.0.0.1:8000/v1",
        model="meta-llama/Llama-3.1-8B-Instruct", num_tasks=5_000, group_size=3, lr=2e-7,
        epochs=4, batch_size=32, micro_batch=1, max_new_tokens=1_024, eval_tasks=1_000,
    ),
}  # fmt: skip


def main(args: Args) -> float:
    """Train; returns the last evaluation's success rate (0 without one)."""
    checkpoint = Checkpoint(args.out, args)
    logger = Logger(args.out, alarms=args.alarms, active=rank() == 0)
    policy = load_policy(
        args.model, lora_rank=args.lora_rank, device=args.device, seed=args.seed,
        max_new_tokens=args.max_new_tokens,
    )  # fmt: skip
    train = Arena(args.env, tasks=args.tasks, human=args.human, split="train")
    test = Arena(args.env, tasks=args.tasks, human=args.human, split="test")
    evaluate = Evaluation(
        test, policy, logger, tasks=args.eval_tasks, seed=args.seed, folder=args.out
    )

    evaluate(0)
    for round_ in range(args.rounds):
        # 1. play
        tasks = train.task_ids(args.num_tasks, start=round_ * args.num_tasks)
        plans = group_plans(tasks, args.group_size, seed=1_000_000 * (round_ + 1) + args.seed)
        file = args.out / f"episodes-{round_}.jsonl"
        episodes = train.play(policy, plans, file, num_envs=args.num_envs)
        groups = grouped(episodes, args.group_size)

        # 2. keep what succeeded
        kept = [e for group in groups for e in select(group, args.threshold, args.keep)]
        metrics = collection_metrics(episodes, args.group_size)
        logger.log("collect", round_ + 1, {**metrics, "kept": len(kept)})
        rows = [row for episode in kept for row in learner_rows(episode)]

        # 3. imitate it
        def loss(batch: list[Row]) -> tuple[torch.Tensor, dict[str, float]]:
            tokens = TokenBatch.from_rows(batch, policy.pad_id).to(policy.device)
            value = nll_loss(policy.logprobs(tokens), tokens.action_mask)
            return value, {"tokens": float(tokens.action_mask.sum())}

        fit(
            policy, rows, loss,
            Schedule(args.lr, args.epochs, args.batch_size, args.micro_batch),
            stage=f"imitate-{round_}", seed=args.seed, logger=logger, checkpoint=checkpoint,
            after_step=evaluate.during(round_),
        )  # fmt: skip
    if rank() == 0:
        policy.save(args.out / "policy")
    logger.close()
    return evaluate.success


def select(group: Sequence[Episode], threshold: float, keep: int) -> list[Episode]:
    """Return the episodes of a task to imitate: at most `keep` that reach the threshold."""
    good = [e for e in group if score_of(e) >= threshold]
    return sorted(good, key=lambda e: len(e.turns))[:keep]


if __name__ == "__main__":
    run(PRESETS, main)
