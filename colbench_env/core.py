"""`CollabEnv`: the one reset/step loop that every environment fills in.

An environment writes its rules in two generators, `_reset` and `_step`. Whatever lies outside (a
person's reply, a rendered page, a verdict) is a `Call` that the generator yields and gets answered:

    [reply] = yield [Call(self.human.reply, dialogue)]

`drive` (in `calls.py`) answers the calls of many environments together. No generator outlives a
step: between steps the whole episode is one `State` of plain data, which is what `snapshot` and
`restore` copy.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from gymnasium.utils import seeding
from pettingzoo import ParallelEnv

from colbench_env.calls import Steps, drive
from colbench_env.errors import ConfigError, FaultError, ResetNeededError, SnapshotError
from colbench_env.records import Message, Record, Score, Task
from colbench_env.spaces import Utterance

MAX_ACTION = 16_384  # characters
ENV = "env"  # speaker of the environment's own notices

ResetResult = tuple[dict[str, str], dict[str, dict[str, Any]]]
StepResult = tuple[
    dict[str, str], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class TaskSource(Protocol):
    """What an environment needs of a source of tasks; see `colbench_env.tasks`."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Task: ...

    @property
    def ids(self) -> Sequence[str]:
        """Ids of all tasks, in order."""
        ...

    def get(self, task_id: str) -> Task:
        """Return the task with this id."""
        ...


@dataclass(slots=True)
class State(Record):
    """All there is of an episode, as plain data; environments add fields of their own.

    Attributes:
        task_id: Which task is played.
        seed: Seed of the outside's noise (the human's, the workers') in this episode.
        step: Environment steps taken.
        log: Everything said, in order; `Message.to` limits who hears it.
        seen: By agent, how much of the log it had heard when it last acted.
        acts: By agent, whether its next action counts.
        info: By agent, what the last step adds to its info.
        rewards: By agent, the last step's reward.
        returns: By agent, the sum of rewards.
        score: The verdict, once there is one.
        terminated: The work ended.
        truncated: Something else ended the episode.
        fault: The failure that truncated it, for the info.
    """

    task_id: str
    seed: int
    step: int = 0
    log: list[Message] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    acts: dict[str, bool] = field(default_factory=dict)
    info: dict[str, dict[str, Any]] = field(default_factory=dict)
    rewards: dict[str, float] = field(default_factory=dict)
    returns: dict[str, float] = field(default_factory=dict)
    score: Score | None = None
    terminated: bool = False
    truncated: bool = False
    fault: str | None = None


