"""A person who sees two pages and says what differs: without a model, from the lists of blocks.

As the simulated person of ColBench's frontend task (arXiv 2503.15478, section 3.2), who is shown
the two pictures only, it knows neither the reference's HTML nor the dialogue, and says the most
salient differences in at most 1,000 characters. What has been settled no longer differs and is not
said again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from colbench_env.browser.matching import colour_likeness, largest, pair_blocks, weight
from colbench_env.browser.page import WIDTH, Block, Page
from colbench_env.errors import ConfigError, Fault
from colbench_env.humans.colour_names import name_of
from colbench_env.records import Reply

MAX_CHARACTERS = 1_000
SATISFIED = "That looks just as I want it, there is nothing I would change."
NOTHING_SEEN = "I see an empty page."
MIN_PAIR = 0.2  # likeness below which two blocks are no counterparts
SHIFT, GROWTH = 14, 0.18  # pixels, and share of the size, that a person notices
SAME_COLOUR = 0.8  # of `colour_likeness`: a CIEDE2000 difference of 10
SAME_LARGE = 0.96  # the same on a large area: a difference of 2


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What a person who looks at pages is asked: to compare the two.

    A person who can see takes `wanted.png()` and `shown.png()`.

    Attributes:
        wanted: The page in the person's head.
        shown: The page that the assistant made.
        seed: Seed of the person's own noise in this episode.
    """

    wanted: Page
    shown: Page
    seed: int = 0


