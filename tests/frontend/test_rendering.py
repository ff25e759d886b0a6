# ruff: noqa: E501  # lines of HTML
"""Both engines draw, agree, repeat themselves, and outlive every page."""

import copy
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from colbench_env.browser import Renderer, make_renderer
from colbench_env.browser import renderer as renderer_module
from colbench_env.browser.matching import pair_blocks, weight
from colbench_env.errors import ConfigError, Fault, MissingDependencyError

from .conftest import NINE, draw, reference, start, text_of

PAGE = """<html><body style="margin:0;background:#eeeeff">
<div style="background:#2255aa;color:#ffffff;height:100px"><h1 style="margin:0;padding:20px 32px">Acme Bank</h1></div>
<img src="https://picsum.photos/id/1/400/200"><p>A paragraph.</p>
<button style="background:#118833;color:#fff;border:0;width:200px;height:50px">Send</button>
<div style="height:900px"></div></body></html>"""

BOMBS = {
    "deep": "<div>" * 50_000,
    "as deep as allowed": "<div style='display:flex'>" * 190 + "x",
    "nested grids": "<div style='display:grid;grid-template-columns:auto auto'><p>a</p>" * 190,
    "spans": "<span>a</span>" * 1_000_000,
    "as many as allowed": "<span>a</span>" * 4_900,
    "text": "<p>" + "word " * 50_000,
    "one long word": "<p>" + "w" * 250_000,
    "20 MB": "x" * 20_000_000,
    "use": "<svg><defs>"
    + "".join(f'<g id="a{i}">' + f'<use href="#a{i - 1}"/>' * 10 + "</g>" for i in range(1, 12))
    + '</defs><use href="#a11"/></svg>',
    "blur": "<div style='filter:blur(99px);backdrop-filter:blur(99px);height:999px'>" * 100,
    "shadows": "<p style='box-shadow:" + ",".join(["0 0 500px 200px red"] * 900) + "'>x",
    "gradients": "<div style='height:4000px;background:"
    + ",".join(["radial-gradient(circle at 3px 3px,rgba(255,0,0,.1),blue)"] * 900)
    + "'>x",
    "tall": "<div style='height:1e9px'>x</div>",
    "grid": "<div style='display:grid;grid-template:repeat(9999,1px)/repeat(9999,1px)'>x</div>",
    "columns": "<table>" + "<tr>" + "<td colspan=1000>x" * 900,
    "css": "<style>" + "a{" * 60_000,
    "selectors": "<style>" + ":not(" * 40 + "a" + ")" * 40 + "{color:red}" + "* " * 9_000 + "{top:0}</style><p>x",
    "variables": "<style>:root{--a0:lol;"
    + "".join(f"--a{i}:{f'var(--a{i - 1}) ' * 10};" for i in range(1, 20))
    + "}p::before{content:var(--a19)}</style><p>x",
    "nothing": "",
    "zero bytes": "\0" * 1000,
    "surrogates": "\ud800<p>\udfff",
    "image": '<img src="https://picsum.photos/id/1/9999/9999" width="99999999" height="99999999">',
}  # fmt: skip


