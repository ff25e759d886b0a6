"""Which block of one page stands for which block of another."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.page import Block
from colbench_env.errors import MissingDependencyError

WORDS = 0.15  # share of a text's worth: nobody tells the agent the reference's sentences
GROUPS = (("text",), ("image",), ("box", "control"))  # a button may be drawn as a filled box
REACH = 240.0  # pixels over which a misplaced block loses most of its worth
MAX_BLOCKS = 400  # the largest ones are compared


@dataclass(frozen=True, slots=True)
class Pair:
    """Two blocks that stand for each other.

    Attributes:
        ours: Index in the first page's blocks.
        theirs: Index in the second page's.
        placement: How alike place and size are, in [0, 1]; so are the next ones.
        colour: Colours.
        words: Words; 1 for blocks without any.
        likeness: All of it together.
    """

    ours: int
    theirs: int
    placement: float
    colour: float
    words: float
    likeness: float


def pair_blocks(ours: Sequence[Block], theirs: Sequence[Block]) -> list[Pair]:
    """Pair the blocks of two pages within their kinds, by the best assignment.

    The assignment maximises the sum of likeness times weight (Hungarian method). Every block of the
    smaller side has a partner, however unlike.
    """
    optimize = library("scipy.optimize")
    pairs = []
    for kinds in GROUPS:
        here = [i for i, block in enumerate(ours) if block.kind in kinds]
        there = [j for j, block in enumerate(theirs) if block.kind in kinds]
        if not here or not there:
            continue
        a, b = [ours[i] for i in here], [theirs[j] for j in there]
        parts = _parts(a, b)  # [3, R, S]
        likeness = parts[0] * (0.4 + 0.6 * parts[1]) * (1 - WORDS + WORDS * parts[2])
        weights = np.add.outer([weight(x) for x in a], [weight(x) for x in b])
        rows, columns = optimize.linear_sum_assignment(likeness * weights, maximize=True)
        for r, c in zip(rows.tolist(), columns.tolist(), strict=True):
            placement, colour, words = parts[:, r, c].tolist()
            match = float(likeness[r, c])
            pairs.append(Pair(here[r], there[c], placement, colour, words, match))
    return pairs


def weight(block: Block) -> float:
    """Return what a block counts: the square root of its area."""
    return math.sqrt(block.area)


def largest(blocks: Sequence[Block]) -> Sequence[Block]:
    """Return the blocks, or the largest 400 of them."""
    return sorted(blocks, key=lambda b: -b.area)[:MAX_BLOCKS]


def _parts(ours: Sequence[Block], theirs: Sequence[Block]) -> NDArray[np.float64]:
    """Return placement, colour and words of blocks of one kind, pair by pair: `[3, R, S]`."""
    a, b = _boxes(ours)[:, None], _boxes(theirs)[None]  # [R, 1, 4], [1, S, 4]
    centre = np.abs(a[..., :2] + a[..., 2:] / 2 - b[..., :2] - b[..., 2:] / 2)
    size = np.minimum(a[..., 2:], b[..., 2:]) / np.maximum(a[..., 2:], b[..., 2:])
    placement = np.exp(-centre.sum(-1) / REACH) * np.sqrt(size[..., 0] * size[..., 1])
    colour = colour_likeness([x.fill for x in ours], [y.fill for y in theirs])
    if ours[0].kind == "text":
        fore = colour_likeness([x.color for x in ours], [y.color for y in theirs])
        colour = (fore + colour) / 2
        bags = [_bag(x.text) for x in ours], [_bag(y.text) for y in theirs]
        words = np.array([[_dice(x, y) for y in bags[1]] for x in bags[0]])
    else:
        words = np.ones_like(colour)
    return np.stack([placement, colour, words])


def _boxes(blocks: Sequence[Block]) -> NDArray[np.float64]:
    return np.array([(b.x, b.y, b.width, b.height) for b in blocks], np.float64)


def words_likeness(one: str, other: str) -> float:
    """Return the share of words in common, in [0, 1] (Dice's coefficient over sets of words)."""
    return _dice(_bag(one), _bag(other))


def _bag(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()) or [text.strip()])


def _dice(a: frozenset[str], b: frozenset[str]) -> float:
    return 2 * len(a & b) / (len(a) + len(b))


def colour_likeness(ours: Sequence[str], theirs: Sequence[str]) -> NDArray[np.float64]:
    """Return 1 for equal colours, 0 for CIEDE2000 differences of 50 and more: `[R, S]`."""
    rows, columns = sorted(set(ours)), sorted(set(theirs))
    table = library("skimage.color").deltaE_ciede2000(_lab(rows)[:, None], _lab(columns)[None])
    here, there = ({name: i for i, name in enumerate(side)} for side in (rows, columns))
    places = np.ix_([here[c] for c in ours], [there[c] for c in theirs])
    likeness: NDArray[np.float64] = np.clip(1 - table / 50, 0, 1)[places]
    return likeness


def _lab(colours: Sequence[str]) -> NDArray[np.float64]:
    """Return CIELAB coordinates of `"#rrggbb"` colours, `[N, 3]`; an empty name counts as black."""
    rgb = [[int(c[i : i + 2] or "0", 16) for i in (1, 3, 5)] for c in colours]
    lab: NDArray[np.float64] = library("skimage.color").rgb2lab(np.array(rgb) / 255)
    return lab


def library(name: str) -> Any:
    """Import a part of scipy or scikit-image when it is needed.

    Raises:
        MissingDependencyError: It is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"comparing pages needs {name}: pip install 'colbench-env[frontend]'"
        ) from error
