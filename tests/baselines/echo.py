"""The smallest environment a policy can learn: say back the digit you hear."""

from colbench_env.core import CollabEnv
from colbench_env.records import Score, Task
from colbench_env.tasks import TaskList

DIGITS = "0123"


class EchoEnv(CollabEnv):
    """One turn; the score is 1 when the message is the brief's digit. Takes what trainers pass."""

    metadata = {**CollabEnv.metadata, "name": "echo_v0"}
    env_id = "Test/Echo-v0"

    def __init__(self, *, tasks="", human="", split=None):
        super().__init__(["speaker_0"])

    def _load_tasks(self):
        return TaskList(Task(f"echo/{d}", d, private={"speaker_0": {}}) for d in DIGITS)

    def system_prompt(self, agent):
        return "Repeat."

    def training_information(self):
        return self.task.brief

    def _reset(self):
        self._say("env", self.task.brief)
        self._let_act("speaker_0")
        return
        yield

    def _step(self, actions):
        self._say("speaker_0", actions["speaker_0"])
        self._end(Score(float(actions["speaker_0"] == self.task.brief)))
        return
        yield
