"""Assistants without a model for `ColBench/Frontend-v0`.

`draft` keeps a list of boxes and words, and changes it as the scripted person's remarks say; it
understands their grammar (`colbench_env.humans.page_viewer`) and no other. `draft_and_ignore` shows
its first page again and again. Both are pure functions of the query.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from colbench_env.baselines.rollout import Query
from colbench_env.browser.page import WIDTH
from colbench_env.humans.colour_names import NAMES
from colbench_env.humans.page_viewer import SATISFIED

FILLER = ["and", "more", "about", "it", "in", "a", "few", "plain", "words"]


def _quote(old: str = "") -> str:
    return rf'"(?P<{old}words>[^"]*)"(?: \((?P<{old}count>\d+) words\))?'


def _noun(old: str = "") -> str:
    nouns = "bar|box|button|field|list|picture"
    return rf"(?:(?P<{old}colour>[a-z][a-z -]*?) )?(?P<{old}noun>{nouns})"


def _place(old: str = "") -> str:
    return (
        rf"(?:(?P<{old}centred>centred), |"
        rf"on the right, (?P<{old}right>\d+) pixels from the right edge and |"
        rf"on the left, (?P<{old}left>\d+) pixels from the left edge and )?"
        rf"(?P<{old}top>\d+) pixels from the top"
    )


_EXTENT = (
    r"(?:letters about (?P<size>\d+) pixels tall(?: over (?P<line>\d+) pixels)?|"
    r"across the whole width and about (?P<high>\d+) pixels high|"
    r"about (?P<width>\d+) by (?P<height>\d+) pixels)"
)
_OLD = (  # how the person points at something on the page shown
    rf"[Tt]he (?:words {_quote('old_')} (?P<old_at>\d+) pixels from the top|"
    rf"{_noun('old_')},? {_place('old_')})"
)
_REMARKS = {
    kind: re.compile(pattern)
    for kind, pattern in {
        "background": r"The background of the page should be (?P<colour>[a-z -]+)\.",
        "missing": rf"I miss (?:the words {_quote()} in (?P<ink>[a-z -]+)|a {_noun()}), "
        rf"{_EXTENT}, {_place()}\.",
        "extra": rf"Take away {_OLD}\.",
        "place": rf"{_OLD} should be {_place()}, {_EXTENT}\.",
        "read": rf"{_OLD} should read {_quote()}\.",
        "ink": rf"The writing of {_OLD} should be (?P<ink>[a-z -]+)\.",
        "fill": rf"{_OLD} should be (?P<fill>[a-z -]+)\.",
    }.items()
}


@dataclass(slots=True)
class Element:
    """A box, or words, at a place on the page.

    Attributes:
        noun: `"words"`, or what the person calls it.
        top: Pixels from the top of what is seen of it.
        across: CSS that says where it stands horizontally.
        left: Guessed left edge in pixels.
        width: Pixels; 0 for a single line of words.
        height: Pixels; of words, how tall the letters are.
        colour: Of the box or of the words.
        words: The words.
    """

    noun: str
    top: int
    across: str = "left:40px"
    left: int = 40
    width: int = 0
    height: int = 30
    colour: str = "#000000"
    words: str = ""

    def html(self) -> str:
        """Return the element as HTML with an absolute position."""
        if self.noun != "words":
            size = f"width:{self.width}px;height:{self.height}px"
            place = f"position:absolute;top:{self.top}px;{self.across};{size}"
            if self.noun == "picture":
                source = f"https://picsum.photos/id/48/{self.width}/{self.height}"
                return f'<img src="{source}" style="{place}">'
            tag = "button" if self.noun == "button" else "div"
            edge = "1px solid #9ca3af" if self.noun in ("field", "list") else "0"
            look = f"background:{self.colour};border:{edge};box-sizing:border-box"
            return f'<{tag} style="{place};{look}"></{tag}>'
        deep = any(letter in "gjpqy,;()" for letter in self.words)
        font = self.height / (0.93 if deep else 0.73)
        spacing = 1.5 if self.width else 1.0
        top = self.top - round(font * ((spacing - 1) / 2 + 0.138))
        wrap = f"width:{self.width + 4}px" if self.width else "white-space:nowrap"
        look = f"font-size:{font:.1f}px;line-height:{spacing};color:{self.colour};{wrap}"
        bold = ";font-weight:bold" if self.height >= 16 else ""
        place = f"position:absolute;top:{top}px;{self.across}"
        return f'<div style="{place};{look}{bold}">{html.escape(self.words)}</div>'


@dataclass(slots=True)
class Draft:
    """The page as the assistant has it."""

    elements: list[Element]
    background: str = "#ffffff"

    def html(self) -> str:
        """Return the page; large boxes first, so that they do not cover what stands on them."""
        boxes = sorted(
            (e for e in self.elements if e.noun != "words"), key=lambda e: -e.width * e.height
        )
        words = [e for e in self.elements if e.noun == "words"]
        body = "\n".join(element.html() for element in [*boxes, *words])
        return (
            f'<html>\n<body style="margin:0;position:relative;background:{self.background}">\n'
            f"{body}\n</body>\n</html>"
        )

    def hear(self, remarks: str) -> None:
        """Change the page as the person says."""
        for kind, found in read_remarks(remarks):
            _CHANGES[kind](self, found)

    def find(self, found: re.Match[str]) -> Element | None:
        """Return the element that a remark on the shown page points at."""
        group = found.groupdict()
        if group.get("old_words") is not None:
            start = group["old_words"].removesuffix(" ...")
            same = [e for e in self.elements if e.noun == "words" and e.words.startswith(start)]
            top = int(group["old_at"])
            return min(same, key=lambda e: abs(e.top - top), default=None)
        noun, top = group["old_noun"], int(group["old_top"])
        left = _left(group, "old_", 0)
        pictures = noun == "picture"
        same = [e for e in self.elements if e.noun != "words" and (e.noun == "picture") == pictures]
        colour = NAMES.get(group["old_colour"] or "", "")

        def distance(element: Element) -> int:
            other = 60 if colour and element.colour != colour else 0
            edge = element.left + (0 if left <= WIDTH // 2 else element.width)
            return abs(element.top - top) + abs(edge - left) + other

        return min(same, key=distance, default=None)


def read_remarks(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the kind and the parts of each remark, in order; other sentences are passed over."""
    at = 0
    while at < len(text):
        for kind, pattern in _REMARKS.items():
            found = pattern.match(text, at)
            if found:
                yield kind, found
                at = found.end()
                break
        else:
            following = re.compile(r"(?<=\.) ").search(text, at)
            at = following.end() if following else len(text)
            continue
        at += text[at : at + 1] == " "


