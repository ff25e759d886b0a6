"""Read a drawn page back as blocks: what stands where, in which colours, with which words.

Boxes come from the engine's layout, colours and the true extent of words from the pixels, so that
what cannot be seen (hidden, covered, text without contrast) is no block, whatever the markup says.
The same code serves every engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.page import PLACEHOLDER, Block

MIN_SIDE = 4  # pixels; what is thinner is a line, not a block
MIN_CONTRAST = 24  # of 255, largest difference of a colour channel between words and ground
MIN_FILL = 8  # the same between an area and what it lies on
MAX_TEXT = 300  # characters kept of a block's words
_CONTROLS = {"button", "input", "textarea", "select", "progress", "meter"}
Box = tuple[float, float, float, float]


def find_blocks(
    root: Any, boxes: Mapping[str, Box], rgba: NDArray[np.uint8]
) -> tuple[list[Block], str]:
    """Return the visible blocks of a page in document order, and its most common colour.

    Args:
        root: Element tree as it was drawn; elements carry ids.
        boxes: Layout boxes `(x, y, width, height)` by id; inline elements have none.
        rgba: The picture, uint8 `[H, W, 4]`, contiguous.
    """
    image = rgba.view(np.uint32)[..., 0]  # [H, W], one number a pixel, alpha 255 throughout
    ground = _ground(image)
    elements, parents, texts, corners = _boxed(root, boxes, image.shape)
    fills, framed, stands_out = _fills(corners, np.array(parents, np.int64), image, ground)
    solid = stands_out & (fills != np.array([fills[p] if p >= 0 else ground for p in parents]))
    blocks = []
    for i, element in enumerate(elements):
        tag = element.tag
        x0, y0, x1, y1 = corners[i]
        behind = fills[parents[i]] if parents[i] >= 0 else ground
        filled = stands_out[i] and _apart(int(fills[i]), int(behind))
        shape = (int(x0), int(y0), int(x1 - x0), int(y1 - y0))
        large = x1 - x0 >= MIN_SIDE and y1 - y0 >= MIN_SIDE
        fill = _hex(int(fills[i]))
        words = " ".join(" ".join(texts[i]).split())
        if tag in ("img", "svg"):
            if large and (filled or framed[i]):
                blocks.append(Block("image", *shape, fill=fill, tag=tag))
            continue
        inner = _ink(image, corners[i], _over(i, corners, parents, solid)) if words else None
        if large and (filled or framed[i]):
            kind = "control" if tag in _CONTROLS else "box"
            blocks.append(Block(kind, *shape, fill=fill, tag=tag))
        if inner is not None:
            x, y, width, height, size, color = inner
            seen = words[:MAX_TEXT]
            blocks.append(Block("text", x, y, width, height, seen, _hex(color), fill, size, tag))
    return blocks, _hex(ground)


def _ground(image: NDArray[np.uint32]) -> int:
    """Return the most common colour, or the next one where that is the colour of images."""
    found, counts = np.unique(image[::8, ::8], return_counts=True)
    order = counts.argsort()[::-1]
    of_images = _hex(int(found[order[0]])) == PLACEHOLDER
    if of_images and len(order) > 1 and counts[order[1]] * 10 >= counts.sum():
        return int(found[order[1]])
    return int(found[order[0]])


def _boxed(
    root: Any, boxes: Mapping[str, Box], shape: tuple[int, ...]
) -> tuple[list[Any], list[int], list[list[str]], NDArray[np.int64]]:
    """Return the elements with a box inside the picture, each one's boxed ancestor (index or -1),
    its own words, and its corners `[N, 4]` as x0, y0, x1, y1.
    """
    height, width = shape
    elements: list[Any] = []
    parents: list[int] = []
    texts: list[list[str]] = []
    corners: list[tuple[int, int, int, int]] = []
    pending: list[tuple[Any, int]] = [(root.find("body"), -1)]
    claimed: set[str] = set()
    while pending:
        element, owner = pending.pop()
        if isinstance(element, str):
            if owner >= 0:
                texts[owner].append(element)
            continue
        if element is None or element.tag == "style":
            continue
        name = element.get("id", "")
        box = boxes.get(name) if name not in claimed else None
        if box is not None and box[2] > 0 and box[3] > 0:
            claimed.add(name)
            x0, y0 = max(round(box[0]), 0), max(round(box[1]), 0)
            x1 = min(round(box[0] + box[2]), width)
            y1 = min(round(box[1] + box[3]), height)
            if x1 > x0 and y1 > y0:
                elements.append(element)
                parents.append(owner)
                texts.append([_value(element)])
                corners.append((x0, y0, x1, y1))
                owner = len(elements) - 1
        if element.tag == "svg":
            continue
        inside: list[tuple[Any, int]] = []
        if element.text:
            inside.append((element.text, owner))
        for child in element:
            inside.append((child, owner))
            if child.tail:
                inside.append((child.tail, owner))
        pending.extend(reversed(inside))
    return elements, parents, texts, np.array(corners, np.int64).reshape(-1, 4)


def _value(element: Any) -> str:
    """Return the words of a field, which are no text of the tree."""
    if element.tag != "input" or element.get("type", "").lower() in ("password", "checkbox"):
        return ""
    return str(element.get("value") or element.get("placeholder") or "")


def _fills(
    corners: NDArray[np.int64], parents: NDArray[np.int64], image: NDArray[np.uint32], ground: int
) -> tuple[NDArray[np.uint32], NDArray[np.bool_], NDArray[np.bool_]]:
    """Return each box's ground colour, whether it has a frame, and whether it stands out from what
    lies around it, which need not be the element that it is in.

    The colour is the most common one of 12 points just inside the edges, without those that lie in
    a box inside it; a box that others cover has the colour of the one around it.
    """
    count = len(corners)
    if not count:
        return np.zeros(0, np.uint32), np.zeros(0, np.bool_), np.zeros(0, np.bool_)
    x0, y0, x1, y1 = corners.T
    right, bottom = x1 - 1, y1 - 1
    dx, dy = np.minimum(4, (x1 - x0) // 4), np.minimum(4, (y1 - y0) // 4)
    middle_x, middle_y = (x0 + x1) // 2, (y0 + y1) // 2
    third_x, third_y = x0 + (x1 - x0) // 3, y0 + (y1 - y0) // 3
    last_x, last_y = right - (x1 - x0) // 4, bottom - (y1 - y0) // 4
    top, low, near, far = y0 + dy, bottom - dy, x0 + dx, right - dx
    xs = np.stack([near, far] * 3 + [middle_x, middle_x, third_x, third_x, last_x, last_x])
    ys = np.stack([middle_y, middle_y, third_y, third_y, last_y, last_y] + [top, low] * 3)
    covered = _covered(xs, ys, corners, parents)  # [12, N]
    samples = image[ys, xs]
    same = (samples[:, None] == samples[None]) & ~covered[None]
    best = np.where(covered, 0, same.sum(1)).argmax(0)
    fills = samples[best, np.arange(count)]
    for i in np.flatnonzero(covered.all(0)):  # in document order: parents come first
        fills[i] = fills[parents[i]] if parents[i] >= 0 else ground
    # A frame: on three edges at least another colour than just inside, and than just outside.
    edge_x = np.stack([x0, right, middle_x, third_x])
    edge_y = np.stack([middle_y, third_y, y0, bottom])
    bare = ~_covered(edge_x, edge_y, corners, parents)
    framed = ((image[edge_y, edge_x] != fills) & bare).sum(0) >= 3
    framed &= (x1 - x0 > 8) & (y1 - y0 > 8)
    # What stands out differs from what lies around it on at least half of its sides.
    around_x = np.stack([x0 - 2, right + 2, third_x, third_x])
    around_y = np.stack([third_y, third_y, y0 - 2, bottom + 2])
    height, width = image.shape
    exists = (around_x >= 0) & (around_x < width) & (around_y >= 0) & (around_y < height)
    around = image[np.clip(around_y, 0, height - 1), np.clip(around_x, 0, width - 1)]
    apart = ((around != np.where(framed, image[edge_y[0], edge_x[0]], fills)) & exists).sum(0)
    stands_out = 2 * apart >= np.maximum(exists.sum(0), 1)
    return fills, framed & stands_out, stands_out


def _covered(
    xs: NDArray[np.int64],
    ys: NDArray[np.int64],
    corners: NDArray[np.int64],
    parents: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which points `[P, N]` of each box lie in a box directly inside it."""
    covered = np.zeros(xs.shape, np.bool_)
    inner = np.flatnonzero(parents >= 0)
    x0, y0, x1, y1 = corners[inner].T
    px, py = xs[:, parents[inner]], ys[:, parents[inner]]
    inside = (px >= x0) & (px < x1) & (py >= y0) & (py < y1)
    for row, hit in zip(covered, inside, strict=True):
        row[parents[inner[hit]]] = True
    return covered


