"""Multi-turn direct preference optimisation: whole dialogues, the better against the worse.

Paper: the Multi-Turn DPO baseline of SWEET-RL (arXiv 2503.15478, section 5): DPO (arXiv 2305.18290)
on the log-probabilities of all the assistant's tokens of a dialogue, plus a small NLL term on the
better one (arXiv 2404.19733).

Pairs: `--pairs success` takes the first episode of a task that passed everything against each that
did not; `--pairs margin` any two whose scores differ by 0.1. A group of equal scores (zero
variance) holds no preference and gives no pair; a fault drops its whole group.

Departures from the paper: tasks and models are yours to choose; `--rounds` above 1 plays and
trains again, the reference being the policy at the start of the round (the paper does one round).

    colbench train multiturn_dpo --preset tiny
    python -m colbench_env.baselines.multiturn_dpo --preset tiny
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from colbench_env.baselines.checkpoint import Checkpoint
from colbench_env.baselines.collection import Arena, Evaluation, collection_metrics, grouped
from colbench_env.baselines.logger import Logger
from colbench_env.baselines.optimise import Schedule, fit
from colbench_env.baselines.pairs import preference_loss, preferences, trajectories
from colbench_env.baselines.parallel import rank
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import group_plans
from colbench_env.baselines.trainers import run


@dataclass
class Args:
    """Arguments of multi-turn DPO.

    Attributes:
        env: Environment.
        tasks: Task source; its train split is trained on, its test split evaluated on.
        human: The simulated person.
        model: `tiny`, `smol`, a hub id, or a folder.
        lora_rank: Rank of the adapter to train; 0: all weights.
        device: `auto`, `cpu`, `cuda`.
        seed: Of everything.
        out: Folder of the run; a run that stopped there is continued.
        rounds: How often to play and train.
        num_tasks: Tasks played a round.
        group_size: Episodes a task.
        num_envs: Environments that live at once.
        max_new_tokens: Longest message.
        pairs: Rule of the pairs: `success` or `margin`.
        beta: Strength of the pull towards the reference.
        nll: Weight of the likelihood of the better dialogue.
        lr: Learning rate.
        epochs: Passes over the pairs.
        batch_size: Pairs an update.
        micro_batch: Pairs a forward pass.
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
    out: Path = Path("runs/multiturn_dpo")
    rounds: int = 1
    num_tasks: int = 300
    group_size: int = 4
    num_envs: int = 64
    max_new_tokens: int = 96
    pairs: Literal["success", "margin"] = "success"
    beta: float = 0.1
    nll: float = 0.01
    lr: float = 1e-4
    epochs: int = 2
    batch_size: int = 16
    micro_batch: int = 16
    eval_tasks: int = 200
    alarms: str = "leak>0.5"


PRESETS = {
    "tiny": Args(),
    "smol": Args(
        model="smol", lora_rank=16, tasks="procedural?difficulty=1", num_tasks=8, lr=1e-4,
        pairs="margin", num_envs=8, batch_size=4, micro_batch=2, eval_tasks=8, max_new_tokens=128,
    ),
    "paper": Args(
        tasks="hub:facebook/collaborative_agent_bench", human="openai:meta-llama/Llama-3.1-70B-Instruct@http://127.0.0.1:8000/v1",
        model="meta-llama/Llama-3.1-8B-Instruct", num_tasks=5_000, group_size=3, lr=2e-7,
        epochs=4, batch_size=8, micro_batch=1, max_new_tokens=1_024, eval_tasks=1_000,
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

        # 2. pair better with worse dialogues; the reference scores them before its weights move
        groups = grouped(episodes, args.group_size)
        chosen = [pair for group in groups for pair in preferences(group, args.pairs)]
        metrics = collection_metrics(episodes, args.group_size)
        logger.log("collect", round_ + 1, {**metrics, "pairs": len(chosen)})
        better = trajectories([a for a, _ in chosen], policy)
        worse = trajectories([b for _, b in chosen], policy)

        # 3. prefer the better
        fit(
            policy, list(zip(better, worse, strict=True)),
            lambda batch: preference_loss(policy, batch, args.beta, args.nll),
            Schedule(args.lr, args.epochs, args.batch_size, args.micro_batch),
            stage=f"dpo-{round_}", seed=args.seed, logger=logger, checkpoint=checkpoint,
            after_step=evaluate.during(round_),
        )  # fmt: skip
    if rank() == 0:
        policy.save(args.out / "policy")
    logger.close()
    return evaluate.success


if __name__ == "__main__":
    run(PRESETS, main)
