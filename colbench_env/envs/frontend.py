"""Designing a web page with a person who sees it but reads no code: `ColBench/Frontend-v0`."""

from __future__ import annotations

import base64
import dataclasses
import html
import os
import tempfile
import webbrowser
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from colbench_env import core
from colbench_env.browser import Page, Renderer, make_renderer
from colbench_env.browser.page import VIEWPORT, WIDTH
from colbench_env.calls import Call, Steps
from colbench_env.core import ENV, CollabEnv
from colbench_env.envs.backend import ASSISTANT, HUMAN, parse
from colbench_env.envs.frontend_messages import (
    ASSISTANT_PROMPT,
    HUMAN_PROMPT,
    NO_PAGE,
    NOT_DRAWN,
    extract_page,
)
from colbench_env.errors import ConfigError, Fault, FaultError
from colbench_env.humans.page_viewer import PageViewer, View, make_page_viewer, page_in_words
from colbench_env.records import Message, Task
from colbench_env.rewards.page_similarity import Comparison, PageReward, page_reward
from colbench_env.tasks import TaskSource, load_tasks

MAX_REPLY = 1_000  # characters of one reply of the person, as in the paper


@dataclass(slots=True)
class FrontendState(core.State):
    """The episode, and the page that would be scored now.

    Attributes:
        turn: Messages of the assistant so far.
        page: HTML of the last page that could be drawn.
        told: Kinds of the person's remarks, in order.
    """

    turn: int = 0
    page: str | None = None
    told: list[str] = dataclasses.field(default_factory=list)


