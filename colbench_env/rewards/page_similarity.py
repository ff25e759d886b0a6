"""How alike two rendered pages are: `PageSimilarity`, which no shortcut satisfies.

A blank page is worth nothing here and an identical one is worth 1. Similarity of whole pictures has
neither property: most of any page is background, so that SSIM or CLIP give an empty page most of
the score.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.matching import largest, pair_blocks, weight
from colbench_env.browser.page import VISIBLE, Block, Page
from colbench_env.errors import ConfigError, Fault
from colbench_env.records import Episode, Score

LAYOUT_WEIGHT = 0.6  # the rest is the tiles'
NOTHING = {"layout": 0.0, "tiles": 0.0, "placement": 0.0, "colour": 0.0, "words": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two pages to compare.

    Attributes:
        reference: The page in the person's head.
        shown: The last page that the assistant showed; None: it showed none.
    """

    reference: Page
    shown: Page | None


class PageSimilarity:
    """The mix of matched blocks and of tiles, in [0, 1].

    `layout`: the blocks of both pages (text; images; controls and filled boxes) are paired within
    their kind by the best assignment, after Design2Code's block match (arXiv 2403.03163, section
    3.3); a pair counts by where it stands and how large it is, its colours (CIEDE2000), and 15 % by
    its words. Every block of either page weighs by the square root of its area, so that missing and
    superfluous ones both cost, and no giant block decides.

    `tiles`: squares of 32 pixels in which either page shows something, each worth how much smaller
    its difference is than what either page has there at all; a blank page gets 0.

    The value is `0.6 layout + 0.4 tiles`; it is 0 without a page, for one that could not be drawn,
    and when nothing is to be seen.
    """

    name = "mix"

    def score(self, comparisons: Sequence[Comparison]) -> list[Score | Fault]:
        """Score a batch.

        Returns:
            For each a `Score`: `value`, its components `layout` and `tiles`, the parts of the
            layout (`placement`, `colour`, `words`: means over pairs), and in `details` the engine
            that drew both pages or why there was nothing to compare.

        Raises:
            ValueError: The pages were drawn by different engines.
        """
        return [self._score(c.reference, c.shown) for c in comparisons]

    def _score(self, reference: Page, shown: Page | None) -> Score:
        details: dict[str, Any] = {"reward": self.name, **reference.engine}
        why = unusable(shown)
        if shown is None or why is not None:
            return Score(0.0, NOTHING, {**details, "problem": why})
        if dict(shown.engine) != dict(reference.engine):
            raise ValueError(
                f"pages of different engines do not compare: {dict(reference.engine)} and "
                f"{dict(shown.engine)}; draw both with one renderer"
            )
        layout, parts = match_blocks(reference.blocks, shown.blocks)
        tiles = compare_tiles(reference, shown)
        value = LAYOUT_WEIGHT * layout + (1 - LAYOUT_WEIGHT) * tiles
        return Score(value, {"layout": layout, "tiles": tiles, **parts}, details)


class PageReward(Protocol):
    """What an environment needs of a reward over pages.

    Attributes:
        name: Stands in every score.
    """

    name: str

    def score(self, comparisons: Sequence[Comparison]) -> list[Score | Fault]:
        """Score a batch of pairs of pages."""
        ...


def page_reward(spec: str | PageReward, *, black: bool = False) -> PageReward:
    """Return the reward that a short name stands for; equal names share one object.

    Args:
        spec: `"mix"`, `"clip"` or `"clip:MODEL"` (see `colbench_env.rewards.clip`), or an object
            with `score`.
        black: For `"clip"`: a black picture stands where there is no page, as in the original.

    Raises:
        ConfigError: No reward is called so.
    """
    if not isinstance(spec, str):
        return spec
    return _named(spec, black)


@lru_cache(maxsize=8)
def _named(spec: str, black: bool) -> PageReward:
    kind, _, model = spec.partition(":")
    if spec == "mix":
        return PageSimilarity()
    if kind == "clip":
        from colbench_env.rewards.clip import MODEL, ClipSimilarity

        return ClipSimilarity(model or MODEL, black=black)
    raise ConfigError(f"reward={spec!r} is unknown; use 'mix', 'clip', 'clip:MODEL' or an object")


