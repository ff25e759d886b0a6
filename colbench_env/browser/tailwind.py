"""The rules of Tailwind 2.2.19 that a page needs.

ColBench's pages link the whole static stylesheet of that version (2.9 MB). A copy lies in `assets/`
(MIT licence beside it); it is indexed once, and a page gets the base rules and those of the classes
that it uses. The window has one width, so media queries are answered while indexing; rules for
states that a picture never shows (hover, focus) are left out.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources

from colbench_env.browser.page import VIEWPORT, WIDTH

VERSION = "2.2.19"
_FILE = f"tailwind-{VERSION}.min.css.xz"
_RULE = re.compile(r"@media \(min-width:(\d+)px\)\{|@keyframes \w+\{|([^{}@]+)\{([^{}]*)\}|\}")
_VENDOR = re.compile(r"(?<=\})[^{}]*:-(?:moz|webkit)-[^{}]*\{[^{}]*\}")  # nothing of it is seen
_CLASS = re.compile(r"\.((?:\\[0-9a-f]{1,6} ?|\\.|[\w-])+)")
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6}) ?|(.))")
_STATE = re.compile(r":(?:hover|focus|focus-within|focus-visible|active|visited|disabled)\b")


def stylesheet(classes: Iterable[str]) -> str:
    """Return the base rules and those of the given class names, in the original's order."""
    base, rules = _index()
    needed = sorted({rule for name in classes for rule in rules.get(name, ())})
    return base + "".join([text for _, text in needed])


@cache
def _index() -> tuple[str, dict[str, list[tuple[int, str]]]]:
    """Return the rules without a class, and by class name the others with their positions."""
    css = lzma.decompress((resources.files(__package__) / "assets" / _FILE).read_bytes()).decode()
    css = css.replace("100vh", f"{VIEWPORT}px")
    start = css.index(".container{")
    base = _VENDOR.sub("", css[:start])
    rules: dict[str, list[tuple[int, str]]] = {}
    open_blocks: list[bool] = []  # of each block around, whether its rules count
    for match in _RULE.finditer(css, start):
        minimum, selector, body = match.groups()
        if minimum is not None:
            open_blocks.append(int(minimum) <= WIDTH)
        elif match[0].startswith("@keyframes"):
            open_blocks.append(False)
        elif selector is None:
            open_blocks.pop()
        elif all(open_blocks):
            for one in selector.split(","):
                name = _CLASS.match(one)
                if name is not None and not _STATE.search(one[name.end() :]):
                    key = _ESCAPE.sub(_unescape, name[1])
                    rules.setdefault(key, []).append((match.start(), f"{one}{{{body}}}"))
    return base, rules


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else match[2]
