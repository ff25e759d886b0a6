"""Render untrusted HTML to pixels and to the list of what stands where.

`make_renderer("blitz")` or `make_renderer("chromium")` gives a `Renderer`; its `render` takes a
batch of pages and returns a `Page` for each. Pages are cleaned first (`sanitise`), drawn by an
engine in a worker process that can be killed (`worker`), and read back as blocks (`blocks`).
"""

from colbench_env.browser.page import Block, Page
from colbench_env.browser.renderer import Renderer, make_renderer

__all__ = ["Block", "Page", "Renderer", "make_renderer"]
