"""Pages from a seed: a header, two to four sections and a footer, in one of many palettes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

VERSION = 1  # changes whenever the same number makes another page
_LINK = (
    '<link href="https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css" '
    'rel="stylesheet">'
)
_COLOURS = ("red", "yellow", "green", "blue", "indigo", "purple", "pink", "gray")
_BUSINESSES = (
    "bakery|Golden Crumb,Oven & Oak,Flour Street",
    "bike shop|Two Wheels,Chainlink,Hill & Hub",
    "bookshop|Paper Boat,The Last Page,Inkwell",
    "garden centre|Green Thumb,Rosehip,Fernway",
    "hotel|Harbour House,The Larch,Seven Keys",
    "language school|Babel,Open Tongue,Lingua Lane",
    "music school|Allegro,Second String,The Practice Room",
    "dental practice|Bright Smile,Molar & Sons,White Street",
    "repair workshop|Fix It,The Screwdriver,Second Life",
    "travel agency|Far & Near,Compass Tours,Blue Mile",
    "pet shop|Paws,The Burrow,Feather & Fin",
    "photo studio|Lightbox,Aperture,Frame Nine",
)  # fmt: skip
_THINGS = (
    "Opening hours", "Our prices", "Gift cards", "Workshops", "Fast delivery", "Open on Sundays",
    "Family business", "Free advice", "New arrivals", "Bestsellers", "Made by hand", "Local goods",
    "Easy returns", "Meet the team", "Book ahead", "Special offers",
)  # fmt: skip
_CLAIMS = (
    "Good things take time", "Come in, look around", "Made for every day", "Small shop, big heart",
    "Closer than you think", "Nothing you do not need", "Since 1962, still curious",
    "Ask us anything", "Quality you can touch", "A better start to the week",
)  # fmt: skip
_SENTENCES = (
    "We answer within a day.", "Come by and see for yourself.", "Every piece is checked twice.",
    "Students pay half.", "You find us next to the station.", "No appointment is needed.",
    "We deliver within the town.", "Ask for the house special.", "Parking is behind the house.",
    "Our staff speak four languages.", "Children are welcome.", "The first visit is free.",
)  # fmt: skip
_ACTIONS = ("Order now", "Book a visit", "Find out more", "Call us", "Reserve", "Get in touch")


@dataclass(frozen=True, slots=True)
class _Style:
    """Choices that hold for a whole page."""

    main: str
    accent: str
    dark: bool
    soft: str

    @property
    def ground(self) -> str:
        return f"bg-{self.main}-900 text-white" if self.dark else f"bg-{self.soft} text-gray-800"

    @property
    def card(self) -> str:
        return f"bg-{self.main}-800" if self.dark else "bg-white"


def generate_page(number: int) -> tuple[str, str, str]:
    """Return brief, HTML and family of the page with this number; alike in every process."""
    rng = random.Random(f"colbench-page-{VERSION}-{number}")
    business, names = rng.choice(_BUSINESSES).split("|")
    name = rng.choice(names.split(",")).replace("&", "&amp;")
    main, accent = rng.sample(_COLOURS, 2)
    soft = rng.choice(("white", "gray-100", f"{main}-50", f"{main}-100"))
    style = _Style(main, accent, rng.random() < 0.25, soft)
    sections = rng.sample(list(_SECTIONS), rng.randint(2, 4))
    body = [_header(rng, style, name)]
    body += [_SECTIONS[section](rng, style) for section in sections]
    if rng.random() < 0.7:
        body.append(_footer(rng, style, name))
    tone = "dark" if style.dark else rng.choice(("bright", "friendly", "clear"))
    parts = [f"a {section}" for section in sections]
    listed = ", ".join(parts[:-1]) + f" and {parts[-1]}"
    brief = f"A {tone} page for our {business}, with {listed}."
    html = f'<html>\n{_LINK}\n<body class="{style.ground}">\n' + "\n".join(body)
    return brief, f"{html}\n</body>\n</html>", business


def _header(rng: random.Random, style: _Style, name: str) -> str:
    links = "".join(f'<p class="ml-8">{thing}</p>' for thing in rng.sample(_THINGS, 3))
    ground = f"bg-{style.accent}-{rng.choice((500, 600, 700, 800))} text-white"
    title = f'<p class="text-{rng.choice(("xl", "2xl", "3xl"))} font-bold">{name}</p>'
    if rng.random() < 0.3:
        return f'<header class="{ground} p-{rng.choice((4, 6, 8))} text-center">{title}</header>'
    return (
        f'<header class="{ground} p-{rng.choice((4, 6))} flex justify-between items-center">{title}'
        f'<div class="flex">{links}</div></header>'
    )


def _hero(rng: random.Random, style: _Style) -> str:
    align = rng.choice(("text-center", "text-left px-16"))
    size = rng.choice(("4xl", "5xl", "6xl"))
    shade = rng.choice((500, 600))
    return (
        f'<section class="{align} py-{rng.choice((12, 16, 20))}">'
        f'<h1 class="text-{size} font-bold">{rng.choice(_CLAIMS)}</h1>'
        f'<p class="mt-4 text-lg">{rng.choice(_SENTENCES)}</p>'
        f'<button class="mt-6 bg-{style.accent}-{shade} text-white px-8 py-3 rounded">'
        f"{rng.choice(_ACTIONS)}</button></section>"
    )


def _picture(rng: random.Random, style: _Style) -> str:
    height = rng.choice((160, 200, 240, 300))
    if rng.random() < 0.5:
        return f'<img src="https://picsum.photos/id/48/1280/{height}" class="w-full">'
    width = rng.choice((600, 800, 960))
    source = f"https://picsum.photos/id/48/{width}/{height}"
    return f'<div class="py-6"><img src="{source}" class="mx-auto"></div>'


def _cards(rng: random.Random, style: _Style) -> str:
    count = rng.randint(2, 4)
    cards = "".join(
        f'<div class="{style.card} p-6 rounded shadow"><h2 class="text-xl font-semibold">{thing}'
        f'</h2><p class="mt-2">{rng.choice(_SENTENCES)}</p></div>'
        for thing in rng.sample(_THINGS, count)
    )
    gap, padding = rng.choice((4, 6, 8)), rng.choice((8, 12, 16))
    return f'<section class="grid grid-cols-{count} gap-{gap} p-{padding}">{cards}</section>'


def _list(rng: random.Random, style: _Style) -> str:
    rows = "".join(
        f'<div class="{style.card} p-4 mb-3 flex justify-between"><p>{thing}</p>'
        f"<p>{rng.randint(2, 240)}.00</p></div>"
        for thing in rng.sample(_THINGS, rng.randint(3, 5))
    )
    width = rng.choice(("max-w-2xl", "max-w-3xl", "max-w-4xl"))
    return f'<section class="{width} mx-auto py-8">{rows}</section>'


def _form(rng: random.Random, style: _Style) -> str:
    fields = "".join(
        f'<input class="w-full border border-gray-400 bg-white p-3 mb-4" placeholder="{name}">'
        for name in rng.sample(("Your name", "E-mail", "Telephone", "Day and time"), 3)
    )
    width = rng.choice(("w-1/3", "w-1/2", "w-2/3"))
    return (
        f'<section class="{style.card} {width} mx-auto p-8 my-8">{fields}'
        f'<button class="bg-{style.accent}-600 text-white px-6 py-2">{rng.choice(_ACTIONS)}'
        "</button></section>"
    )


def _figures(rng: random.Random, style: _Style) -> str:
    figures = "".join(
        f'<div><p class="text-4xl font-bold">{rng.randint(3, 990)}</p><p>{label}</p></div>'
        for label in rng.sample(("customers", "years", "branches", "prizes", "products"), 3)
    )
    ground = f"bg-{style.accent}-{rng.choice((100, 200, 700))}"
    colour = "text-white" if ground.endswith("700") else "text-gray-800"
    look = f"{ground} {colour} flex justify-around py-10 text-center"
    return f'<section class="{look}">{figures}</section>'


def _footer(rng: random.Random, style: _Style, name: str) -> str:
    ground = f"bg-{rng.choice((style.main, style.accent, 'gray'))}-{rng.choice((700, 800, 900))}"
    words = f"{name}. {rng.choice(_SENTENCES)}"
    return f'<footer class="{ground} text-white text-center p-6">{words}</footer>'


_SECTIONS: dict[str, Callable[[random.Random, _Style], str]] = {
    "big welcome": _hero,
    "picture": _picture,
    "row of cards": _cards,
    "list of prices": _list,
    "form": _form,
    "band of figures": _figures,
}
