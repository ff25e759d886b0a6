# ruff: noqa: E501  # lines of HTML
"""Cleaning of untrusted pages and their CSS, and the purged stylesheet."""

import lxml.html
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from colbench_env.browser import css, tailwind
from colbench_env.browser.sanitise import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_ELEMENTS,
    BadPageError,
    _image_size,
    sanitise,
)

LINK = '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css">'
ADDRESS = "http://canary.invalid/x"
FETCHING = {
    "img": f'<img src="{ADDRESS}" srcset="{ADDRESS} 2x">',
    "picture": f'<picture><source srcset="{ADDRESS}"><img src="{ADDRESS}"></picture>',
    "link": f'<link rel="stylesheet" href="{ADDRESS}"><link rel="prefetch" href="{ADDRESS}">',
    "base": f'<base href="{ADDRESS}"><img src="a.png">',
    "meta": f'<meta http-equiv="refresh" content="0;url={ADDRESS}">',
    "iframe": f'<iframe src="{ADDRESS}" srcdoc="<img src={ADDRESS}>"></iframe>',
    "object": f'<object data="{ADDRESS}"><embed src="{ADDRESS}"></object>',
    "video": f'<video src="{ADDRESS}" poster="{ADDRESS}"><source src="{ADDRESS}"></video>',
    "form": f'<form action="{ADDRESS}"><button formaction="{ADDRESS}">x</button></form>',
    "script": f'<script src="{ADDRESS}"></script><script>fetch("{ADDRESS}")</script>',
    "handler": f"<p onclick=\"fetch('{ADDRESS}')\" onload=x>x</p><a href={ADDRESS} ping={ADDRESS}>y</a>",
    "svg": f'<svg><use href="{ADDRESS}#a"/><image href="{ADDRESS}"/><style>@import "{ADDRESS}";</style></svg>',
    "svg paint": f'<svg><rect fill="url({ADDRESS}#p)" width="9" height="9"/></svg>',
    "math": f'<math><mtext><img src="{ADDRESS}"></mtext></math>',
    "attribute": f'<body background="{ADDRESS}"><table background="{ADDRESS}">',
    "style": f'<p style="background:URL({ADDRESS});list-style-image:image-set(\'{ADDRESS}\' 1x)">x</p>',
    "escaped": f"<p style=\"background:\\75rl('{ADDRESS}')\">x</p>",
    "import": f'<style>@import "{ADDRESS}";@import url({ADDRESS});</style>',
    "font": f"<style>@font-face{{font-family:x;src:url({ADDRESS})}}p{{font-family:x}}</style>",
    "rule": f'<style>p::before{{content:url("{ADDRESS}")}}@media screen{{p{{background:url({ADDRESS})}}}}</style>',
    "variable": f"<style>:root{{--a:url({ADDRESS})}}p{{background:var(--a)}}</style>",
    "noscript": f'<noscript><img src="{ADDRESS}"></noscript><template><img src="{ADDRESS}"></template>',
    "comment": f'<!--[if IE]><img src="{ADDRESS}"><![endif]--><?x "{ADDRESS}"?>',
    "mutation": f'<svg><style><img src="{ADDRESS}"></style></svg><xmp><img src="{ADDRESS}"></xmp>',
    "rules": f'<script type="speculationrules">{{"prefetch":[{{"urls":["{ADDRESS}"]}}]}}</script>',
}  # fmt: skip


@pytest.mark.parametrize("page", FETCHING.values(), ids=FETCHING.keys())
def test_no_address_survives(page):
    assert "canary.invalid" not in sanitise(f"<p>x</p>{page}").html.replace("\\", "")


@given(st.text(alphabet="<>/='\"- \n!ab{}():;@\\&#svgtyleimrch", max_size=300))
@settings(max_examples=300, deadline=None)
def test_any_text_is_cleaned_or_refused(text):
    try:
        html = sanitise(text).html
    except BadPageError:
        return
    again = lxml.html.document_fromstring(html)
    assert not list(again.iter("script", "iframe", "object", "base", "meta", "link"))
    for element in again.iter():
        assert not any(name.startswith("on") for name in element.attrib)
        assert element.get("src", "data:image/svg+xml,").startswith("data:image/svg+xml,")


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("x" * (MAX_BYTES + 1), "larger"),
        ("<b>x</b>" * (MAX_ELEMENTS + 1), "elements"),
        ("<div>" * (MAX_DEPTH + 1) + "x", "nested"),
        ("<style>p{a:" + "(" * 1000 + "}</style>", "CSS"),
        (" \n", "empty"),
    ],
)
def test_what_is_too_large_is_refused(page, words):
    with pytest.raises(BadPageError, match=words):
        sanitise(page)


@pytest.mark.parametrize(
    ("address", "size"),
    [
        ("https://picsum.photos/id/48/600/400", (600, 400)),
        ("https://picsum.photos/200", (200, 200)),
        ("https://source.unsplash.com/1600x900/?nature", (1600, 900)),
        ("https://images.unsplash.com/photo-1?w=640&h=480", (640, 480)),
        ("https://placehold.co/320x200.png", (320, 200)),
        ("logo.png", (300, 150)),
        ("http://[bad", (300, 150)),
        ("https://picsum.photos/99999/99999", (300, 150)),
        ("data:image/png;base64,AAAA/600/400", (300, 150)),
    ],
)
def test_images_keep_the_size_that_their_address_names(address, size):
    assert _image_size(address, {}) == size


def test_css_keeps_what_is_harmless():
    style = "color:red;width:calc(100% - 20px);margin:0 auto!important"
    assert css.clean_style(style) == style
    assert css.clean_style("height:50vh;width:10vw") == "height:360px;width:128px;"
    assert css.clean_style("filter:blur(9px);color:red;@x;zoom:3") == "color:red;"
    sheet = css.clean_sheet(
        "@media (min-width:10px){a>b{color:red}} @keyframes k{to{top:0}} i{top:1px}"
    )
    assert sheet.replace(" ", "") == "@media(min-width:10px){a>b{color:red;}}i{top:1px;}"


def test_tailwind_of_any_version_becomes_the_rules_that_a_page_uses():
    page = sanitise(
        f'{LINK}<p class="md:w-1/2 bg-red-500 hover:bg-blue-500 2xl:p-8 nothing">x</p>'
    ).html
    assert "width:50%" in page
    assert "background-color:rgba(239,68,68" in page
    assert "59,130,246" not in page  # a state that no picture shows
    assert "padding:2rem" not in page  # a wider window
    assert len(page) < 8_000
    newer = sanitise('<script src="https://cdn.tailwindcss.com"></script><p class="p-4">x</p>').html
    assert ".p-4{padding:1rem}" in newer
    assert ".p-4{" not in sanitise('<p class="p-4">x</p>').html


def test_the_stylesheet_keeps_the_order_of_the_original():
    rules = tailwind.stylesheet(["p-4", "px-2", "md:p-1"])
    assert rules.index(".p-4{") < rules.index(".px-2{") < rules.index("md\\:p-1{")
