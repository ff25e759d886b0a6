"""Make untrusted CSS safe to draw, and the same picture every time.

Addresses become a grey fill, `vh` becomes pixels of the one window there is, and what moves
(animations) or can cost minutes (filters) is left out.
"""

from __future__ import annotations

import re
from typing import Any

import tinycss2  # type: ignore[import-untyped]

from colbench_env.browser.page import PLACEHOLDER, VIEWPORT, WIDTH

MAX_DEPTH = 30  # of nested brackets
FILL = f"linear-gradient({PLACEHOLDER},{PLACEHOLDER})"
_SUSPECT = re.compile(
    r"url|src|image|element|paint|v[hwib]\b|vm(?:in|ax)|filter|animat|transit|zoom|@|\\|<", re.I
)
_FETCHES = {"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "element"}
_FETCHES |= {"-webkit-cross-fade", "-moz-element", "paint"}
_VIEWPORT = {
    prefix + unit: size / 100
    for prefix in ("", "s", "l", "d")
    for unit, size in {
        "vh": VIEWPORT, "vw": WIDTH, "vmin": VIEWPORT, "vmax": WIDTH, "vi": WIDTH, "vb": VIEWPORT
    }.items()
}  # fmt: skip
_DROPPED = re.compile(r"^(-webkit-|-moz-)?(backdrop-filter|filter|animation|transition|zoom)", re.I)


class TooDeepError(ValueError):
    """Brackets are nested too deeply."""


def clean_style(text: str) -> str:
    """Return the declarations of a `style` attribute without anything that fetches or moves.

    Raises:
        TooDeepError: Brackets are nested too deeply.
    """
    if not _SUSPECT.search(text):
        return text
    return _declarations(tinycss2.parse_blocks_contents(text))


def clean_sheet(text: str) -> str:
    """Return a stylesheet without anything that fetches or moves; only `@media` rules are kept.

    Raises:
        TooDeepError: Brackets are nested too deeply.
    """
    return _rules(tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True))


def _rules(nodes: list[Any], depth: int = 0) -> str:
    if depth > MAX_DEPTH:
        raise TooDeepError
    out = []
    for node in nodes:
        if node.content is None or node.type not in ("qualified-rule", "at-rule"):
            continue
        prelude = _values(node.prelude)
        if node.type == "qualified-rule":
            body = _declarations(tinycss2.parse_blocks_contents(node.content))
            out.append(f"{prelude}{{{body}}}")
        elif node.lower_at_keyword in ("media", "supports", "layer"):
            inner = _rules(tinycss2.parse_rule_list(node.content), depth + 1)
            out.append(f"@{node.lower_at_keyword} {prelude}{{{inner}}}")
    return "".join(out)


def _declarations(nodes: list[Any]) -> str:
    out = []
    for node in nodes:
        if node.type == "declaration" and not _DROPPED.match(node.name):
            important = "!important" if node.important else ""
            out.append(f"{_name(node.name)}:{_values(node.value)}{important};")
    return "".join(out)


def _name(name: str) -> str:
    """Write a name out again, with its escapes."""
    text: str = tinycss2.ast.IdentToken(0, 0, name).serialize()
    return text


def _values(nodes: list[Any], depth: int = 0) -> str:
    """Write component values out again, with addresses and units replaced."""
    if depth > MAX_DEPTH:
        raise TooDeepError
    out = []
    for node in nodes:
        kind = node.type
        if kind == "url" or (kind == "function" and node.lower_name in _FETCHES):
            fragment = node.value.startswith("#") if kind == "url" else False
            out.append(node.serialize() if fragment else FILL)
        elif kind == "function":
            out.append(f"{_name(node.name)}({_values(node.arguments, depth + 1)})")
        elif kind in ("() block", "[] block", "{} block"):
            out.append(f"{kind[0]}{_values(node.content, depth + 1)}{kind[1]}")
        elif kind == "dimension" and node.lower_unit in _VIEWPORT:
            out.append(f"{node.value * _VIEWPORT[node.lower_unit]:g}px")
        elif kind == "error":
            continue
        else:
            out.append(node.serialize())
    return "".join(out).replace("</", "<\\/")
