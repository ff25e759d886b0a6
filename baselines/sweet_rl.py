"""SWEET-RL: a critic that knows the answer teaches an assistant that does not, turn by turn.

Paper: arXiv 2503.15478, sections 4.2 and 4.3. From recorded episodes:

1. A privileged critic, a language model that also sees c (`training_information()`), learns
   turn-level advantages as length-normalised log-ratios to the reference, by a Bradley-Terry loss
   on pairs of trajectories.
2. At recorded prompts, 16 candidate messages are sampled and ranked by the critic; no environment
   step is made. One of the top half against one of the bottom half makes a pair.
3. The assistant, which does not see c, learns those pairs by DPO.

Departures: the reference is the policy at the start of a round (with one round, as in the paper,
the initial model); equal messages make no pair; c is put in front of the chat as text.
`--fidelity code` follows the released code where it differs: one mean over all tokens of a
trajectory, its wording of c, reference log-probabilities without c when ranking. `--critic mc`
plays each candidate to the end instead of asking a critic. Ablations: `--no-training-information`,
`--no-length-normalised`, `--head regression`.

    colbench train sweet_rl --preset tiny
    python -m colbench_env.baselines.sweet_rl --preset tiny
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch

from colbench_env.baselines.batch import turn_row
from colbench_env.baselines.checkpoint import Checkpoint, write_text
from colbench_env.baselines.collection import Arena, Evaluation, collection_metrics, grouped
from colbench_env.baselines.critic import (
    FIDELITIES,
    Conditioning,
    Critic,
    make_critic,
    rank_messages,
)
from colbench_env.baselines.logger import Logger
from colbench_env.baselines.losses import bradley_terry_loss
from colbench_env.baselines.monte_carlo import play_out
from colbench_env.baselines.optimise import Schedule, fit
from colbench_env.baselines.pairs import (
    Trajectory,
    message_pairs,
    preference_loss,
    preferences,
    trajectories,
)
from colbench_env.baselines.parallel import gather, rank, share, wait
from colbench_env.baselines.policy import TransformersPolicy
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import group_plans
from colbench_env.baselines.trainers import run
from colbench_env.records import Episode

BETA = 0.1  # of the critic's loss and the actor's, as in Table 5


@dataclass
class Args:
    """Arguments of SWEET-RL.

    Attributes:
        env: Environment.
        tasks: Task source; its train split is trained on, its test split evaluated on.
        human: The simulated person.
        model: `tiny`, `smol`, a hub id, or a folder.
        lora_rank: Rank of the adapters to train; 0: all weights, the critic being a copy.
        device: `auto`, `cpu`, `cuda`.
        seed: Of everything.
        out: Folder of the run; a run that stopped there is continued.
        rounds: How often to play and train; the paper does it once.
        num_tasks: Tasks played a round.
        group_size: Episodes a task.
        num_envs: Environments that live at once.
        max_new_tokens: Longest message.
        pairs: Rule of the critic's pairs: `success` or `margin`.
        critic: `sweet`, or `mc`: play the candidates out instead.
        fidelity: `paper` or `code`.
        training_information: The critic sees c.
        length_normalised: A turn's log-ratio is divided by its length.
        head: `logratio`, or `regression`: a linear head in its place.
        candidates: Messages sampled at each prompt.
        pairs_per_turn: Pairs made of them.
        actor_share: Share of the episodes at whose prompts the actor learns.
        critic_lr: Learning rate of the critic.
        critic_epochs: Its passes over the pairs of trajectories.
        actor_lr: Learning rate of the actor.
        actor_epochs: Its passes over the pairs of messages.
        batch_size: Pairs an update.
        micro_batch: Pairs a forward pass.
        eval_tasks: Tasks of the evaluation after each round; 0: none.
        alarms: Limits that stop the run, such as `entropy<0.01,kl>10,leak>0.3`.
    """

    env: str = "ColBench/Backend-v0"
    tasks: str = "procedural?difficulty=2"
    human: str = "scripted"
    model: str = "tiny"
    lora_rank: int = 0
    device: str = "auto"
    seed: int = 0
    out: Path = Path("runs/sweet_rl")
    rounds: int = 1
    num_tasks: int = 200
    group_size: int = 4
    num_envs: int = 64
    max_new_tokens: int = 96
    pairs: Literal["success", "margin"] = "success"
    critic: Literal["sweet", "mc"] = "sweet"
    fidelity: Literal["paper", "code"] = "paper"
    training_information: bool = True
    length_normalised: bool = True
    head: Literal["logratio", "regression"] = "logratio"
    candidates: int = 16
    pairs_per_turn: int = 4
    actor_share: float = 0.15
    critic_lr: float = 3e-4
    critic_epochs: int = 1
    actor_lr: float = 1e-4
    actor_epochs: int = 1
    batch_size: int = 16
    micro_batch: int = 16
    eval_tasks: int = 200
    alarms: str = "leak>0.5"


PRESETS = {
    "tiny": Args(),
    "smol": Args(
        model="smol", lora_rank=16, tasks="procedural?difficulty=1", num_tasks=8, num_envs=8,
        pairs="margin", candidates=4, pairs_per_turn=1, critic_lr=1e-4, actor_lr=1e-4,
        actor_share=0.5, batch_size=4, micro_batch=2, eval_tasks=8, max_new_tokens=128,
    ),
    "paper": Args(
        tasks="hub:facebook/collaborative_agent_bench", human="openai:meta-llama/Llama-3.1-70B-Instruct@http://127.0.0.1:8000/v1",
        model="meta-llama/Llama-3.1-8B-Instruct", num_tasks=5_000, group_size=3,
        critic_lr=2e-7, critic_epochs=4, actor_lr=2e-7, actor_epochs=1, batch_size=8,
        micro_batch=1, actor_share=0.1, max_new_tokens=1_024, eval_tasks=1_000,
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
    template = FIDELITIES[args.fidelity] if args.training_information else None
    condition = Conditioning(policy, template)
    evaluate = Evaluation(
        test, policy, logger, tasks=args.eval_tasks, seed=args.seed, folder=args.out
    )

    evaluate(0)
    for round_ in range(args.rounds):
        # 1. play
        tasks = train.task_ids(args.num_tasks, start=round_ * args.num_tasks)
        plans = group_plans(tasks, args.group_size, seed=1_000_000 * (round_ + 1) + args.seed)
        episodes = train.play(
            policy, plans, args.out / f"episodes-{round_}.jsonl",
            num_envs=args.num_envs, snapshots=args.critic == "mc",
        )  # fmt: skip
        logger.log("collect", round_ + 1, collection_metrics(episodes, args.group_size))

        # 2. make pairs of messages: train the critic, let it rank candidates
        file = args.out / f"messages-{round_}.jsonl"
        known = file.exists()
        wait()
        if not known:
            groups = grouped(episodes, args.group_size)
            critic = None
            if args.critic == "sweet":
                critic = train_critic(
                    args, round_, policy, condition, train, groups, logger, checkpoint
                )
            messages = rank_candidates(args, round_, policy, condition, train, groups, critic)
            if rank() == 0:
                write_text(file, "".join(json.dumps(message) + "\n" for message in messages))
            wait()
        lines = file.read_text(encoding="utf-8").splitlines()
        pairs = message_pairs([json.loads(line) for line in lines], policy)

        # 3. train the actor on them
        fit(
            policy, pairs, lambda batch: preference_loss(policy, batch, BETA),
            Schedule(args.actor_lr, args.actor_epochs, args.batch_size, args.micro_batch),
            stage=f"actor-{round_}", seed=args.seed, logger=logger, checkpoint=checkpoint,
            after_step=evaluate.during(round_),
        )  # fmt: skip
    if rank() == 0:
        policy.save(args.out / "policy")
    logger.close()
    return evaluate.success


def train_critic(
    args: Args,
    round_: int,
    policy: TransformersPolicy,
    condition: Conditioning,
    arena: Arena,
    groups: Sequence[Sequence[Episode]],
    logger: Logger,
    checkpoint: Checkpoint,
) -> Critic:
    """Train a privileged critic on the preferences among the episodes of each task."""
    critic = make_critic(
        policy.fork(f"critic-{round_}"), args.head, seed=args.seed,
        length_normalised=args.length_normalised, fidelity=args.fidelity,
    )  # fmt: skip
    chosen = [pair for group in groups for pair in preferences(group, args.pairs)]
    contexts = [condition(arena.training_information(a.task_id)) for a, _ in chosen]
    better = trajectories([a for a, _ in chosen], policy, contexts)
    worse = trajectories([b for _, b in chosen], policy, contexts)

    def loss(batch: list[tuple[Trajectory, Trajectory]]) -> tuple[torch.Tensor, dict[str, float]]:
        n = len(batch)
        totals = critic.totals([a for a, _ in batch] + [b for _, b in batch])  # [2N]
        margin = (totals[:n] - totals[n:]).detach()
        metrics = {"accuracy": float((margin > 0).float().mean()), "margin": float(margin.mean())}
        return bradley_terry_loss(totals[:n], totals[n:], beta=BETA), metrics

    fit(
        critic, list(zip(better, worse, strict=True)), loss,
        Schedule(args.critic_lr, args.critic_epochs, args.batch_size, args.micro_batch),
        stage=f"critic-{round_}", seed=args.seed, logger=logger, checkpoint=checkpoint,
    )  # fmt: skip
    return critic


def rank_candidates(
    args: Args,
    round_: int,
    policy: TransformersPolicy,
    condition: Conditioning,
    arena: Arena,
    groups: Sequence[Sequence[Episode]],
    critic: Critic | None,
) -> list[dict[str, list[int]]]:
    """Sample candidates at recorded prompts, rank them, pair good with bad ones (token ids)."""
    rng = np.random.default_rng([args.seed, round_])
    episodes = [e for group in groups for e in group]
    number = max(1, round(args.actor_share * len(episodes)))
    picked = [episodes[i] for i in sorted(rng.permutation(len(episodes))[:number].tolist())]
    numbered = list(enumerate((e, t) for e in picked for t in e.turns if t.completion_ids))
    mine = share(numbered)
    n = args.candidates
    prompts = [list(turn.prompt_ids or ()) for _, (_, turn) in mine for _ in range(n)]
    seeds = [
        (round_ * 10**7 + i) * 1_000 + args.seed * 10**12 + k for i, _ in mine for k in range(n)
    ]
    done = policy.sample(prompts, seeds)

    # equal messages are ranked once
    where: dict[tuple[int, tuple[int, ...]], int] = {}
    for j, completion in enumerate(done):
        if completion.ids:
            where.setdefault((j // n, completion.ids), len(where))
    keys = list(where)
    if critic is None:
        places = [mine[t][1] for t, _ in keys]
        values = play_out(arena, policy, places, [ids for _, ids in keys], args.seed, args.num_envs)
    else:
        told = [condition(arena.training_information(e.task_id)) for _, (e, _) in mine]
        rows = [turn_row(prompts[t * n], ids) for t, ids in keys]
        contexts, both = [told[t] for t, _ in keys], args.fidelity == "paper"
        values = rank_messages(critic, policy, rows, contexts, tell_reference=both)

    messages = []
    for t, (i, _) in enumerate(mine):
        candidates = [c.ids for c in done[t * n : (t + 1) * n] if c.ids]
        candidates.sort(key=lambda ids: values[where[t, ids]], reverse=True)
        half = len(candidates) // 2
        draw = np.random.default_rng([args.seed, round_, i])
        for _ in range(args.pairs_per_turn if half else 0):
            better = candidates[int(draw.integers(half))]
            worse = candidates[-1 - int(draw.integers(half))]
            if values[where[t, better]] > values[where[t, worse]]:
                pair = {"prompt": prompts[t * n], "better": list(better), "worse": list(worse)}
                messages.append({"turn": [i], **pair})
    return sorted(gather(messages), key=lambda message: message["turn"])


if __name__ == "__main__":
    run(PRESETS, main)
