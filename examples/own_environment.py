"""An environment of your own in 50 lines, held by the same contract as the others.

Two agents each know half of a number and have to agree on the whole. The rules are two generators;
text, seeds, snapshots, views and faults come from `CollabEnv`.

Run it: python examples/own_environment.py
"""

from typing import ClassVar

from colbench_env import CollabEnv, Score, Task, check_env
from colbench_env.tasks import TaskList

LEFT, RIGHT = "left_0", "right_0"


class TwoHalvesEnv(CollabEnv):
    """Tell each other the halves of a number; the second to act hands in the whole."""

    metadata: ClassVar = {**CollabEnv.metadata, "name": "two_halves_v0"}
    env_id = "Example/TwoHalves-v0"

    def __init__(self, **kwargs):
        super().__init__([LEFT, RIGHT], **kwargs)

    def _load_tasks(self):
        return TaskList(
            Task(
                f"halves/{i}",
                "Together you know a number of two digits.",
                private={LEFT: {"digit": str(i // 10)}, RIGHT: {"digit": str(i % 10)}},
                hidden={"number": str(i)},
            )
            for i in range(10, 100)
        )

    def system_prompt(self, agent):
        return "Tell the other your digit." if agent == LEFT else "Hand in the whole number."

    def training_information(self):
        return f"digits {self.task.private[LEFT]['digit']}, {self.task.private[RIGHT]['digit']}"

    def _reset(self):
        self._say("env", self.task.brief)
        for agent in (LEFT, RIGHT):
            self._say("env", f"Your digit: {self.task.private[agent]['digit']}.", to=[agent])
        self._let_act(LEFT)
        yield from ()  # no calls to the outside

    def _step(self, actions):
        if LEFT in actions:
            self._say(LEFT, actions[LEFT])
            self._let_act(RIGHT)
        else:
            self._say(RIGHT, actions[RIGHT])
            right = actions[RIGHT].strip() == self.task.hidden["number"]
            self._end(Score(float(right)))
        yield from ()


def main() -> None:
    for name in check_env(TwoHalvesEnv()):
        print("passed:", name)
    env = TwoHalvesEnv()
    observations, infos = env.reset(seed=0)
    while env.agents:
        digits = {a: text.split("Your digit: ")[-1][:1] for a, text in observations.items()}
        if infos[LEFT]["acts"]:
            action = {LEFT: f"My digit is {digits[LEFT]}"}
        else:
            heard = observations[RIGHT].split("My digit is ")[1]
            action = {RIGHT: heard + digits[RIGHT]}
        observations, rewards, _, _, infos = env.step(action)
    print("reward:", rewards)
    assert rewards == {LEFT: 1.0, RIGHT: 1.0}


if __name__ == "__main__":
    main()