class FrontendEnv(CollabEnv):
    """Show HTML, hear what differs from the page in the person's head, correct it.

    Agents: `assistant_0`; with `human=None` also `human_0`, and the two take turns.

    Observation: text. The assistant first hears the brief, then the person's remarks. The human
    agent is told in words what stands where on the page in its head, then on each page shown; it
    does not see the assistant's messages. Pictures: `render()`.

    Action: text of at most 16,384 characters (the human: 1,000). A message shows the page that it
    holds, from `<html>` to `</html>` (else `<body>`, else a fenced block). What stands before
    `OUTPUT:` is private thought. `I WANT TO ANSWER:` ends the episode, and so does the last of
    `max_turns` messages.

    Reward: 0 until the end, then how alike the last page shown and the reference are, the same for
    both agents; see `colbench_env.rewards.page_similarity`. A page that cannot be drawn (larger
    than 256 kB, over its time) does not replace the one before; under `rules="legacy"` it does, and
    so does a message without a page.

    Ending: terminated by the answer. Truncated only by a fault of the outside (`info["fault"]`).

    Info: `acts`, `turn`, `max_turns`; `action_clipped` when the message was too long; at the end
    `score`, whose `details` name the engine, its version and the font.

    Protocol: SWEET-RL / ColBench (arXiv 2503.15478, section 3.2).

    Version history: v0, first version.

    Args:
        tasks: `"builtin"`, `"procedural"`, the path of a JSONL file in ColBench's format,
            `"hub:OWNER/NAME"`, or a `TaskSource`; see `colbench_env.tasks.load_tasks`.
        split: `"train"`, `"test"` or None for all.
        human: `"scripted"`, `"null"`, an object with `reply(views)`, or None (or `"agent"`): an
            agent plays the person.
        reward: `"mix"`, `"clip"` (as in the paper), or an object with `score(comparisons)`.
        renderer: `"auto"`, `"blitz"`, `"chromium"`, with a number of workers as in `"blitz:2"`, or
            a `Renderer`.
        rules: `"fixed"`, or `"legacy"` for the original's parsing, its last page, and with `"clip"`
            its black picture where there is no page.
        max_turns: Messages of the assistant, at least 1.
        observation: `"delta"` or `"transcript"`.
        render_mode: None, `"ansi"` (the dialogue), `"rgb_array"` (the last page drawn, uint8
            `[H, 1280, 3]`) or `"human"` (opens both pages side by side in an HTML file).

    Raises:
        ConfigError: An argument has no such value.
        MissingDependencyError: The engine is not installed.
    """

    metadata = {
        **CollabEnv.metadata,
        "name": "colbench_frontend_v0",
        "render_modes": ["ansi", "human", "rgb_array"],
    }
    env_id: ClassVar[str] = "ColBench/Frontend-v0"
    State = FrontendState
    ep: FrontendState

    def __init__(
        self,
        *,
        tasks: str | TaskSource | Sequence[Task] = "builtin",
        split: str | None = None,
        human: str | PageViewer | None = "scripted",
        reward: str | PageReward = "mix",
        renderer: str | Renderer = "auto",
        rules: str = "fixed",
        max_turns: int = 10,
        observation: str = "delta",
        render_mode: str | None = None,
    ) -> None:
        if rules not in ("fixed", "legacy"):
            raise ConfigError(f"rules={rules!r} is unknown; use 'fixed' or 'legacy'")
        if max_turns < 1:
            raise ConfigError(f"max_turns must be at least 1, got {max_turns}")
        self.human = None if human is None or human == "agent" else make_page_viewer(human)
        super().__init__(
            [ASSISTANT, HUMAN] if self.human is None else [ASSISTANT],
            observation=observation,
            render_mode=render_mode,
            max_action={HUMAN: MAX_REPLY},
        )
        self.reward = page_reward(reward, black=rules == "legacy")
        self.renderer = make_renderer(renderer)
        self.rules, self.max_turns = rules, max_turns
        self._task_spec, self._split = tasks, split

    def _load_tasks(self) -> TaskSource:
        return load_tasks(self._task_spec, kind="frontend", split=self._split)

    def system_prompt(self, agent: str) -> str:
        """Return the standing instructions of `assistant_0` or `human_0`."""
        if agent == ASSISTANT:
            return ASSISTANT_PROMPT.format(max_turns=self.max_turns)
        return HUMAN_PROMPT

    def training_information(self) -> str:
        """Return the reference HTML."""
        return str(self.task.private[HUMAN]["reference"])

    def _reset(self) -> Steps[None]:
        if self.human is None:
            [wanted] = yield [Call(self.renderer.render, self.training_information())]
            self._say(ENV, f"The page in your head:\n{page_in_words(wanted)}", to=[HUMAN])
        self._say(HUMAN, self.task.brief)
        self._let_act(ASSISTANT)
        self._show_turn()

    def _step(self, actions: dict[str, str]) -> Steps[None]:
        ep = self.ep
        if HUMAN in actions:
            self._say(HUMAN, actions[HUMAN])
            self._let_act(ASSISTANT)
            self._show_turn()
            return
        ep.turn += 1
        final = ep.turn >= self.max_turns
        said = parse(actions[ASSISTANT], final=final, rules=self.rules)
        self._say(ASSISTANT, said.text, thought=said.thought)
        self._show_turn()
        page = extract_page(said.text, self.rules)
        [shown] = (yield [Call(self.renderer.render, page)]) if page is not None else [None]
        if self.rules == "legacy" or (shown is not None and shown.problem is None):
            ep.page = page
        if said.answer is not None:
            yield from self._judge()
        elif shown is None:
            self._say(ENV, said.notice or NO_PAGE, to=[ASSISTANT])
        elif shown.problem is not None:
            self._say(ENV, NOT_DRAWN.format(problem=shown.problem), to=[ASSISTANT])
        elif self.human is None:
            self._say(ENV, f"The page shown:\n{page_in_words(shown)}", to=[HUMAN])
            self._let_act(HUMAN)
        else:
            [wanted] = yield from self._draw([self.training_information()])
            [reply] = yield [Call(self.human.reply, View(wanted, shown, ep.seed))]
            self._say(HUMAN, reply.text[:MAX_REPLY])
            ep.told.extend(reply.facts)

    def _judge(self) -> Steps[None]:
        pages = [self.training_information()]
        if self.ep.page is not None:
            pages.append(self.ep.page)
        wanted, *shown = yield from self._draw(pages)
        comparison = Comparison(wanted, shown[0] if shown else None)
        [score] = yield [Call(self.reward.score, comparison)]
        self._end(score)

    def _draw(self, pages: Sequence[str]) -> Steps[list[Page]]:
        """Draw the reference, first of `pages`, and others; a bad reference is nobody's score."""
        drawn = yield [Call(self.renderer.render, page) for page in pages]
        if drawn[0].problem is not None:
            fault = Fault("task", "reference not drawn", drawn[0].problem, retry=False)
            raise FaultError(fault)
        return list(drawn)

    def _line(self, agent: str, message: Message) -> str:
        if agent == HUMAN and message.agent == ASSISTANT:
            return "(The designer shows a page.)"
        return message.text

    def _show_turn(self) -> None:
        for info in self.ep.info.values():
            info["turn"], info["max_turns"] = self.ep.turn, self.max_turns

    def _plant(self, task: Task, tokens: Mapping[str, str]) -> Task:
        task = super()._plant(task, tokens)
        person, mark = dict(task.private[HUMAN]), tokens[HUMAN]
        hidden = f'<!-- {mark} --><p id="{mark}" class="{mark}" style="display:none">{mark}</p>'
        person["reference"] = f"{person['reference']}\n{hidden}"
        return dataclasses.replace(task, private={**task.private, HUMAN: person})

    def render(self) -> Any:
        """Return or show the episode; see `render_mode`."""
        if self.render_mode == "rgb_array":
            if self.ep.page is None:
                return np.full((VIEWPORT, WIDTH, 3), 255, np.uint8)
            [page] = self.renderer.render([self.ep.page])
            if isinstance(page, Fault):
                raise FaultError(page)
            return np.ascontiguousarray(page.pixels)
        if self.render_mode == "human":
            print(self.transcript())
            path = Path(tempfile.gettempdir()) / f"colbench-frontend-{os.getpid()}.html"
            path.write_text(self.side_by_side(), "utf-8", errors="replace")
            print(f"the pages side by side: {path}")
            if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
                webbrowser.open(path.as_uri())
            return None
        return super().render()

    def side_by_side(self) -> str:
        """Return an HTML page with the reference and the agent's last page as pictures."""
        titles = ["wanted", "shown"]
        sources = [self.training_information(), self.ep.page or "<html></html>"]
        figures = []
        for title, page in zip(titles, self.renderer.render(sources), strict=True):
            if isinstance(page, Fault):
                raise FaultError(page)
            data = base64.b64encode(page.png()).decode()
            picture = f'<img src="data:image/png;base64,{data}" style="width:100%">'
            figures.append(f'<figure style="flex:1;margin:0">{title}{picture}</figure>')
        body = f'<div style="display:flex;gap:1rem">{"".join(figures)}</div>'
        return f"<!doctype html><title>{html.escape(self.task.id)}</title>{body}"
