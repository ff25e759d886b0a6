"""Colours as people name them."""

from __future__ import annotations

from functools import lru_cache

from colbench_env.browser.matching import colour_likeness

NAMES = {
    "white": "#ffffff",
    "off-white": "#f8f9fb",
    "very light grey": "#eef0f3",
    "light grey": "#d4d7dc",
    "grey": "#9ca3af",
    "medium grey": "#6b7280",
    "dark grey": "#4b5563",
    "very dark grey": "#2b323d",
    "almost black": "#15191f",
    "black": "#000000",
    "very light red": "#fde4e4",
    "light red": "#f9a0a0",
    "red": "#ea3c3c",
    "dark red": "#a81c1c",
    "brown": "#7a4a21",
    "beige": "#f3e9d8",
    "light orange": "#fdc48a",
    "orange": "#f58220",
    "dark orange": "#c2500c",
    "light yellow": "#fef3c0",
    "yellow": "#fbbf24",
    "dark yellow": "#a97908",
    "very light green": "#dcf7e6",
    "light green": "#86e3b0",
    "green": "#12b77f",
    "dark green": "#07724f",
    "very dark green": "#0b3d2e",
    "teal": "#149488",
    "light blue": "#a8ccfb",
    "very light blue": "#e2edfe",
    "sky blue": "#38a8f0",
    "blue": "#3b7ff2",
    "strong blue": "#2158d8",
    "dark blue": "#1e3a8a",
    "navy": "#14213d",
    "light indigo": "#c5cdfd",
    "indigo": "#6062ee",
    "dark indigo": "#3b36a8",
    "light purple": "#dacffd",
    "purple": "#8b5cf6",
    "dark purple": "#5b23b4",
    "light pink": "#fbd5e8",
    "pink": "#ec4899",
    "dark pink": "#b81d62",
}  # fmt: skip


@lru_cache(maxsize=4096)
def name_of(colour: str) -> str:
    """Return the name that fits a `"#rrggbb"` colour best (CIEDE2000)."""
    names = list(NAMES)
    likeness = colour_likeness([colour], [NAMES[name] for name in names])[0]
    return names[int(likeness.argmax())]
