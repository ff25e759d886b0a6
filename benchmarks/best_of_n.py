"""How good is a critic? Let it choose among N messages at every turn, and see what that is worth.

    python benchmarks/best_of_n.py --run runs/sweet_rl --n 1 4 16

Takes the first round's critic of a SWEET-RL run and the model that the run began with. The critic
is told what the assistant is not (the reference), so this measures the critic; it is no assistant.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from dataclasses import fields
from pathlib import Path

import torch

from colbench_env.baselines.collection import Arena
from colbench_env.baselines.critic import FIDELITIES, BestOfN, Conditioning, make_critic
from colbench_env.baselines.evaluate import summarise
from colbench_env.baselines.pretrained import load_policy
from colbench_env.baselines.rollout import Plan
from colbench_env.baselines.sweet_rl import Args


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, default=Path("runs/sweet_rl"))
    parser.add_argument("--n", type=int, nargs="+", default=[1, 4, 16])
    parser.add_argument("--tasks", type=int, default=100)
    arguments = parser.parse_args()

    written = json.loads((arguments.run / "args.json").read_text(encoding="utf-8"))
    args = Args(**{f.name: written[f.name] for f in fields(Args)})
    policy = load_policy(
        args.model, lora_rank=args.lora_rank, device=args.device, seed=args.seed,
        max_new_tokens=args.max_new_tokens,
    )  # fmt: skip
    critic = make_critic(
        policy.fork("critic-0"), args.head, length_normalised=args.length_normalised,
        fidelity=args.fidelity, seed=args.seed,
    )  # fmt: skip
    state = torch.load(arguments.run / "critic-0.pt", map_location="cpu", weights_only=True)
    critic.load_state_dict(state["weights"])
    template = FIDELITIES[args.fidelity] if args.training_information else None
    arena = Arena(args.env, tasks=args.tasks, human=args.human, split="test")
    plans = [Plan(i, i, task) for i, task in enumerate(arena.task_ids(arguments.tasks))]
    print("N   success % [95 %]")
    for n in arguments.n:
        chooser = BestOfN(policy, critic, Conditioning(policy, template), n)
        with tempfile.TemporaryDirectory() as folder:
            episodes = arena.play(chooser, plans, Path(folder) / "episodes.jsonl")
        print(f"{n:<3} {summarise(chooser.name, episodes).success}")


if __name__ == "__main__":
    main()
