"""Make an untrusted page safe to draw, and complete without a network.

What is kept is listed, everything else goes: scripts, addresses, embedded documents, event
attributes, metadata. Images of any source become one grey rectangle of the size that their address
or attributes name, so that a page looks the same without a network and no picture can be smuggled
in. A link to Tailwind of any version becomes the rules of Tailwind 2.2.19 that the page uses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import lxml.html  # type: ignore[import-untyped]
from lxml import etree

from colbench_env.browser import css, tailwind
from colbench_env.browser.page import PLACEHOLDER

MAX_BYTES = 256_000
MAX_ELEMENTS = 5_000
MAX_DEPTH = 200
MAX_IMAGE = 4_096  # pixels a side


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_DROPPED = _names(
    "script base link meta title noscript template noembed noframes frameset frame xmp plaintext "
    "listing math audio source track param area map datalist portal fencedframe"
)
_IMAGES = {"img", "image", "iframe", "object", "embed", "video", "canvas", "picture", "applet"}
_TAGS = _names(
    "html head body style address article aside footer header h1 h2 h3 h4 h5 h6 hgroup main nav "
    "section search blockquote dd div dl dt figcaption figure hr li menu ol p pre ul a abbr b bdi "
    "bdo br cite code data dfn em i kbd mark q rp rt ruby s samp small span strong sub sup time u "
    "var wbr del ins caption col colgroup table tbody td tfoot th thead tr button fieldset form "
    "input label legend meter optgroup option output progress select textarea details summary "
    "dialog center font strike tt big svg"
)
_SHAPES = _names(
    "svg g path rect circle ellipse line polyline polygon text tspan defs lineargradient "
    "radialgradient stop clippath"
)
_ATTRIBUTES = _names(
    "class id style width height type value placeholder checked selected disabled rows cols size "
    "colspan rowspan align valign bgcolor color border cellpadding cellspacing dir hidden multiple "
    "min max step role open start reversed label face nowrap"
)
_SHAPE_ATTRIBUTES = _names(
    "class id style width height viewbox fill stroke stroke-width stroke-linecap stroke-linejoin "
    "fill-rule clip-rule d cx cy r rx ry x y x1 y1 x2 y2 points transform opacity fill-opacity "
    "stroke-opacity stroke-dasharray offset stop-color stop-opacity gradientunits "
    "gradienttransform preserveaspectratio text-anchor font-size font-weight clip-path"
)
_BY = re.compile(r"(?<!\d)(\d{1,4})x(\d{1,4})(?!\d)", re.I)
_NUMBER = re.compile(r"(\d{1,4})(?:$|[.-])")
_SIDES = (("w", "width"), ("h", "height"))
_OWN_ID = "colbench-"


class BadPageError(ValueError):
    """The page cannot be drawn; the message says why."""


@dataclass(frozen=True, slots=True)
class Document:
    """A cleaned page.

    Attributes:
        root: Its element tree; every element of the body has an id.
        html: The same as text, with the stylesheets.
    """

    root: Any
    html: str


def sanitise(page: str) -> Document:
    """Return the page as it may be drawn.

    Args:
        page: HTML as an agent wrote it.

    Raises:
        BadPageError: It is empty, larger than 256 kB, holds more than 5,000 elements, or is nested
            more than 200 deep.
    """
    data = page.encode("utf-8", "replace")
    if len(data) > MAX_BYTES:
        raise BadPageError(f"the page is larger than {MAX_BYTES // 1000} kB")
    if not data.strip():
        raise BadPageError("the page is empty")
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        root = lxml.html.document_fromstring(data, parser=parser, ensure_head_body=True)
    except (etree.LxmlError, AssertionError, ValueError) as error:
        raise BadPageError("the page cannot be parsed") from error
    _measure(root)
    try:
        uses_tailwind, classes = _clean(root)
    except css.TooDeepError as error:
        raise BadPageError("the page's CSS is nested too deeply") from error
    if uses_tailwind:
        sheet = etree.Element("style")
        sheet.text = tailwind.stylesheet(classes)
        root.find("head").insert(0, sheet)
    html = lxml.html.tostring(root, encoding="unicode", doctype="<!DOCTYPE html>")
    return Document(root, html)


def _measure(root: Any) -> None:
    depth = count = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        count += event == "start"
        if depth > MAX_DEPTH:
            raise BadPageError(f"the page is nested more than {MAX_DEPTH} deep")
        if count > MAX_ELEMENTS:
            raise BadPageError(f"the page has more than {MAX_ELEMENTS} elements")


def _clean(root: Any) -> tuple[bool, set[str]]:
    """Clean the tree in place; return whether it uses Tailwind, and its class names."""
    uses_tailwind, classes, ids = False, set(), set()
    pending = [(root, False)]
    number = 0
    while pending:
        element, drawing = pending.pop()
        tag = element.tag
        attributes = element.attrib
        if tag in ("link", "script"):
            address = attributes.get("href", "") + attributes.get("src", "")
            uses_tailwind = uses_tailwind or "tailwind" in address.lower()
        if not isinstance(tag, str) or tag in _DROPPED or (drawing and tag not in _SHAPES):
            element.drop_tree()
            continue
        if tag in _IMAGES:
            _image(element)
            tag = "img"
        elif tag == "style":
            element.text = css.clean_sheet(element.text or "")
        elif tag not in _TAGS and tag not in _SHAPES:
            tag = element.tag = "span"
        elif tag == "input" and attributes.get("type", "").lower() == "image":
            attributes["type"] = "submit"
        drawing = drawing or tag == "svg"
        _keep_attributes(element, tag, _SHAPE_ATTRIBUTES if drawing else _ATTRIBUTES)
        classes.update(attributes.get("class", "").split())
        if tag not in ("html", "head", "style"):
            name = attributes.get("id", "")
            if not name or name in ids or name.startswith(_OWN_ID):
                number += 1
                if not name or name.startswith(_OWN_ID):
                    attributes["id"] = name = f"{_OWN_ID}{number}"
            ids.add(name)
        pending.extend([(child, drawing) for child in reversed(element)])
    return uses_tailwind, classes


def _keep_attributes(element: Any, tag: str, kept: frozenset[str]) -> None:
    attributes = element.attrib
    for name, value in attributes.items():
        if name == "style":
            attributes[name] = css.clean_style(value)
        elif name == "href" and tag == "a":
            attributes[name] = "#"
        elif (name, tag) == ("src", "img"):
            continue  # the placeholder
        elif name not in kept or ("url(" in value.lower() and "url(#" not in value.lower()):
            del attributes[name]


def _image(element: Any) -> None:
    """Turn the element into an image of one colour."""
    attributes = element.attrib
    address = attributes.get("src") or attributes.get("data") or attributes.get("srcset") or ""
    width, height = _image_size(address, attributes)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">'
        f'<rect width="{width}" height="{height}" fill="{PLACEHOLDER}"/></svg>'
    )
    for child in list(element):
        element.remove(child)
    element.tag, element.text = "img", None
    attributes["src"] = f"data:image/svg+xml,{quote(svg)}"


def _image_size(address: str, attributes: Any) -> tuple[int, int]:
    """Return the size in pixels that an address names ("/600/400", "600x400", "?w=600&h=400")."""
    if not address.lower().startswith("data:"):
        try:
            parts = urlsplit(address[:500])
        except ValueError:
            parts = urlsplit("")
        query = parse_qs(parts.query)
        sides = [query.get(side, query.get(name, [""]))[0] for side, name in _SIDES]
        by = _BY.search(parts.path)
        numbers = [_NUMBER.match(segment) for segment in parts.path.split("/")[-2:]]
        if by:
            return _bounded(by[1], by[2])
        if numbers[-1]:
            return _bounded((numbers[0] or numbers[-1])[1], numbers[-1][1])
        if any(side.isdecimal() for side in sides):
            found = [side for side in sides if side.isdecimal()]
            return _bounded(found[0], found[-1])
    sides = [attributes.get(side, "") for side in ("width", "height")]
    if all(side.isdecimal() for side in sides):
        return _bounded(*sides)
    return 300, 150  # what CSS gives to replaced elements without a size


def _bounded(width: str, height: str) -> tuple[int, int]:
    return min(max(int(width), 1), MAX_IMAGE), min(max(int(height), 1), MAX_IMAGE)
