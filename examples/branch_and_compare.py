"""Branch from the middle of an episode: which of several next messages is worth most?

This is the step that GRPO groups, leave-one-out credit and counterfactuals are made of: the same
past, several futures, the same noise.

Run it: python examples/branch_and_compare.py
"""

import json

from colbench_env import backend_v0
from colbench_env.baselines.scripted import hand_in
from colbench_env.tasks import procedural


def main() -> None:
    env = backend_v0.parallel_env(tasks="procedural")
    observations, _ = env.reset(seed=3)
    brief = observations["assistant_0"]
    print("person:", brief)
    here = env.snapshot()  # plain data: it could be sent to another process
    assert json.loads(json.dumps(here)) == here

    solver = procedural.recognise(brief)
    useful = solver.questions[0]
    for question in ("Nice weather today, is it not?", useful.text):
        env.restore(here)
        observations, *_ = env.step({"assistant_0": question})
        reply = observations["assistant_0"]
        value = solver.read(useful, reply)
        code = solver.code({} if value is None else {useful.parameter: value})
        _, rewards, *_ = env.step({"assistant_0": hand_in(code)})
        print(f"\nasked: {question}\nheard: {reply}\nreward: {rewards['assistant_0']:.1f}")


if __name__ == "__main__":
    main()
