# ruff: noqa: E501  # lines of HTML
"""The score: its orderings over nine pages, and attempts to cheat."""

from __future__ import annotations

import random
import re
import statistics

import lxml.html
import pytest

from colbench_env.browser import Block
from colbench_env.browser.page import white
from colbench_env.errors import ConfigError
from colbench_env.records import Episode, Score
from colbench_env.rewards.page_similarity import (
    Comparison,
    PageSimilarity,
    compare_tiles,
    match_blocks,
    page_reward,
    win_rate,
)
from colbench_env.tasks.pages import builtin_pages

from .conftest import NINE, draw, reference


def body_of(html: str):
    root = lxml.html.document_fromstring(html)
    body = part = root.find("body")
    while len(part) == 1:
        part = part[0]
    return root, body, part


def written(root) -> str:
    return lxml.html.tostring(root, encoding="unicode")


def one_shade_off(html: str) -> str:
    """The strongest background is one step of Tailwind lighter."""
    shades = re.findall(r"bg-\w+-[3-9]00", html)
    if not shades:
        return re.sub(r"background:#(\w)", "background:#8", html, count=1)
    name, step = shades[0].rsplit("-", 1)
    return html.replace(shades[0], f"{name}-{int(step) - 100}")


def other_words(html: str) -> str:
    """Other words of the same length."""
    rng = random.Random(0)

    def swap(match: re.Match[str]) -> str:
        return re.sub(r"[a-z]", lambda _: rng.choice("aenorstu"), match[0])

    return re.sub(r"(?<=>)[^<>{}]+(?=<)", swap, html)


def moved(html: str) -> str:
    """The first part of the page stands 40 pixels lower, and all after it."""
    root, body, _ = body_of(html)
    body.insert(0, root.makeelement("div", {"style": "height:40px"}))
    return written(root)


def missing(html: str) -> str:
    """The largest part of the page is not there."""
    root, _, part = body_of(html)
    largest = max(part, key=lambda e: len(written(e)) if e.tag != "style" else 0)
    part.remove(largest)
    return written(root)


def other_page(html: str) -> str:
    others = [reference(name) for name in NINE]
    return others[(others.index(html) + 4) % len(others)]


def hidden(html: str) -> str:
    return re.sub("<body", '<body style="opacity:0"', html, count=1)