def _set_background(draft: Draft, found: re.Match[str]) -> None:
    draft.background = _shade(draft.background, found["colour"])


def _add(draft: Draft, found: re.Match[str]) -> None:
    element = Element("words" if found["words"] is not None else found["noun"], 0)
    if element.noun == "words":
        element.words = _words(found)
        element.colour = NAMES.get(found["ink"], "#000000")
    else:
        element.colour = NAMES.get(found["colour"] or "", "#cccccc")
    _put(element, found)
    if element not in draft.elements:
        draft.elements.append(element)


def _take_away(draft: Draft, found: re.Match[str]) -> None:
    element = draft.find(found)
    if element is not None:
        draft.elements.remove(element)


def _move(draft: Draft, found: re.Match[str]) -> None:
    element = draft.find(found)
    if element is not None:
        _put(element, found)


def _shade(colour: str, name: str) -> str:
    """Return the colour of a name, or the one before made lighter or darker."""
    if not name.startswith(("lighter", "darker")):
        return NAMES.get(name, colour)
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    if name.startswith("lighter"):
        channels = [c + (255 - c) // 4 for c in channels]
    else:
        channels = [c * 4 // 5 for c in channels]
    return "#" + "".join(f"{c:02x}" for c in channels)


def _reword(draft: Draft, found: re.Match[str]) -> None:
    element = draft.find(found)
    if element is not None:
        element.words = _words(found)


def _recolour(draft: Draft, found: re.Match[str]) -> None:
    element = draft.find(found)
    name = found.groupdict().get("ink") or found.groupdict().get("fill") or ""
    if element is not None:
        element.colour = _shade(element.colour, name)


_CHANGES: dict[str, Callable[[Draft, re.Match[str]], None]] = {
    "background": _set_background,
    "missing": _add,
    "extra": _take_away,
    "place": _move,
    "read": _reword,
    "ink": _recolour,
    "fill": _recolour,
}


def _put(element: Element, found: re.Match[str]) -> None:
    """Take place and size from a remark."""
    group = found.groupdict()
    element.top = int(group["top"])
    if group["size"] is not None:
        element.height, element.width = int(group["size"]), int(group["line"] or 0)
    elif group["high"] is not None:
        element.height, element.width = int(group["high"]), WIDTH
    else:
        element.height, element.width = int(group["height"]), int(group["width"])
    element.left = _left(group, "", element.width)
    if group["centred"]:
        half = element.width // 2
        single = element.noun == "words" and not half
        element.across = (
            "left:0;right:0;text-align:center" if single else f"left:{WIDTH // 2 - half}px"
        )
        if element.noun == "words" and half:
            element.across += ";text-align:center"
    elif group["right"]:
        element.across = f"right:{group['right']}px"
    else:
        element.across = f"left:{element.left}px"


def _left(group: dict[str, str | None], old: str, width: int) -> int:
    """Return the left edge that a remark means; for the right-hand side without a width, the right
    edge.
    """
    if group[f"{old}left"]:
        return int(group[f"{old}left"] or 0)
    if group[f"{old}right"]:
        return WIDTH - int(group[f"{old}right"] or 0) - width
    return WIDTH // 2 - width // 2 if group[f"{old}centred"] else 0


def _words(found: re.Match[str]) -> str:
    """Return the words of a remark, a long text filled up to its number of words."""
    words = found["words"].removesuffix(" ...").split()
    missing = int(found["count"] or 0) - len(words)
    words += [FILLER[i % len(FILLER)] for i in range(missing)]
    return " ".join(words)


def first_page(brief: str) -> Draft:
    """Return what can be drawn from the brief alone: its first words as a title."""
    title = " ".join(re.findall(r"[\w']+", brief)[:6])
    return Draft([Element("words", 40, height=30, words=title)])


def _replies(query: Query) -> tuple[str, list[str]]:
    chat = [m for m in query.messages if m["role"] != "system"]
    return chat[0]["content"], [m["content"] for m in chat[1:] if m["role"] == "user"]


def draft(query: Query) -> str:
    """Show a page, change it as the person says, and hand it in when they are satisfied."""
    brief, replies = _replies(query)
    page = first_page(brief)
    for reply in replies:
        page.hear(reply)
    satisfied = bool(replies) and SATISFIED in replies[-1]
    return f"I WANT TO ANSWER:\n{page.html()}" if satisfied else page.html()


def draft_and_ignore(query: Query) -> str:
    """Show the first page again and again, whatever the person says."""
    return first_page(_replies(query)[0]).html()


def draft_once(query: Query) -> str:
    """Hand in what can be drawn from the brief alone."""
    return f"I WANT TO ANSWER:\n{first_page(_replies(query)[0]).html()}"