def _over(
    i: int, corners: NDArray[np.int64], parents: list[int], solid: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Return the corners of what may lie over a box: its children, and later boxes with a fill."""
    x0, y0, x1, y1 = corners[i]
    later = corners[i + 1 :]
    meets = (later[:, 0] < x1) & (later[:, 2] > x0) & (later[:, 1] < y1) & (later[:, 3] > y0)
    over = meets & (solid[i + 1 :] | (np.array(parents[i + 1 :], np.int64) == i))
    found: NDArray[np.int64] = later[over]
    return found


def _ink(
    image: NDArray[np.uint32], corners: NDArray[np.int64], over: NDArray[np.int64]
) -> tuple[int, int, int, int, int, int] | None:
    """Return extent, line height and colour of what is drawn in a box and not by what lies over it.

    Returns:
        `(x, y, width, height, line height, packed colour)`, or None where nothing stands out.
    """
    x0, y0, x1, y1 = corners
    region = image[y0:y1, x0:x1]
    step = max(len(region) // 12, 1), max(region.shape[1] // 24, 1)
    seen: NDArray[np.bool_] | None = None
    sample = region[:: step[0], :: step[1]]
    if len(over):
        seen = np.ones(region.shape, np.bool_)
        for cx0, cy0, cx1, cy1 in over:
            seen[max(cy0 - y0, 0) : max(cy1 - y0, 0), max(cx0 - x0, 0) : max(cx1 - x0, 0)] = False
        sample = sample[seen[:: step[0], :: step[1]]]
        if not len(sample):
            return None
    ground = _most_common(sample)
    mask = region != ground
    if x1 - x0 > 8 and y1 - y0 > 8:
        _clear_border(mask)
        _clear_border(mask.T)
    if seen is not None:
        mask &= seen
    rows = np.flatnonzero(mask.any(1))
    if not len(rows):
        return None
    top, bottom = int(rows[0]), int(rows[-1])
    columns = np.flatnonzero(mask[top : bottom + 1].any(0))
    left, right = int(columns[0]), int(columns[-1])
    inked = region[mask]
    color = _most_common(inked[:: max(len(inked) // 400, 1)])
    if not _apart(color, ground, MIN_CONTRAST):
        return None
    breaks = np.flatnonzero(np.diff(rows) > 1)
    lines = np.diff(np.concatenate([[-1], breaks, [len(rows) - 1]]))
    size = int(np.median(lines[lines > 2])) if (lines > 2).any() else int(lines.max())
    return int(x0) + left, int(y0) + top, right - left + 1, bottom - top + 1, size, color


def _clear_border(mask: NDArray[np.bool_]) -> None:
    """Clear, in place, what runs along the left and right edge from top to bottom: a border."""
    for side in (mask, mask[:, ::-1]):
        if side[3:-3, 2].all():  # wider than 2 pixels
            other = np.flatnonzero(~side[3:-3, : side.shape[1] // 4].all(0))
            side[:, : int(other[0]) if len(other) else side.shape[1] // 4] = False
        side[:, :2] = False


def _most_common(values: NDArray[np.uint32]) -> int:
    """Return the most frequent value, of equally frequent ones the smallest."""
    ordered = np.sort(values, axis=None)
    starts = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    if not len(starts):
        return int(ordered[0])
    bounds = np.concatenate([[0], starts, [len(ordered)]])
    return int(ordered[bounds[np.diff(bounds).argmax()]])


def _channels(color: int) -> tuple[int, int, int]:
    return color & 255, color >> 8 & 255, color >> 16 & 255


def _apart(one: int, other: int, least: int = MIN_FILL) -> bool:
    """Whether two packed colours differ by at least `least` in some channel."""
    return any(abs(a - b) >= least for a, b in zip(_channels(one), _channels(other), strict=True))


def _hex(color: int) -> str:
    return "#" + "".join(f"{channel:02x}" for channel in _channels(color))
