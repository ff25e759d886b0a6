"""What is said in `ColBench/Frontend-v0`: prompts, notices, and pages in messages."""

from __future__ import annotations

import re

ASSISTANT_PROMPT = """\
You are a web designer. The person you talk to has one page in mind and has told you about it only \
in part. In each message show them a complete HTML page, from <html> to </html>. They see it \
drawn, next to the page in their head, and tell you what differs; they see neither your code nor \
your words.
The window is 1280 pixels wide. Tailwind CSS 2.2.19 is at hand: link it as \
https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css (other versions become this \
one). Scripts do not run, and nothing is fetched: every image is drawn as a grey rectangle of the \
size in its address, such as https://picsum.photos/id/48/600/400. There is one font.
You have {max_turns} messages in all; the last page you showed is taken as your answer.
Whatever you write before the word OUTPUT: is private thought.
When the person is satisfied, write I WANT TO ANSWER: and then the page once more."""

HUMAN_PROMPT = """\
You are the person who wants a web page. You know exactly how it should look; a designer shows you \
pages. You are told in words what stands where on the page in your head and on the page shown.
Say in at most 1,000 characters the most salient differences, the most important first, as \
somebody who sees the two side by side: what is missing or superfluous, where, colours, sizes, \
words. You know no HTML."""

NO_PAGE = (
    "Nothing was shown: the message held no page. Write one complete page, from <html> to </html>."
)
NOT_DRAWN = "Nothing was shown: {problem}. The page that was seen before still counts."


def extract_page(text: str, rules: str = "fixed") -> str | None:
    """Return the page that a message holds, or None.

    That is the first `<html>...</html>`, else `<body>...</body>`. Under `rules="fixed"` the closing
    tag may be missing (a message cut off), and a fenced block of HTML without either counts.
    """
    cut_off = "" if rules == "legacy" else r"|\Z"
    for tag in ("html", "body"):
        found = re.search(rf"<{tag}[\s>].*?(?:</{tag}\s*>{cut_off})", text, re.I | re.S)
        if found:
            return found[0].removesuffix("```")
    if rules == "fixed":
        block = re.search(r"```(?:html)?[ \t]*\n(\s*<.*?)(?:```|\Z)", text, re.I | re.S)
        if block:
            return block[1]
    return None
