# lines of HTML
"""The scripted person: what it says, in which order, and when it is satisfied."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_env.baselines.scripted_frontend import read_remarks
from colbench_env.browser import Block, Page
from colbench_env.browser.page import white
from colbench_env.errors import ConfigError
from colbench_env.humans.colour_names import NAMES, name_of
from colbench_env.humans.page_viewer import (
    MAX_CHARACTERS,
    SATISFIED,
    View,
    find_remarks,
    make_page_viewer,
    page_in_words,
)
from colbench_env.tasks.pages import builtin_pages

from .conftest import draw, reference


def page(*blocks: Block, background: str = "#ffffff") -> Page:
    empty = white("", {})
    return Page(empty.picture, empty.tiles, blocks, background)


def say(wanted: Page, shown: Page) -> str:
    [reply] = make_page_viewer("scripted").reply([View(wanted, shown)])
    return reply.text


def box(x: int, y: int, width: int, height: int, fill: str) -> Block:
    return Block("box", x, y, width, height, fill=fill, tag="div")


def words(text: str, x: int = 100, y: int = 50, color: str = "#000000", size: int = 20) -> Block:
    return Block("text", x, y, 12 * len(text), size, text, color, "#ffffff", size, "p")


BAR = box(0, 0, 1280, 80, NAMES["dark blue"])
TITLE = words("Acme Bank")


def test_what_is_missing_or_superfluous():
    assert say(page(BAR), page()).endswith(
        "I miss a dark blue bar, across the whole width and about 80 pixels high, "
        "0 pixels from the top."
    )
    assert (
        say(page(TITLE), page(BAR, TITLE)) == "Take away the dark blue bar 0 pixels from the top."
    )
    assert 'I miss the words "Acme Bank" in black' in say(page(BAR, TITLE), page(BAR))


def test_colour_place_size_and_words():
    red = box(0, 0, 1280, 80, NAMES["red"])
    assert say(page(BAR), page(red)) == "The red bar 0 pixels from the top should be dark blue."
    low = words("Acme Bank", y=120)
    assert say(page(TITLE), page(low)) == (
        'The words "Acme Bank" 120 pixels from the top should be on the left, '
        "100 pixels from the left edge and 50 pixels from the top, letters about 20 pixels tall."
    )
    other = words("Acme Band")
    assert "should read" in say(page(TITLE), page(other))
    white_ink = words("Acme Bank", color=NAMES["red"])
    assert "The writing of" in say(page(TITLE), page(white_ink))
    card = box(440, 200, 400, 300, NAMES["red"])
    assert "centred, 200 pixels from the top" in say(page(card), page())
    grey = page(TITLE, background=NAMES["light grey"])
    assert say(grey, page(TITLE)) == "The background of the page should be light grey."


def test_a_shade_of_the_same_name_is_lighter_or_darker():
    one, other = box(0, 0, 1280, 80, "#3b82f6"), box(0, 0, 1280, 80, "#60a5fa")
    if name_of(one.fill) == name_of(other.fill):
        assert "darker than this" in say(page(one), page(other))
    assert say(page(one), page(box(0, 0, 1280, 80, "#3d83f6"))) == SATISFIED


def test_the_most_salient_comes_first():
    hero = box(0, 100, 1280, 500, NAMES["red"])
    small = box(100, 650, 40, 40, NAMES["green"])
    text = say(page(hero, small, TITLE), page())
    assert text.index("red bar") < text.index("Acme Bank") < text.index("green box")


def test_what_is_settled_is_not_said_again():
    wanted = page(BAR, TITLE)
    assert "bar" in say(wanted, page())
    assert "bar" not in say(wanted, page(BAR))
    assert say(wanted, page(BAR, TITLE)) == SATISFIED


def test_nothing_to_see():
    assert say(page(BAR), page()).startswith("I see an empty page.")


@pytest.mark.parametrize("task", list(builtin_pages()), ids=lambda task: task.id)
def test_built_in_pages(blitz, task):
    """Never longer than 1,000 characters, never HTML, satisfied with the page itself."""
    wanted = draw(blitz, task.private["human_0"]["reference"])
    assert say(wanted, wanted) == SATISFIED
    for other in (draw(blitz, "<p>x</p>"), draw(blitz, reference("cards/shop"))):
        text = say(wanted, other)
        assert len(text) <= MAX_CHARACTERS
        assert not re.search(r"[<>{}]|#[0-9a-f]{6}|\bdiv\b|\bclass\b", text)
        if text == SATISFIED:
            continue
        said = list(read_remarks(text))  # the scripted assistant understands every sentence
        assert sum(len(found[0]) + 1 for _, found in said) >= len(text) - len(
            "I see an empty page. "
        )


colours = st.sampled_from(sorted(NAMES.values()))
blocks = st.builds(
    Block,
    st.sampled_from(["text", "image", "box", "control"]),
    st.integers(0, 1279),
    st.integers(0, 4000),
    st.integers(1, 1280),
    st.integers(1, 4000),
    st.text(max_size=80),
    colours,
    colours,
    st.integers(0, 90),
    st.sampled_from(["p", "button", "textarea", "x"]),
)


@given(st.lists(blocks, max_size=12), st.lists(blocks, max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_two_pages(one, other):
    wanted, shown = page(*one), page(*other)
    text = say(wanted, shown)
    assert 0 < len(text) <= MAX_CHARACTERS
    assert text == say(wanted, shown)
    assert say(wanted, wanted) == SATISFIED
    assert all(remark.salience >= 0 for remark in find_remarks(wanted, shown))


def test_a_page_in_words():
    text = page_in_words(page(BAR, TITLE))
    assert text.splitlines() == [
        "Background white, 720 pixels high.",
        "- a dark blue bar, across the whole width and about 80 pixels high, 0 pixels from the top",
        '- the words "Acme Bank" in black, letters about 20 pixels tall, on the left, '
        "100 pixels from the left edge and 50 pixels from the top",
    ]
    assert page_in_words(white("over its time")) == "Nothing could be drawn: over its time."


def test_every_name_names_its_own_colour():
    assert {name: name_of(colour) for name, colour in NAMES.items()} == {
        name: name for name in NAMES
    }


def test_names_of_people():
    assert make_page_viewer("null").reply([View(page(), page())])[0].text
    with pytest.raises(ConfigError, match="scripted"):
        make_page_viewer("nobody")
    viewer = make_page_viewer("scripted")
    assert make_page_viewer(viewer) is viewer
