# name: l14_text
# class: control
# entry: f
# expect-score: 1.0
# expect-verdict: pass
# max-wall: 8
# why: regular expressions, Unicode, surrogates, formatting, textwrap, csv, html
# tests: [((0,), "<a>b"), ((1,), "e\u0301"), ((2,), "\ud800"), ((3,), "3.14|0x2a"), ((4,), "aa bb\ncc"), ((5,), [["a", "b"], ["1", "2"]]), ((6,), "&lt;&amp;&gt;"), ((7,), "\x00\u2028"), ((8,), "e\u0301\U0001f600")]
import csv, html, io, re, textwrap, unicodedata
def f(k):
    return [re.sub(r"(\w+)@", r"<\1>", "a@b"), unicodedata.normalize("NFD", "\u00e9"), "\ud800", f"{3.14159:.2f}|{42:#x}", textwrap.fill("aa bb cc", 5), list(csv.reader(io.StringIO("a,b\n1,2"))), html.escape("<&>"), "\x00\u2028", "e\u0301\U0001f600"][k]