def test_pixels_and_blocks(renderer):
    page = draw(renderer, PAGE)
    height, width, channels = page.pixels.shape
    assert (width, channels, page.pixels.dtype) == (1280, 3, np.uint8)
    assert 1200 < height < 1400
    assert page.background == "#eeeeff"
    assert page.tiles.shape == (-(-height // 32), 40, 6)
    assert set(page.engine) == {"engine", "version", "font"}
    by_kind = {
        kind: [b for b in page.blocks if b.kind == kind]
        for kind in ("box", "text", "image", "control")
    }
    [bar] = by_kind["box"]
    assert (bar.x, bar.y, bar.width, bar.height, bar.fill) == (0, 0, 1280, 100, "#2255aa")
    [picture] = by_kind["image"]
    assert (picture.x, picture.width, picture.height, picture.fill) == (0, 400, 200, "#cccccc")
    [button] = by_kind["control"]
    assert (button.width, button.height, button.fill, button.tag) == (200, 50, "#118833", "button")
    title = by_kind["text"][0]
    assert (title.text, title.color, title.tag) == ("Acme Bank", "#ffffff", "h1")
    assert abs(title.x - 32) < 4
    assert 20 <= title.size <= 32
    words = by_kind["text"][-1]
    assert words.text == "Send"
    assert button.y < words.y < button.y + button.height


@pytest.mark.parametrize(
    "hidden",
    [
        "display:none",
        "visibility:hidden",
        "opacity:0",
        "color:#ffffff",
        "color:transparent",
        "font-size:0",
        "position:absolute;left:-9999px",
        "color:#fdfdfd",
    ],
)
def test_what_cannot_be_seen_is_no_block(renderer, hidden):
    page = draw(renderer, f'<body style="background:#fff"><p style="{hidden}">secret words</p>')
    assert page.blank, page.blocks


def test_covered_words_are_no_block(renderer):
    cover = '<div style="position:absolute;top:0;left:0;width:900px;height:300px;background:#ff0000"></div>'
    page = draw(renderer, f"<body><p>secret words</p>{cover}")
    assert "secret" not in text_of(page)


def test_a_picture_never_changes(renderer):
    first = draw(renderer, reference("forms/contact"))
    fresh = start(renderer.engine)
    try:
        for other in (
            draw(fresh, reference("forms/contact")),
            draw(fresh, reference("forms/contact") + "<!---->"),
        ):
            assert other.pixels.tobytes() == first.pixels.tobytes()
            assert other.tiles.tobytes() == first.tiles.tobytes()
            assert other.blocks == first.blocks
    finally:
        fresh.close()


def test_the_engines_agree_on_blocks(blitz, chromium):
    for task in NINE:
        one, other = draw(blitz, reference(task)), draw(chromium, reference(task))
        paired = sum(
            pair.likeness * (weight(one.blocks[pair.ours]) + weight(other.blocks[pair.theirs]))
            for pair in pair_blocks(one.blocks, other.blocks)
        )
        total = sum(map(weight, [*one.blocks, *other.blocks]))
        assert paired / total > 0.9, task


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_outlives_its_time(renderer, name):
    settings = {"timeout": 2.0, "memory": 2 * 2**30}
    mine = _limited.get(renderer.engine) or _limited.setdefault(
        renderer.engine, start(renderer.engine, **settings)
    )
    page = draw(mine, BOMBS[name])
    assert page.problem is not None or page.pixels.shape[0] <= 4096
    after = draw(mine, f"<h1>after {name}</h1>")
    assert after.problem is None
    assert text_of(after) == f"after {name}"


_limited: dict[str, Renderer] = {}


@pytest.fixture(scope="module", autouse=True)
def _close():
    yield
    for renderer in _limited.values():
        renderer.close()


def test_a_killed_worker_is_replaced(renderer):
    mine = start(renderer.engine)
    try:
        mine._workers[0]._process.kill()
        assert draw(mine, "<p>one</p>").problem == "the page broke the engine"
        assert text_of(draw(mine, "<p>two</p>")) == "two"
    finally:
        mine.close()


def test_pages_are_drawn_once(blitz, monkeypatch):
    page = draw(blitz, PAGE)
    monkeypatch.setattr(blitz, "_draw", lambda pages: pages and pytest.fail("drawn again"))
    assert draw(blitz, PAGE) is page


def test_a_batch_keeps_its_order_whoever_draws():
    renderer = start("blitz", workers=2)
    pages = [f"<h1>page {i}</h1>" for i in range(12)]
    try:
        drawn = renderer.render([*pages, pages[3]])
        assert [text_of(page) for page in drawn] == [f"page {i}" for i in [*range(12), 3]]
    finally:
        renderer.close()


def test_old_pictures_make_room(monkeypatch):
    monkeypatch.setattr(renderer_module, "CACHE", 80_000)
    renderer = start("blitz")
    try:
        renderer.render([f"<p>{i}</p>" for i in range(10)])
        assert 0 < len(renderer._cache) < 10
    finally:
        renderer.close()


def test_equal_names_and_copies_share_one_renderer():
    shared = make_renderer("blitz")
    assert shared is make_renderer("blitz")
    assert copy.deepcopy(shared) is shared
    assert pickle.loads(pickle.dumps(shared)) is shared
    assert make_renderer(shared) is shared


@pytest.mark.parametrize("name", ["firefox", "blitz:x", "blitz:0"])
def test_wrong_names_are_refused(name):
    with pytest.raises(ConfigError):
        make_renderer(name)


@pytest.mark.parametrize(
    ("engine", "line"), [("blitz", "pip install"), ("chromium", "apt-get install")]
)
def test_a_missing_engine_names_what_installs_it(engine, line, monkeypatch):
    monkeypatch.setattr(renderer_module, "available", lambda name: False)
    with pytest.raises(MissingDependencyError, match=line):
        Renderer(engine)
    with pytest.raises(MissingDependencyError, match="pip install"):
        make_renderer("auto")


def test_what_does_not_start_is_a_fault(monkeypatch):
    renderer = Renderer("blitz")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    try:
        [answer] = renderer.render(["<p>x</p>"])
        assert isinstance(answer, Fault)
        assert answer.service == "renderer:blitz"
    finally:
        renderer.close()


def test_nothing_is_left_running(renderer):
    mine = start(renderer.engine)
    group = mine._workers[0]._process.pid
    mine.close()
    found = subprocess.run(
        ["pgrep", "-g", str(group)], capture_output=True, text=True
    ).stdout.split()
    assert [pid for pid in found if _alive(pid)] == []


def _alive(pid: str) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_importing_needs_no_engine():
    code = "import sys, colbench_env.frontend_v0; assert not {'blitz_py','lxml','scipy','PIL','torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))
