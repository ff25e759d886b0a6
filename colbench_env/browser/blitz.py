"""The embedded engine: `blitz-py`, which has no network, no files and no JavaScript."""

from __future__ import annotations

from importlib import metadata, resources
from typing import Any

import blitz_py
import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.blocks import Box
from colbench_env.browser.page import MAX_HEIGHT, VIEWPORT, WIDTH
from colbench_env.browser.sanitise import Document

FONT = "Inter Variable"


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
        html = _adapt(document)
        try:
            template = self._lay_out(html, VIEWPORT)
            boxes = template.boxes()
            height = self._height(boxes)
            if height > VIEWPORT:
                template = self._lay_out(html, height)
                boxes = template.boxes()
            width, height, data = template.render_rgba()
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # a Rust panic is no Exception
            raise DrawError(type(error).__name__) from None
        return np.frombuffer(data, np.uint8).reshape(height, width, 4), boxes

    def _lay_out(self, html: str, height: int) -> Any:
        return blitz_py.Template(
            html,
            width=WIDTH,
            height=height,
            base_url="http://page.invalid/",
            default_font_family=FONT,
        )

    def _height(self, boxes: dict[str, Box]) -> int:
        bottom = max((y + h for x, y, w, h in boxes.values() if w > 0 and h > 0), default=0)
        return int(min(max(bottom + 0.5, VIEWPORT), MAX_HEIGHT))


def _adapt(document: Document) -> str:
    """Return the page's HTML with form fields written as this engine shows them.

    It draws neither placeholders, nor the text of a `textarea`, nor any `select`.
    """
    import lxml.html

    fields = list(document.root.iter("input", "textarea", "select"))
    if not fields:
        return document.html
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
