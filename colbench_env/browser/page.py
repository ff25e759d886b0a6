"""What rendering gives back: pixels, and the blocks that a person would point at."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from colbench_env.errors import MissingDependencyError
from colbench_env.records import Record

WIDTH = 1280  # CSS pixels, one device pixel each
VIEWPORT = 720  # height of the window: what `100vh` means, and the smallest height of a picture
MAX_HEIGHT = 4096  # taller pages are cut off
VISIBLE = 10.0  # of 255; a tile that differs less from its ground shows nothing
PLACEHOLDER = "#cccccc"  # the colour that stands for every image


@dataclass(frozen=True, slots=True)
class Block(Record):
    """One visible thing on a page.

    Attributes:
        kind: `"text"`, `"image"`, `"control"` (the area of a button or field, whose words are a
            text block of their own) or `"box"` (any other filled or framed area).
        x: Left edge in pixels; for text, of the inked pixels themselves.
        y: Top edge.
        width: In pixels.
        height: In pixels.
        text: The words of a text block, white space collapsed.
        color: Colour of the words, `"#rrggbb"`; empty without words.
        fill: Colour behind, `"#rrggbb"`.
        size: Height of one line's ink in pixels; 0 without words.
        tag: Name of the element.
    """

    kind: str
    x: int
    y: int
    width: int
    height: int
    text: str = ""
    color: str = ""
    fill: str = ""
    size: int = 0
    tag: str = ""

    @property
    def area(self) -> int:
        """Width times height, in square pixels."""
        return self.width * self.height


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture of 1280 pixels' width as runs of one colour: pages are flat, so these are few.

    Attributes:
        starts: Where each run begins, counted in pixels row by row, uint32 `[R]`.
        colours: The colour of each run as 4 bytes, red first, packed into uint32 `[R]`.
        height: In pixels.
    """

    starts: NDArray[np.uint32]
    colours: NDArray[np.uint32]
    height: int

    @classmethod
    def of(cls, rgba: NDArray[np.uint8]) -> Picture:
        """Take the picture of pixels, uint8 `[H, W, 4]`, contiguous."""
        flat = rgba.reshape(-1).view(np.uint32)
        changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
        starts = np.concatenate([[0], changes])
        return cls(starts.astype(np.uint32), flat[starts], rgba.shape[0])

    def pixels(self) -> NDArray[np.uint8]:
        """Return the pixels, RGB, uint8 `[H, W, 3]`."""
        ends = np.append(self.starts[1:].astype(np.int64), self.height * WIDTH)
        lengths = ends - self.starts
        flat = np.repeat(self.colours, lengths)
        return flat.view(np.uint8).reshape(self.height, WIDTH, 4)[..., :3]


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """A rendered page.

    Attributes:
        picture: What is seen, packed.
        tiles: Mean colour and spread of each square of 32 pixels, float32 `[H / 32, W / 32, 6]`.
        blocks: What stands where, in document order.
        background: The page's most common colour, `"#rrggbb"`.
        engine: Name and version of what drew it, and the font; stands in the score.
        problem: Why nothing was drawn (too large, too deep, over its time), or None. The pixels of
            such a page are white.
    """

    picture: Picture
    tiles: NDArray[np.float32]
    blocks: tuple[Block, ...] = ()
    background: str = "#ffffff"
    engine: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The picture as RGB, uint8 `[H, W, 3]`, `W` = 1280 and `720 <= H <= 4096`; made anew."""
        return self.picture.pixels()

    @property
    def blank(self) -> bool:
        """Whether there is nothing to see."""
        apart = np.abs(self.tiles - self.tiles[0, 0]).sum(-1)
        return not self.blocks and bool((apart <= VISIBLE).all())

    def png(self, width: int = WIDTH) -> bytes:
        """Return the picture as a PNG file, scaled to a width in pixels."""
        try:
            from PIL import Image
        except ImportError as error:
            raise MissingDependencyError(
                "PNG files need Pillow: pip install 'colbench-env[frontend]'"
            ) from error
        out = io.BytesIO()
        picture = Image.fromarray(np.ascontiguousarray(self.pixels))
        if width != WIDTH:
            picture = picture.resize((width, max(picture.height * width // WIDTH, 1)))
        picture.save(out, "PNG", compress_level=6)
        return out.getvalue()


def white(problem: str, engine: Mapping[str, str] | None = None) -> Page:
    """Return the page that stands for one that could not be drawn."""
    picture = Picture(np.zeros(1, np.uint32), np.full(1, 2**32 - 1, np.uint32), VIEWPORT)
    tiles = np.zeros((-(-VIEWPORT // 32), WIDTH // 32, 6), np.float32)
    tiles[..., :3] = 255
    return Page(picture, tiles, engine=dict(engine or {}), problem=problem)
