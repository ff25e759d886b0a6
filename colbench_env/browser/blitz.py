"""The embedded engine: `blitz-py`, which has no network, no files and no JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata, resources
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

import blitz_py
import lxml.html  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.blocks import Box
from colbench_env.browser.page import MAX_HEIGHT, VIEWPORT, WIDTH
from colbench_env.browser.sanitise import Document

FONT = "Inter Variable"
_FIELDS = {"button", "input", "select", "textarea", "progress", "meter"}
T = TypeVar("T")
_NAMES = (
    "a abbr b bdi cite code data dfn em i kbd label mark q s samp small span strong sub sup time u "
    "var button input select textarea img svg output meter progress font tt big strike"
)
_INLINE = frozenset(_NAMES.split())
_BLOCKS = {"block", "flex", "grid", "table", "hidden", "absolute", "fixed"}  # of Tailwind
_MARKER = "colbench-marker-"


class DrawError(RuntimeError):
    """The engine gave up on a page."""


class Blitz:
    """Draws documents in this process; run it in a worker, for a page may hang or crash it."""

    name = "blitz"
    version = metadata.version("blitz-py")

    def __init__(self) -> None:
        font = (resources.files("colbench_env.browser") / "assets" / "Inter.ttf").read_bytes()
        blitz_py.register_fonts([font], default_family=FONT)

    def draw(self, document: Document) -> tuple[NDArray[np.uint8], dict[str, Box]]:
        """Return the picture, uint8 `[H, W, 4]`, and the boxes of block-level elements by id.

        Raises:
            DrawError: The engine panicked or refused the page.
        """
        html, marked = _adapt(document), _mark_runs(document)
        height, markers = VIEWPORT, None
        if marked is not None:  # which also tells how tall the page is, as a rule
            markers = self._lay_out(marked, height)[1]
            height = _height(markers)
        template, boxes = self._lay_out(html, height)
        if _height(boxes) != height:
            height = _height(boxes)
            template, boxes = self._lay_out(html, height)
        width, height, data = _survive(template.render_rgba)
        if markers is not None:
            boxes = _repair(document.root, boxes, markers)
        return np.frombuffer(data, np.uint8).reshape(height, width, 4), boxes

    def _lay_out(self, html: str, height: int) -> tuple[Any, dict[str, Box]]:
        def lay_out() -> tuple[Any, dict[str, Box]]:
            template = blitz_py.Template(
                html,
                width=WIDTH,
                height=height,
                base_url="http://page.invalid/",
                default_font_family=FONT,
            )
            return template, template.boxes()

        return _survive(lay_out)


def _height(boxes: dict[str, Box]) -> int:
    bottom = max((y + h for x, y, w, h in boxes.values() if w > 0 and h > 0), default=0)
    return int(min(max(bottom + 0.5, VIEWPORT), MAX_HEIGHT))


def _survive(call: Callable[[], T]) -> T:
    """Call the engine; its panics, which are no `Exception`, become a `DrawError`."""
    try:
        return call()
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # noqa: BLE001
        raise DrawError(type(error).__name__) from None


def _mark_runs(document: Document) -> str | None:
    """Return the page with an empty block before each run of inline elements among blocks.

    The engine reports boxes in such a run without the offset of the anonymous block around it; the
    marker stands where that block begins. None where there is no such run.
    """
    sheets = [sheet.text or "" for sheet in document.root.iter("style")]
    styled = any("inline" in sheet for sheet in sheets if not sheet.startswith("/*! tailwind"))
    pictures = not any(sheet.startswith("/*! tailwind") for sheet in sheets)  # are they inline?
    starts = []
    for parent in document.root.find("body").iter():
        if parent.tag == "svg" or parent.tag in _INLINE or len(parent) < 2:
            continue
        inline = [_is_inline(child) for child in parent]
        if all(inline) or not any(inline):
            continue
        for flows, run in groupby(zip(inline, parent, strict=True), key=itemgetter(0)):
            children = [child for _, child in run]
            if flows and (styled or any(_has_box(child, pictures) for child in children)):
                starts.append(children[0])
    if not starts:
        return None
    markers = []
    for child in starts:
        marker = child.makeelement("div", {"id": _MARKER + child.get("id"), "hidden": ""})
        marker.set("style", "display:block!important;height:0!important;margin:0!important")
        before, parent = child.getprevious(), child.getparent()
        if before is not None:
            marker.tail, before.tail = before.tail, None
        else:
            marker.tail, parent.text = parent.text, None
        tail = marker.tail
        child.addprevious(marker)
        marker.tail = tail
        markers.append(marker)
    html: str = lxml.html.tostring(document.root, encoding="unicode", doctype="<!DOCTYPE html>")
    for marker in markers:
        marker.drop_tree()
    return html


def _is_inline(element: Any) -> bool:
    """Guess whether an element flows with the words around it."""
    if element.tag not in _INLINE or "display" in element.get("style", ""):
        return False
    return _BLOCKS.isdisjoint(element.get("class", "").split())


def _has_box(element: Any, pictures: bool) -> bool:
    """Guess whether an element that flows with the words has a box of its own."""
    if element.tag in _FIELDS or (pictures and element.tag in ("img", "svg")):
        return True
    look = element.get("class", "") + element.get("style", "")
    return "inline-" in look or any(_has_box(child, pictures) for child in element)


def _repair(root: Any, boxes: dict[str, Box], marked: dict[str, Box]) -> dict[str, Box]:
    """Return the boxes with those in runs moved by what the engine left out.

    Only what is reported above its marker is moved: in a block nothing can stand there. Markers
    without a width stand in flexible boxes, where there is no anonymous block.
    """
    repaired = dict(boxes)
    pending: list[tuple[Any, float, float]] = [(root.find("body"), 0.0, 0.0)]
    while pending:
        parent, dx, dy = pending.pop()
        own = boxes.get(parent.get("id"))
        marker: Box | None = None
        for child in parent:
            name = child.get("id", "")
            marker = marked.get(_MARKER + name, marker if _is_inline(child) else None)
            x, y, width, height = boxes.get(name, (0.0, 0.0, 0.0, 0.0))
            move_x, move_y = dx, dy
            if marker and own and marker[2] > 0 and height > 0 and y + 0.5 < marker[1]:
                move_x, move_y = dx + marker[0] - own[0], dy + marker[1] - own[1]
            if name in boxes:
                repaired[name] = (x + move_x, y + move_y, width, height)
            if child.tag != "svg":
                pending.append((child, move_x, move_y))
    return repaired


def _adapt(document: Document) -> str:
    """Return the page's HTML with form fields written as this engine shows them.

    It draws neither placeholders, nor the text of a `textarea`, nor any `select`, and takes the
    width of a field as that of its content, where browsers include padding and border.
    """
    fields = list(document.root.iter("input", "textarea", "select", "button"))
    if not fields:
        return document.html
    sheet = document.root.makeelement("style", {})
    sheet.text = "button,input,select,textarea{box-sizing:border-box}"
    document.root.find("head").insert(0, sheet)
    for field in fields:
        if field.tag == "select":
            options = list(field.iter("option"))
            chosen = [o for o in options if "selected" in o.attrib] or options
            text = chosen[0].text_content().strip() if chosen else ""
            for child in list(field):
                field.remove(child)
            field.tag, field.text = "button", text
        elif field.tag == "textarea":
            field.set("value", field.text_content() or field.get("placeholder", ""))
        elif not field.get("value") and field.get("placeholder"):
            field.set("value", field.get("placeholder"))
            if "color" not in field.get("style", ""):
                field.set("style", f"{field.get('style', '')};color:#757575")
    html: str = lxml.html.tostring(document.root, encoding="unicode", doctype="<!DOCTYPE html>")
    return html