def half_done(html: str) -> str:
    """What an honest assistant has after half its work: the second half of all things is not there."""
    root, body, _ = body_of(html)
    things = [e for e in body.iter() if len(e) == 0 and e.tag != "style"]
    for element in things[len(things) // 2 :]:
        element.drop_tree()
    return written(root)


BLANK = "<html><body></body></html>"
VARIANTS = {
    "identical": lambda html: html,
    "one shade off": one_shade_off,
    "other words": other_words,
    "moved": moved,
    "missing": missing,
    "other page": other_page,
    "hidden": hidden,
    "blank": lambda html: BLANK,
    "half done": half_done,
}


@pytest.fixture(scope="module")
def table(blitz) -> dict[str, list[float]]:
    return table_of(blitz)


def table_of(renderer) -> dict[str, list[float]]:
    reward = PageSimilarity()
    pages = [reference(name) for name in NINE]
    return {
        variant: [
            score.value
            for score in reward.score(
                [Comparison(draw(renderer, p), draw(renderer, change(p))) for p in pages]
            )
        ]
        for variant, change in VARIANTS.items()
    }


ORDER = [
    ("identical", "one shade off"),
    ("one shade off", "other words"),
    ("one shade off", "moved"),
    ("other words", "missing"),
    ("moved", "missing"),
    ("missing", "other page"),
    ("other page", "blank"),
]


@pytest.mark.parametrize(("more", "less"), ORDER)
def test_means_are_ordered(table, more, less):
    assert statistics.mean(table[more]) > statistics.mean(table[less]) + 0.01


def test_each_page_alone(table):
    assert table["identical"] == [1.0] * 9
    assert table["blank"] == [0.0] * 9
    assert table["hidden"] == table["blank"]
    for i, name in enumerate(NINE):
        assert 1 > table["one shade off"][i] > table["other page"][i] > 0, name
        assert table["other words"][i] > table["other page"][i], name
        assert table["moved"][i] > table["other page"][i], name


def test_means_are_ordered_with_chromium(chromium):
    table = table_of(chromium)
    for more, less in ORDER:
        assert statistics.mean(table[more]) > statistics.mean(table[less]), (more, less)
    assert table["identical"] == [1.0] * 9
    assert table["hidden"] == table["blank"] == [0.0] * 9


def box(style: str, words: str = "") -> str:
    return f'<div style="position:absolute;{style}">{words}</div>'


def page_of(parts: str, style: str = "") -> str:
    return f'<html><body style="margin:0;{style}">{parts}</body></html>'


def giant_blocks(html: str, task_id: str) -> str:
    """Areas of the page's own colours, as large as they can be."""
    colours = [
        "#b45309",
        "#1d4ed8",
        "#2563eb",
        "#047857",
        "#db2777",
        "#f59e0b",
        "#ef4444",
        "#f3f4f6",
    ]
    return page_of(
        "".join(
            box(f"left:0;top:{90 * i}px;width:1280px;height:90px;background:{c}")
            for i, c in enumerate(colours)
        )
    )


def screenshot(html: str, task_id: str) -> str:
    """The picture of the page itself as an image."""
    return page_of('<img width="1280" height="720" src="data:image/png;base64,iVBORw0KGgo=">')


def words_of_the_brief(html: str, task_id: str) -> str:
    return page_of(f"<p>{builtin_pages().get(task_id).brief}</p>" * 12)


def words_of_the_page(html: str, task_id: str) -> str:
    """Every word of the page, though nobody knows them, in one paragraph."""
    return page_of(f"<p>{body_of(html)[0].text_content()}</p>")


def noise(html: str, task_id: str) -> str:
    rng = random.Random(task_id)
    return page_of(
        "".join(
            box(
                f"left:{rng.randrange(1200)}px;top:{rng.randrange(700)}px;width:{rng.randrange(20, 400)}px;"
                f"height:{rng.randrange(10, 90)}px;background:rgb({rng.randrange(256)},{rng.randrange(256)},{rng.randrange(256)})",
                "word",
            )
            for _ in range(150)
        )
    )


def grid_of_boxes(html: str, task_id: str) -> str:
    """White boxes and grey letters wherever something could be."""
    cells = [(x, y) for y in range(0, 720, 60) for x in range(0, 1280, 160)]
    return page_of(
        "".join(
            box(f"left:{x}px;top:{y}px;width:150px;height:50px;background:#fff", "Text")
            for x, y in cells
        ),
        "background:#e5e7eb",
    )


def no_contrast(html: str, task_id: str) -> str:
    """The page itself in white on white."""
    rule = "<style>*{color:#fff!important;background:#fff!important;border-color:#fff!important}img{opacity:0}</style>"
    return re.sub("<body[^>]*>", lambda m: m[0] + rule, html, count=1)


def black(html: str, task_id: str) -> str:
    return page_of("", "background:#000;height:720px")


CHEATS = [
    giant_blocks,
    screenshot,
    words_of_the_brief,
    words_of_the_page,
    noise,
    grid_of_boxes,
    no_contrast,
    black,
]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda f: f.__name__)
def test_no_cheat_beats_an_honest_half_finished_page(table, blitz, cheat):
    values = []
    for i, name in enumerate(NINE):
        html = reference(name)
        [score] = PageSimilarity().score(
            [Comparison(draw(blitz, html), draw(blitz, cheat(html, name)))]
        )
        values.append(score.value)
        assert score.value < table["half done"][i], name
    assert statistics.mean(values) < 0.5 * statistics.mean(table["half done"])


