# ruff: noqa: E501  # lines of HTML
"""No request leaves, no file is read: canary servers on loopback, canary files, every known vector.

Pages go through the whole renderer, and, without any cleaning, to each engine itself: Chromium with
JavaScript off and on. What an engine fetches it would ask of servers on this machine; what it reads
would turn the picture magenta.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import lxml.html
import numpy as np
import pytest
from PIL import Image

from colbench_env.browser import Page
from colbench_env.browser.blitz import Blitz, DrawError
from colbench_env.browser.cdp import ProtocolError
from colbench_env.browser.sanitise import Document

from .conftest import draw

MAGENTA = (255, 0, 255)


@dataclass
class Canary:
    """A server that anybody who connects is caught by, and files that colour the page.

    Attributes:
        port: Of the TCP and the UDP server on 127.0.0.1.
        folder: The files, readable to everybody.
        caught: First bytes of each connection or datagram.
    """

    port: int
    folder: Path
    caught: list[bytes] = field(default_factory=list)


@pytest.fixture(scope="module")
def canary() -> Iterator[Canary]:
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port = tcp.getsockname()[1]
    udp.bind(("127.0.0.1", port))
    folder = Path(tempfile.mkdtemp(prefix="canary-"))
    folder.chmod(0o755)
    Image.new("RGB", (64, 64), MAGENTA).save(folder / "canary.png")
    (folder / "canary.css").write_text("html,body,p{background:#ff00ff!important}")
    (folder / "canary.html").write_text("<body style='background:#ff00ff'>canary words</body>")
    (folder / "canary.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg"><rect id="a" width="99" height="99" fill="#f0f"/></svg>'
    )
    for file in folder.iterdir():
        file.chmod(0o644)
    trap = Canary(port, folder)

    def listen() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = tcp.accept()
                connection.settimeout(2)
                with connection, contextlib.suppress(OSError):
                    trap.caught.append(connection.recv(200))
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def listen_udp() -> None:
        with contextlib.suppress(OSError):
            while True:
                data = udp.recvfrom(2000)[0]
                if data == b"stop":
                    return
                trap.caught.append(data)

    threads = [threading.Thread(target=f, daemon=True) for f in (listen, listen_udp)]
    for thread in threads:
        thread.start()
    yield trap
    udp.sendto(b"stop", ("127.0.0.1", port))
    tcp.shutdown(socket.SHUT_RDWR)
    tcp.close()
    for thread in threads:
        thread.join(5)
    udp.close()
    shutil.rmtree(folder)


def vectors(canary: Canary) -> dict[str, str]:
    """Pages that try to reach the server or the files, by name of the way they take."""
    at = f"http://127.0.0.1:{canary.port}"
    pages = {}
    for scheme, base in (("http", at), ("file", f"file://{canary.folder}")):
        image, sheet, page, svg = (f"{base}/canary.{end}" for end in ("png", "css", "html", "svg"))
        pages |= {
            f"{scheme} img": f'<img src="{image}"><img srcset="{image} 1x">',
            f"{scheme} picture": f'<picture><source srcset="{image}"><img></picture>',
            f"{scheme} stylesheet": f'<link rel="stylesheet" href="{sheet}">',
            f"{scheme} import": f'<style>@import "{sheet}";@import url({sheet});</style>',
            f"{scheme} background": f"<style>body{{background:url({image})}}</style>",
            f"{scheme} content": f'<style>p::before{{content:url("{image}")}}</style>',
            f"{scheme} font": f"<style>@font-face{{font-family:c;src:url({base}/f.woff)}}p{{font-family:c}}</style>",
            f"{scheme} iframe": f'<iframe src="{page}" width="900" height="300"></iframe>',
            f"{scheme} srcdoc": f'<iframe srcdoc="<img src={image}>" width="900"></iframe>',
            f"{scheme} object": f'<object data="{page}" width="900"></object><embed src="{page}">',
            f"{scheme} meta refresh": f'<meta http-equiv="refresh" content="0;url={page}">',
            f"{scheme} prefetch": "".join(
                f'<link rel="{rel}" href="{page}">'
                for rel in ("prefetch", "preload", "preconnect", "dns-prefetch", "prerender", "icon", "manifest")
            ),
            f"{scheme} speculation rules": '<script type="speculationrules">{"prerender":[{"source":"list",'
            f'"urls":["{page}"],"eagerness":"immediate"}}],"prefetch":[{{"source":"list","urls":["{page}"],'
            '"eagerness":"immediate"}]}</script>',
            f"{scheme} base": f'<base href="{base}/"><img src="canary.png"><a href="canary.html">x</a>',
            f"{scheme} svg use": f'<svg width="200" height="200"><use href="{svg}#a"/></svg>',
            f"{scheme} svg image": f'<svg width="200" height="200"><image href="{image}" width="99" height="99"/></svg>',
            f"{scheme} svg in img": "<img src='data:image/svg+xml,<svg xmlns=\"http://www.w3.org/2000/svg\" "
            f'width="99" height="99"><image href="{image}" width="99" height="99"/></svg>\'>',
            f"{scheme} media": f'<video src="{image}" poster="{image}"></video><audio src="{image}" autoplay></audio>',
            f"{scheme} form": f'<form action="{page}" id="f"><input autofocus onfocus="f.submit()"></form>',
            f"{scheme} fetch": f"<script>fetch('{page}');navigator.sendBeacon('{page}');new Image().src='{image}'</script>",
            f"{scheme} xhr": f"<script>x=new XMLHttpRequest();x.open('GET','{page}',false);x.send();"
            "document.write(x.responseText)</script>",
            f"{scheme} location": f"<script>location='{page}'</script>",
            f"{scheme} window": f"<script>window.open('{page}')</script>",
            f"{scheme} module": f"<script type=module>import('{base}/m.js')</script><script src='{base}/s.js'></script>",
            f"{scheme} worker": f"<script>new Worker('{base}/w.js');new SharedWorker('{base}/w.js')</script>",
            f"{scheme} event source": f"<script>new EventSource('{base}/e')</script>",
        }  # fmt: skip
    pages |= {
        "websocket": f"<script>new WebSocket('ws://127.0.0.1:{canary.port}/')</script>",
        "webrtc": f"<script>p=new RTCPeerConnection({{iceServers:[{{urls:'stun:127.0.0.1:{canary.port}'}}]}});"
        "p.createDataChannel('x');p.createOffer().then(o=>p.setLocalDescription(o))</script>",
        "webtransport": f"<script>new WebTransport('https://127.0.0.1:{canary.port}/')</script>",
        "ping": f"<a id=a href='#' ping='http://127.0.0.1:{canary.port}/'>x</a><script>a.click()</script>",
    }
    return {
        name: f"<html><head></head><body><p>words</p>{page}</body></html>"
        for name, page in pages.items()
    }


def untouched(page: Page | np.ndarray) -> bool:
    pixels = page if isinstance(page, np.ndarray) else page.pixels
    return not bool((pixels[..., :3] == MAGENTA).all(-1).any())


def raw(html: str) -> Document:
    """A page as it is, without any cleaning."""
    root = lxml.html.document_fromstring(html)
    for number, element in enumerate(root.iter("*")):
        element.set("id", element.get("id", f"e{number}"))
    return Document(root, html)


def test_the_traps_work(canary):
    urllib.request.urlopen(f"http://127.0.0.1:{canary.port}/hello", timeout=5).read()
    assert canary.caught
    assert canary.caught.pop(0).startswith(b"GET /hello")
    with Image.open(canary.folder / "canary.png") as image:
        assert not untouched(np.asarray(image))
    assert (canary.folder / "canary.html").stat().st_mode & 0o004


def test_nothing_escapes_the_renderer(renderer, canary):
    for name, html in vectors(canary).items():
        page = draw(renderer, html)
        assert page.problem is None, name
        assert untouched(page), name
        assert not canary.caught, name
    assert draw(renderer, "<p>after all</p>").blocks[0].text == "after all"


def test_nothing_escapes_blitz_without_cleaning(canary):
    engine = Blitz()
    for name, html in vectors(canary).items():
        with contextlib.suppress(DrawError):
            pixels, _ = engine.draw(raw(html))
            assert untouched(pixels), name
        assert not canary.caught, name


@pytest.mark.parametrize("javascript", [False, True], ids=["javascript off", "javascript on"])
def test_nothing_escapes_chromium_without_cleaning(chromium, canary, javascript):
    from colbench_env.browser.chromium import Chromium

    engine = Chromium(memory=2**31, javascript=javascript)
    try:
        for name, html in vectors(canary).items():
            with contextlib.suppress(ProtocolError):
                pixels, _ = engine.draw(raw(html))
                assert untouched(pixels), name
            assert not canary.caught, name
        pixels, boxes = engine.draw(
            raw('<html><head></head><body><p id="p">after all</p></body></html>')
        )
        assert "p" in boxes
    finally:
        engine.close()


def test_javascript_would_run(chromium):
    """With JavaScript on, scripts do run: the test above tries what it says."""
    from colbench_env.browser.chromium import Chromium

    paint = "<html><head></head><body><script>document.body.style.background='#ff00ff'</script></body></html>"
    for javascript in (False, True):
        engine = Chromium(memory=2**31, javascript=javascript)
        try:
            assert untouched(engine.draw(raw(paint))[0]) is not javascript
        finally:
            engine.close()


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root gives privileges up")
def test_the_worker_is_nobody(blitz):
    draw(blitz, "<p>awake</p>")
    status = Path(f"/proc/{blitz._workers[0]._process.pid}/status").read_text()
    assert "Uid:\t65534\t65534\t65534\t65534" in status