class CollabEnv(ParallelEnv[str, str, str]):
    """Base of every environment: PettingZoo's parallel API over text.

    Subclasses set `metadata["name"]`, `env_id` and `State`, and fill in `_load_tasks`, `_reset`,
    `_step`, `system_prompt` and `training_information`. Inside the generators they use `_say`,
    `_let_act`, `_reward` and `_end`.

    Args:
        agents: Names of all agents, `[a-z]+_[0-9]+`.
        observation: `"delta"`: what the agent has newly heard since it last acted;
            `"transcript"`: everything it has heard and said, as one text.
        render_mode: `None`, `"ansi"` (render returns text) or `"human"` (render prints).
        max_action: Longest action in characters, where it is not 16,384; what is longer is cut.
        max_observation: Longest observation in characters.

    Raises:
        ConfigError: An argument has no such value.
    """

    metadata: dict[str, Any] = {
        "name": "collab_v0",
        "render_modes": ["ansi", "human"],
        "render_fps": 1,  # text has none; Gymnasium wants a number
        "is_parallelizable": True,
    }
    env_id: ClassVar[str] = ""
    State: ClassVar[type[State]] = State

    def __init__(
        self,
        agents: Sequence[str],
        *,
        observation: str = "delta",
        render_mode: str | None = None,
        max_action: Mapping[str, int] | None = None,
        max_observation: int = 262_144,
    ) -> None:
        if observation not in ("delta", "transcript"):
            raise ConfigError(
                f"observation={observation!r} is unknown; use 'delta' or 'transcript'"
            )
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ConfigError(
                f"render_mode={render_mode!r} is unknown; use one of "
                f"{self.metadata['render_modes']} or None"
            )
        self.possible_agents = list(agents)
        self.agents: list[str] = []
        self.observation = observation
        self.render_mode = render_mode
        longest = max_action or {}
        self._actions = {agent: Utterance(longest.get(agent, MAX_ACTION)) for agent in agents}
        self._observations = {agent: Utterance(max_observation) for agent in agents}
        self._tasks: TaskSource | None = None
        self._np_random: np.random.Generator | None = None
        self.task: Task = Task("", "")
        self.ep: State = self.State("", 0)

    # --- what an environment fills in ---------------------------------------------------------

    def _load_tasks(self) -> TaskSource:
        """Open the task source; called once, on first use."""
        raise TypeError(f"{type(self).__name__} does not say where its tasks come from")

    def _reset(self) -> Steps[None]:
        """Begin the episode of `self.task`: say the brief, let somebody act."""
        raise TypeError(f"{type(self).__name__} has no _reset")

    def _step(self, actions: dict[str, str]) -> Steps[None]:
        """Take the acting agents' texts, already in their spaces."""
        raise TypeError(f"{type(self).__name__} has no _step")

    def system_prompt(self, agent: str) -> str:
        """Return the agent's standing instructions: role, rules, grammar of its messages."""
        raise TypeError(f"{type(self).__name__} has no system prompt")

    def training_information(self) -> str:
        """Return what a privileged critic may see: the reference, constant through an episode.

        This is `c` of SWEET-RL (arXiv 2503.15478, section 4); never test calls or expected values.
        """
        raise TypeError(f"{type(self).__name__} has no training information")

    def _plant(self, task: Task, tokens: Mapping[str, str]) -> Task:
        """Return the task with `tokens["hidden"]`, `tokens[agent]` wherever its secrets stand.

        `check_env` plays such a task and looks for the tokens where they must not appear.
        """
        return dataclasses.replace(
            task,
            private={a: {**view, "canary": tokens[a]} for a, view in task.private.items()},
            hidden={**task.hidden, "canary": tokens["hidden"]},
        )

    # --- the words that the rules are written in ----------------------------------------------

    def _say(self, agent: str, text: str, *, thought: str = "", to: Iterable[str] = ()) -> None:
        """Put a message into the log; `to` limits who hears it."""
        self.ep.log.append(Message(agent, text, thought, tuple(to)))

    def _let_act(self, *agents: str) -> None:
        """Say whose actions count in the next step."""
        self.ep.acts = {agent: agent in agents for agent in self.possible_agents}

    def _reward(self, amount: float, *agents: str) -> None:
        """Add to this step's reward of the agents (of all when none is named)."""
        for agent in agents or self.possible_agents:
            self.ep.rewards[agent] += float(amount)

    def _end(self, score: Score) -> None:
        """End the work with a verdict, which everybody gets as the reward."""
        self.ep.score, self.ep.terminated = score, True
        self._reward(score.value)

    # --- PettingZoo's parallel API ------------------------------------------------------------

    def observation_space(self, agent: str) -> Utterance:
        """Return the agent's observation space, the same object every time."""
        return self._observations[agent]

    def action_space(self, agent: str) -> Utterance:
        """Return the agent's action space, the same object every time."""
        return self._actions[agent]

    @property
    def tasks(self) -> TaskSource:
        """The task source, opened on first use."""
        if self._tasks is None:
            self._tasks = self._load_tasks()
        return self._tasks

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> ResetResult:
        """Begin an episode.

        Args:
            seed: All randomness comes from here: same seed, same actions, same episode. `None`
                goes on with the generator as it stands.
            options: `{"task": id or Task}` picks the task; other keys are left to wrappers.

        Returns:
            Observations and infos by agent.
        """
        return drive([self.resetting(seed, options)])[0]

    def step(self, actions: Mapping[str, str]) -> StepResult:
        """Take one action of every acting agent.

        Args:
            actions: Text by agent. An agent whose info says `acts` False may be left out.

        Returns:
            Observations, rewards, terminated, truncated and infos by agent; the flags are the same
            for all, and in the last step each info holds `score`.

        Raises:
            ResetNeededError: The episode has ended, or none has begun.
            TypeError: An action is not a string.
        """
        return drive([self.stepping(actions)])[0]

    def resetting(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> Steps[ResetResult]:
        """`reset` as a generator of calls, for whoever drives many environments at once."""
        if seed is not None or self._np_random is None:
            self._np_random, _ = seeding.np_random(seed)
        rng = self._np_random
        choice = (options or {}).get("task")
        if choice is None:
            self.task = self.tasks[int(rng.integers(len(self.tasks)))]
        else:
            self.task = choice if isinstance(choice, Task) else self.tasks.get(choice)
        self.ep = self.State(self.task.id, int(rng.integers(2**31)))
        self.ep.seen = dict.fromkeys(self.possible_agents, 0)
        self.ep.returns = dict.fromkeys(self.possible_agents, 0.0)
        self.agents = list(self.possible_agents)
        self._begin_step()
        yield from self._guarded(self._reset())
        return self._observe_all(), self._infos()

    def stepping(self, actions: Mapping[str, str]) -> Steps[StepResult]:
        """`step` as a generator of calls, for whoever drives many environments at once."""
        if not self.agents:
            raise ResetNeededError("the episode has ended or none has begun: call reset() first")
        taken = self._take(actions)
        ep = self.ep
        ep.step += 1
        if not ep.truncated:  # a fault during reset ends the episode here
            yield from self._guarded(self._step(taken))
        for agent, reward in ep.rewards.items():
            ep.returns[agent] += reward
        if ep.terminated or ep.truncated:
            ep.acts = dict.fromkeys(self.possible_agents, False)
            self.agents = []
        names = self.possible_agents
        return (
            self._observe_all(),
            dict(ep.rewards),
            dict.fromkeys(names, ep.terminated),
            dict.fromkeys(names, ep.truncated),
            self._infos(),
        )

    def _begin_step(self) -> None:
        self.ep.rewards = dict.fromkeys(self.possible_agents, 0.0)
        self.ep.info = {agent: {} for agent in self.possible_agents}

    def _take(self, actions: Mapping[str, str]) -> dict[str, str]:
        """Check the actions, make them fit their spaces, and mark what the actors have heard."""
        unknown = [agent for agent in actions if agent not in self._actions]
        if unknown:
            raise ConfigError(
                f"no agent is called {unknown[0]!r}; the agents are {self.possible_agents}"
            )
        for agent, text in actions.items():
            if not isinstance(text, str):
                raise TypeError(
                    f"the action of {agent} must be a string, got {type(text).__name__}"
                )
        self._begin_step()
        ep, taken = self.ep, {}
        for agent, acts in ep.acts.items():
            if acts:
                taken[agent], clipped = self._actions[agent].fit(actions.get(agent, ""))
                ep.seen[agent] = len(ep.log)
                if clipped:
                    ep.info[agent]["action_clipped"] = True
        return taken

    def _guarded(self, steps: Steps[None]) -> Steps[None]:
        """Run the rules; a fault of the outside truncates the episode and is nobody's score."""
        try:
            yield from steps
        except FaultError as error:
            self.ep.fault = str(error)
            self.ep.truncated, self.ep.terminated, self.ep.score = True, False, None
            self._begin_step()

    # --- views --------------------------------------------------------------------------------

    def _hears(self, agent: str, message: Message) -> bool:
        return agent in message.to if message.to else True

    def _line(self, agent: str, message: Message) -> str:
        """How a message of somebody else's reads to this agent."""
        return message.text

    def _observe(self, agent: str) -> str:
        log = self.ep.log
        if self.observation == "delta":
            heard = [
                self._line(agent, m)
                for m in log[self.ep.seen[agent] :]
                if m.agent != agent and (not m.to or agent in m.to)
            ]
        else:
            heard = [
                f"{m.agent}: {m.text if m.agent == agent else self._line(agent, m)}"
                if m.agent != ENV
                else m.text
                for m in log
                if m.agent == agent or not m.to or agent in m.to
            ]
        text = heard[0] if len(heard) == 1 else "\n\n".join(heard)
        return (
            text if len(text) < 4096 and text.isascii() else self._observations[agent].fit(text)[0]
        )

    def _observe_all(self) -> dict[str, str]:
        return {agent: self._observe(agent) for agent in self.possible_agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        ep = self.ep
        infos = {}
        for agent in self.possible_agents:
            info: dict[str, Any] = {"acts": ep.acts.get(agent, False), **ep.info[agent]}
            if ep.score is not None:
                info["score"] = ep.score
            if ep.fault is not None:
                info["fault"] = ep.fault
            infos[agent] = info
        return infos

    def messages(self, agent: str) -> list[dict[str, str]]:
        """Return the agent's chat so far as `[{"role", "content"}, ...]`, system prompt first.

        The agent's own messages are `assistant` turns without their private thought; what it heard
        between two of them is one `user` turn.
        """
        chat = [{"role": "system", "content": self.system_prompt(agent)}]
        for message in self.ep.log:
            if message.agent != agent and not self._hears(agent, message):
                continue
            own = message.agent == agent
            role = "assistant" if own else "user"
            text = message.text if own else self._line(agent, message)
            if chat[-1]["role"] == role:
                chat[-1]["content"] += "\n\n" + text
            else:
                chat.append({"role": role, "content": text})
        return chat

    def state_dict(self) -> dict[str, Any]:
        """Return the privileged view of everything: for centralised training, never for agents."""
        return {"env": self.env_id, "task": self.task.to_dict(), **self.ep.to_dict()}

    def state(self) -> str:  # type: ignore[override]  # upstream types it as an array
        """Return `state_dict` as JSON text."""
        return json.dumps(self.state_dict(), ensure_ascii=False)

    # --- branching ----------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """Return the episode as JSON-serialisable data that `restore` continues from, exactly.

        Raises:
            ResetNeededError: No episode has begun.
        """
        if self._np_random is None:
            raise ResetNeededError("no episode has begun: call reset() before snapshot()")
        return {
            "env": self.env_id,
            "generator": self._np_random.bit_generator.state,
            "episode": self.ep.to_dict(),
        }

    def restore(self, snapshot: Mapping[str, Any], seed: int | None = None) -> ResetResult:
        """Go back to a snapshot, of this environment object or of another in any process.

        Args:
            snapshot: From `snapshot()` of the same environment id, with the same task source.
            seed: `None`: common random numbers, the outside makes the same noise again. A number:
                fresh noise from here on.

        Returns:
            Observations and infos by agent, as the step before the snapshot returned them.

        Raises:
            SnapshotError: The snapshot is another environment's, or damaged.
        """
        if snapshot.get("env") != self.env_id:
            raise SnapshotError(
                f"this snapshot belongs to {snapshot.get('env')!r}, not to {self.env_id!r}: "
                "restore it in an environment of the same id and version"
            )
        try:
            episode = self.State.from_dict(snapshot["episode"])
            generator = snapshot["generator"]
        except (KeyError, TypeError) as error:
            raise SnapshotError(f"the snapshot is damaged: {error}") from error
        if episode.task_id != self.task.id:
            self.task = self.tasks.get(episode.task_id)
        self._np_random = np.random.default_rng()
        self._np_random.bit_generator.state = generator
        self.ep = episode
        if seed is not None:
            self.ep.seed = int(seed)
        ended = episode.terminated or (episode.truncated and episode.step > 0)
        self.agents = [] if ended else list(self.possible_agents)
        return self._observe_all(), self._infos()

    # --- rendering ----------------------------------------------------------------------------

    def render(self) -> str | None:
        """Return the transcript (`"ansi"`) or print it (`"human"`); None without a render mode."""
        if self.render_mode is None:
            return None
        text = self.transcript()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def transcript(self) -> str:
        """The dialogue as everybody could hear it, fit for a terminal, and the score."""
        lines = [f"{m.agent}: {printable(m.text)}" for m in self.ep.log if not m.to]
        if self.ep.score is not None:
            lines.append(f"score: {self.ep.score.value:.2f}")
        return "\n".join(lines)

    def close(self) -> None:
        """Release what the environment holds; services are shared and stay open."""


def printable(text: str) -> str:
    """Replace control characters, which could drive a terminal, by U+FFFD; keep newline and tab."""
    return "".join(c if (c >= " " and c != "\x7f") or c in "\n\t" else "\ufffd" for c in text)
