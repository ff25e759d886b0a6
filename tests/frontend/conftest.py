"""Renderers and pages that the tests of the frontend share."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from colbench_env.browser import Page, Renderer
from colbench_env.browser.renderer import available
from colbench_env.errors import Fault
from colbench_env.tasks.pages import builtin_pages

pytest.importorskip("blitz_py", reason="needs colbench-env[frontend]")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:  # one worker process for all tests that drive a browser
        if "chromium" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("chromium"))


def start(engine: str, **settings: object) -> Renderer:
    if not available(engine):
        pytest.skip(f"{engine} is not installed")
    renderer = Renderer(engine, **settings)  # type: ignore[arg-type]
    [page] = renderer.render(["<p>hello</p>"])
    if isinstance(page, Fault):
        renderer.close()
        if engine == "chromium":
            pytest.skip(f"no isolated browser here: {page.message}")
        pytest.fail(page.message)
    return renderer


@pytest.fixture(scope="session")
def blitz() -> Iterator[Renderer]:
    renderer = start("blitz")
    yield renderer
    renderer.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Renderer]:
    renderer = start("chromium")
    yield renderer
    renderer.close()


@pytest.fixture(params=["blitz", "chromium"])
def renderer(request: pytest.FixtureRequest) -> Renderer:
    return request.getfixturevalue(request.param)


def draw(renderer: Renderer, page: str) -> Page:
    [drawn] = renderer.render([page])
    assert isinstance(drawn, Page), drawn
    return drawn


def reference(task_id: str) -> str:
    return builtin_pages().get(task_id).private["human_0"]["reference"]


NINE = [
    "landing/bakery",
    "landing/restaurant",
    "forms/contact",
    "forms/checkout",
    "tables/prices",
    "dashboards/sales",
    "dashboards/bank",
    "cards/shop",
    "articles/faq",
]


def text_of(page: Page) -> str:
    return " ".join(block.text for block in page.blocks)


def replace_once(html: str, pattern: str, new: str) -> str:
    changed, count = re.subn(pattern, new, html, count=1, flags=re.S)
    assert count == 1, pattern
    return changed