def test_what_is_worth_nothing(blitz):
    wanted = draw(blitz, reference("cards/shop"))
    nothing = [
        None,
        draw(blitz, ""),
        draw(blitz, "<div>" * 300),
        draw(blitz, BLANK),
        white("over its time", wanted.engine),
    ]
    for score in PageSimilarity().score([Comparison(wanted, page) for page in nothing]):
        assert score.value == 0
        assert score.details["problem"]
        assert score.details["engine"] == "blitz"
        assert set(score.components) == {"layout", "tiles", "placement", "colour", "words"}


def test_components_are_named_and_the_engine_stands_in_the_score(blitz):
    pages = [draw(blitz, reference(name)) for name in ("cards/shop", "cards/team")]
    [score] = PageSimilarity().score([Comparison(*pages)])
    assert score.value == pytest.approx(
        0.6 * score.components["layout"] + 0.4 * score.components["tiles"]
    )
    assert {"engine", "version", "font", "reward"} <= set(score.details)


def test_pages_of_two_engines_do_not_compare(blitz, chromium):
    html = reference("cards/shop")
    with pytest.raises(ValueError, match="different engines"):
        PageSimilarity().score([Comparison(draw(blitz, html), draw(chromium, html))])


def test_matching_is_symmetric_and_counts_both_pages():
    one = Block("box", 0, 0, 400, 100, fill="#ff0000")
    far = Block("box", 800, 600, 400, 100, fill="#0000ff")
    assert match_blocks([one], [one])[0] == 1
    assert match_blocks([one], [one, far])[0] == pytest.approx(2 / 3)
    assert match_blocks([one, far], [one])[0] == pytest.approx(2 / 3)
    assert match_blocks([one], [])[0] == match_blocks([], [one])[0] == 0
    assert match_blocks([], [])[0] == 1
    half = Block("box", 0, 0, 100, 100, fill="#ff0000")
    assert match_blocks([one], [half])[0] == pytest.approx(match_blocks([half], [one])[0])
    button = Block("control", 0, 0, 400, 100, fill="#ff0000", tag="button")
    assert match_blocks([one], [button])[0] == 1  # a button may be drawn as a box
    assert match_blocks([one], [Block("image", 0, 0, 400, 100, fill="#ff0000")])[0] == 0


def test_words_count_for_fifteen_percent():
    words = Block("text", 0, 0, 100, 20, "hello world", "#000000", "#ffffff", 12)
    other = Block("text", 0, 0, 100, 20, "something else", "#000000", "#ffffff", 12)
    assert match_blocks([words], [other])[0] == pytest.approx(0.85)


def test_a_page_of_one_colour_has_no_tiles_in_common(blitz):
    wanted = draw(blitz, reference("cards/shop"))
    for colour in ("#ffffff", "#f9fafb", "#000000", "#cccccc"):
        assert compare_tiles(wanted, draw(blitz, page_of("", f"background:{colour}"))) == 0


def test_names_of_rewards():
    assert page_reward("mix") is page_reward("mix")
    assert page_reward("clip").name == "clip"
    assert page_reward("clip:some/folder").model == "some/folder"
    with pytest.raises(ConfigError, match="mix"):
        page_reward("ssim")


def episode(task_id: str, value: float | None) -> Episode:
    score = None if value is None else Score(value)
    return Episode("ColBench/Frontend-v0", task_id, 0, (), score=score)


def test_win_rate_is_paired_by_task_and_ties_count_half():
    mine = [
        episode("a", 0.9),
        episode("b", 0.5),
        episode("c", 0.1),
        episode("d", None),
        episode("x", 1.0),
    ]
    theirs = [episode("c", 0.2), episode("a", 0.3), episode("b", 0.5), episode("d", 0.0)]
    assert win_rate(mine, theirs) == pytest.approx((1 + 0.5 + 0) / 3)
    with pytest.raises(ValueError, match="no task"):
        win_rate([episode("a", 1.0)], [episode("b", 1.0)])