@runtime_checkable
class PageViewer(Protocol):
    """Somebody who looks at two pages and says what differs.

    Attributes:
        name: Which person it is.
        version: Changes whenever the same pages may get another reply.
    """

    name: str
    version: str

    def reply(self, views: Sequence[View]) -> list[Reply | Fault]:
        """Compare each pair of pages; one reply or `Fault` for each, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Remark:
    """One difference.

    Attributes:
        text: As the person says it.
        salience: How much it catches the eye; the largest is said first.
        kind: `"missing"`, `"extra"`, `"place"`, `"colour"`, `"words"` or `"background"`.
    """

    text: str
    salience: float
    kind: str


class ScriptedPageViewer:
    """Compares the two lists of blocks and says the most salient differences, without a model."""

    name, version = "scripted", "1"

    def reply(self, views: Sequence[View]) -> list[Reply | Fault]:
        """Say what differs, the most important first; `Reply.facts` holds the kinds of remarks."""
        return [self._compare(view) for view in views]

    def _compare(self, view: View) -> Reply:
        remarks = sorted(find_remarks(view.wanted, view.shown), key=lambda r: -r.salience)
        if not remarks:
            return Reply(SATISFIED)
        said: list[Remark] = []
        text = "" if view.shown.blocks else NOTHING_SEEN
        for remark in remarks:
            longer = f"{text} {remark.text}".strip()
            if len(longer) > MAX_CHARACTERS:
                break
            text = longer
            said.append(remark)
        return Reply(text, tuple(remark.kind for remark in said))


class SilentPageViewer:
    """Always says the same: a floor for comparisons."""

    name, version = "null", "1"

    def reply(self, views: Sequence[View]) -> list[Reply | Fault]:
        """Say that it does not look right yet, whatever is shown."""
        return [Reply("That is not quite what I have in mind yet.") for _ in views]


def make_page_viewer(spec: str | PageViewer) -> PageViewer:
    """Return the person that a short name stands for; an object with `reply` is returned as it is.

    Args:
        spec: `"scripted"`, `"null"`, or a `PageViewer`.

    Raises:
        ConfigError: Nobody is called so.
    """
    if not isinstance(spec, str):
        return spec
    if spec == "scripted":
        return ScriptedPageViewer()
    if spec == "null":
        return SilentPageViewer()
    raise ConfigError(
        f"human={spec!r} is unknown for pages; choose 'scripted', 'null', 'agent' or an object "
        "with reply(views)"
    )


def find_remarks(wanted: Page, shown: Page) -> Iterator[Remark]:
    """Yield every difference that a person would notice, in no particular order."""
    ours, theirs = largest(wanted.blocks), largest(shown.blocks)
    colour = _other_colour(wanted.background, shown.background, large=True)
    if colour:
        yield Remark(f"The background of the page should be {colour}.", 900.0, "background")
    pairs = [pair for pair in pair_blocks(ours, theirs) if pair.likeness >= MIN_PAIR]
    paired, used = {p.ours for p in pairs}, {p.theirs for p in pairs}
    for pair in pairs:
        yield from _differences(ours[pair.ours], theirs[pair.theirs])
    for i, block in enumerate(ours):
        if i not in paired:
            text = f"I miss {describe(block)}, {place(block)}."
            yield Remark(text, 1.0 * _salience(block), "missing")
    for j, block in enumerate(theirs):
        if j not in used:
            text = f"Take away {_mention(block)}."
            yield Remark(text, 0.7 * _salience(block), "extra")


def _differences(wanted: Block, shown: Block) -> Iterator[Remark]:
    salience, mention = _salience(wanted), _mention(shown)
    if _misplaced(wanted, shown):
        text = f"{_capital(mention)} should be {place(wanted)}, {_extent(wanted)}."
        yield Remark(text, 0.5 * salience, "place")
    if wanted.kind in ("box", "control"):
        colour = _other_colour(wanted.fill, shown.fill, large=wanted.area > 40_000)
        if colour:
            yield Remark(f"{_capital(mention)} should be {colour}.", 0.5 * salience, "colour")
    if wanted.kind == "text":
        colour = _other_colour(wanted.color, shown.color)
        if colour:
            text = f"The writing of {mention} should be {colour}."
            yield Remark(text, 0.3 * salience, "colour")
    if wanted.kind == "text" and _quoted(wanted) != _quoted(shown):
        text = f"{_capital(mention)} should read {_quoted(wanted)}."
        yield Remark(text, 0.25 * salience, "words")


def _misplaced(wanted: Block, shown: Block) -> bool:
    moved = max(abs(wanted.x - shown.x), abs(wanted.y - shown.y)) > SHIFT
    sides = ((wanted.width, shown.width), (wanted.height, shown.height))
    grown = any(abs(a - b) > max(GROWTH * a, SHIFT) for a, b in sides)
    if wanted.kind == "text":
        return moved or abs(wanted.size - shown.size) > max(3, GROWTH * wanted.size)
    return moved or grown


def _other_colour(wanted: str, shown: str, *, large: bool = False) -> str:
    """Return what colour a thing should have; nothing where a person sees no difference.

    Shades are told apart more finely on large areas. Where both colours go by the same name, it is
    said which way to go.
    """
    likeness = float(colour_likeness([wanted], [shown])[0, 0])
    if likeness >= (SAME_LARGE if large else SAME_COLOUR):
        return ""
    if name_of(wanted) != name_of(shown):
        return name_of(wanted)
    if likeness >= SAME_COLOUR:
        return ""
    brighter = _brightness(wanted) > _brightness(shown)
    return f"{'lighter' if brighter else 'darker'} than this {name_of(wanted)}"


def _brightness(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _salience(block: Block) -> float:
    """What catches the eye: size, and among words the large ones."""
    return weight(block) * (1.0 + min(block.size, 60) / 30)


def describe(block: Block) -> str:
    """Return a block as a person would describe it: kind, colour, size, words."""
    if block.kind == "text":
        return f"the words {_quoted(block)} in {name_of(block.color)}, {_extent(block)}"
    return f"a {_noun(block)}, {_extent(block)}"


def _noun(block: Block) -> str:
    if block.kind == "image":
        return "picture"
    if block.kind == "control":
        what = {"button": "button", "input": "field", "textarea": "field", "select": "list"}
        return f"{name_of(block.fill)} {what.get(block.tag, 'field')}"
    return f"{name_of(block.fill)} {'bar' if block.width >= 0.95 * WIDTH else 'box'}"


def _extent(block: Block) -> str:
    """Return the size as a person would guess it."""
    if block.kind == "text":
        lines = round(block.height / max(block.size * 1.6, 1))
        wide = f" over {_about(block.width)} pixels" if lines > 1 else ""
        return f"letters about {block.size} pixels tall{wide}"
    if block.width >= 0.95 * WIDTH:
        return f"across the whole width and about {_about(block.height)} pixels high"
    return f"about {_about(block.width)} by {_about(block.height)} pixels"


def place(block: Block) -> str:
    """Return where a block stands, in words and guessed pixels."""
    down = f"{_about(block.y)} pixels from the top"
    if block.width >= 0.95 * WIDTH:
        return down
    middle = block.x + block.width / 2
    if abs(middle - WIDTH / 2) < 8:
        return f"centred, {down}"
    right = WIDTH - block.x - block.width
    if right < block.x:
        return f"on the right, {_about(right)} pixels from the right edge and {down}"
    return f"on the left, {_about(block.x)} pixels from the left edge and {down}"


def _about(pixels: float) -> int:
    """Round as people do: to 2 below 60, to 5 below 200, to 10 above."""
    step = 2 if pixels < 60 else 5 if pixels < 200 else 10
    return int(round(pixels / step) * step)


def _mention(block: Block) -> str:
    """Return words that point at a block of the shown page."""
    if block.kind == "text":
        return f"the words {_quoted(block)} {_about(block.y)} pixels from the top"
    return f"the {_noun(block)} {place(block)}"


def _quoted(block: Block) -> str:
    """Return the words in quotation marks: short texts whole, of long ones the beginning."""
    words = block.text.replace('"', "'").split()
    if len(words) <= 8:
        return f'"{" ".join(words)[:60]}"'
    return f'"{" ".join(words[:6])[:50]} ..." ({len(words)} words)'


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def page_in_words(page: Page) -> str:
    """Return a page as text, for a person played by an agent that cannot see."""
    if page.problem is not None:
        return f"Nothing could be drawn: {page.problem}."
    lines = [f"Background {name_of(page.background)}, {page.picture.height} pixels high."]
    lines += [f"- {describe(block)}, {place(block)}" for block in largest(page.blocks)]
    return "\n".join(lines)