def win_rate(episodes: Iterable[Episode], reference: Iterable[Episode]) -> float:
    """Return the share of tasks on which a policy scores higher than a reference policy.

    As in the paper's table 2 (arXiv 2503.15478), where the reference is GPT-4o: episodes are paired
    by task (the mean score where there are several of a task); a tie counts half; tasks that only
    one of them played, or that a fault ended, are left out.

    Raises:
        ValueError: They have no task in common.
    """
    mine, theirs = _by_task(episodes), _by_task(reference)
    both = mine.keys() & theirs.keys()
    if not both:
        raise ValueError("the two policies have no task in common: play the same tasks with both")
    wins = [float(mine[t] > theirs[t]) + 0.5 * (mine[t] == theirs[t]) for t in sorted(both)]
    return sum(wins) / len(wins)


def _by_task(episodes: Iterable[Episode]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for episode in episodes:
        if episode.score is not None:
            values.setdefault(episode.task_id, []).append(episode.score.value)
    return {task: sum(scores) / len(scores) for task, scores in values.items()}


def unusable(page: Page | None) -> str | None:
    """Return why a page is worth nothing: none shown, not drawn, nothing visible; else None."""
    if page is None:
        return "no page was shown"
    if page.problem is not None:
        return page.problem
    return "the page shows nothing" if page.blank else None


def match_blocks(
    reference: Sequence[Block], shown: Sequence[Block]
) -> tuple[float, dict[str, float]]:
    """Return the weighted share of blocks that have a counterpart, and the parts of it.

    Args:
        reference: Blocks of one page.
        shown: Blocks of the other; the measure is symmetric.

    Returns:
        The share in [0, 1], and `placement`, `colour` and `words` as means over the pairs. Two
        pages without blocks are alike (1).
    """
    reference, shown = largest(reference), largest(shown)
    total = sum(map(weight, reference)) + sum(map(weight, shown))
    if not total:
        return 1.0, {"placement": 1.0, "colour": 1.0, "words": 1.0}
    share, paired, sums = 0.0, 1e-9, np.zeros(3)
    for pair in pair_blocks(reference, shown):
        w = weight(reference[pair.ours]) + weight(shown[pair.theirs])
        share, paired = share + w * pair.likeness, paired + w
        sums += w * np.array([pair.placement, pair.colour, pair.words])
    means = dict(
        zip(("placement", "colour", "words"), (sums / paired).round(9).tolist(), strict=True)
    )
    return round(min(share / total, 1.0), 9), means  # identical pages get 1, not nearly


def compare_tiles(reference: Page, shown: Page) -> float:
    """Return how alike the pictures are where either shows something, in [0, 1].

    A tile is described by how far the mean colour and the spread of its 16 cells are from its own
    page's bare background. Its likeness is one minus the difference of the two descriptions over
    the larger of them, so that a page of one colour, whichever, gets exactly 0. How far apart the
    two backgrounds are counts a quarter.
    """
    bare = [_flat(page.background) for page in (reference, shown)]
    a, b = reference.tiles - bare[0], shown.tiles - bare[1]
    height = max(len(a), len(b))
    a, b = _extend(a, height), _extend(b, height)
    most = np.maximum(np.abs(a).sum(-1), np.abs(b).sum(-1))
    busy = most > VISIBLE
    if not busy.any():
        return 1.0
    a, b, most = a[busy], b[busy], most[busy]
    apart = np.abs(a - b).sum(-1) + np.abs(bare[0] - bare[1]).sum() / 4
    likeness = np.clip(1 - apart / most, 0, 1)
    importance = np.sqrt(most)  # a tile that stands out counts more, but must not drown the text
    return float((likeness * importance).sum() / importance.sum())


def _flat(colour: str) -> NDArray[np.float64]:
    """Return the description of a tile of one colour."""
    return np.array([*(int(colour[i : i + 2], 16) for i in (1, 3, 5)), 0, 0, 0], np.float64)


def _extend(values: NDArray[np.float64], height: int) -> NDArray[np.float64]:
    """Let the shorter page go on with its background."""
    return np.pad(values, ((0, height - len(values)), (0, 0), (0, 0)))
