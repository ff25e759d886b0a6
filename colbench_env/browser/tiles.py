"""A page as a grid of squares, each described by its mean colour and the spread of its parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

CELL = 8  # pixels a side of what one sample of a tile averages
TILE = 4  # cells a side


def find_tiles(rgba: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return mean and standard deviation of the colours of each tile's 16 cells.

    Args:
        rgba: The picture, uint8 `[H, W, 4]`, contiguous.

    Returns:
        float32 `[ceil(H / 32), ceil(W / 32), 6]`, in units of colour (0 to 255).
    """
    width = rgba.shape[1]
    half = np.ascontiguousarray(rgba[::2])  # every other row is enough, and twice as fast
    picture = Image.frombuffer("RGBX", (width, len(half)), half, "raw", "RGBX", 0, 1)
    cells = np.asarray(picture.reduce((CELL, CELL // 2)), np.float32)[..., :3]
    rows, columns = -(-cells.shape[0] // TILE), -(-cells.shape[1] // TILE)
    missing = (rows * TILE - cells.shape[0], columns * TILE - cells.shape[1])
    cells = np.pad(cells, ((0, missing[0]), (0, missing[1]), (0, 0)), "edge")
    mean = _sum(cells) / TILE**2
    spread = np.sqrt(np.maximum(_sum(cells * cells) / TILE**2 - mean * mean, 0))
    spread[spread < 0.5] = 0  # rounding, not contrast
    return np.concatenate([mean, spread], -1)


def _sum(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    lines = np.add.reduce([cells[i::TILE] for i in range(TILE)])
    total: NDArray[np.float32] = np.add.reduce([lines[:, i::TILE] for i in range(TILE)])
    return total
