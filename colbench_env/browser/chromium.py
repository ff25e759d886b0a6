"""The browser engine: Debian's `chromium-headless-shell`, cut off from network and files.

It runs as an unprivileged user with its own sandbox on, in a network namespace with no interface
up, JavaScript off, every request refused, under a content security policy, and driven over a pipe.
Pages are set as the content of one reused page, which is replaced now and then.
"""

from __future__ import annotations

import base64
import fcntl
import io
import os
import shutil
import subprocess
import tempfile
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from colbench_env.browser.blocks import Box
from colbench_env.browser.cdp import Connection, Event, ProtocolError
from colbench_env.browser.page import MAX_HEIGHT, VIEWPORT, WIDTH
from colbench_env.browser.sanitise import Document

PROGRAM = "chromium-headless-shell"
NOBODY = 65534
RECYCLE = 200  # pages drawn before the page is replaced
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
FLAGS = [
    "--remote-debugging-pipe",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--disable-lcd-text",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-features=Translate,SpeculationRulesPrefetchFuture,Prerender2,NetworkServiceSandbox",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-pings",
    "--mute-audio",
    "--force-device-scale-factor=1",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--log-level=3",
    "--lang=en-US",
]
_STILL = (
    "<style>*,*::before,*::after{animation:none!important;transition:none!important;"
    "caret-color:transparent!important}</style>"
)


class Chromium:
    """Draws documents in a browser process that it starts and, when it fails, starts again.

    Args:
        memory: Bytes of data that each process of the browser may hold.
        javascript: Run the pages' scripts, without a content security policy: for tests of what the
            isolation from network and files holds alone.

    Raises:
        RuntimeError: The browser does not start here.
    """

    name = "chromium"

    def __init__(self, *, memory: int, javascript: bool = False) -> None:
        self._memory, self._javascript = memory, javascript
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = ""
        self._loaded = False
        self._start()

    def draw(self, document: Document) -> tuple[NDArray[np.uint8], dict[str, Box]]:
        """Return the picture, uint8 `[H, W, 4]`, and the boxes of block-level elements by id.

        Raises:
            ProtocolError: The browser failed twice on this page.
        """
        try:
            return self._draw(document.html)
        except ProtocolError:
            self.close()
            self._start()
            return self._draw(document.html)

    def close(self) -> None:
        """End the browser."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
            os.close(self._incoming)
            os.close(self._outgoing)
        shutil.rmtree(self._folder, ignore_errors=True)

    # --- the browser --------------------------------------------------------------------------

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="profile-")
        if os.getuid() == 0:
            os.chown(self._folder, NOBODY, NOBODY)
        command = [*isolation(self._memory), PROGRAM, *FLAGS]
        command += [f"--user-data-dir={self._folder}", f"--window-size={WIDTH},{VIEWPORT}"]
        to_read, self._outgoing = _pipe()
        self._incoming, to_write = _pipe()

        def connect() -> None:  # the browser reads commands from descriptor 3 and answers on 4
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        self._process = subprocess.Popen(
            command,
            close_fds=False,  # which would close 3 and 4; all others close themselves
            preexec_fn=connect,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self._folder, "TMPDIR": self._folder},
            cwd="/",
        )
        os.close(to_read)
        os.close(to_write)
        self._connection = Connection(self._incoming, self._outgoing, self._on_event)
        about = self._connection.send("Browser.getVersion", timeout=20.0)
        self.version = str(about["product"]).rpartition("/")[2]
        self._session = self._target = ""
        self._open_page()

    def _open_page(self) -> None:
        """Replace the page by a new one in a browser context of its own."""
        send = self._connection.send
        if self._target:
            send("Target.closeTarget", targetId=self._target)
        context = send("Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        made = send("Target.createTarget", url="about:blank", browserContextId=context)
        self._target = made["targetId"]
        attached = send("Target.attachToTarget", targetId=self._target, flatten=True)
        self._session = attached["sessionId"]
        self._page("Page.enable")
        self._page("Fetch.enable", patterns=[{"urlPattern": "*"}])
        self._page("Emulation.setScriptExecutionDisabled", value=not self._javascript)
        self._frame = self._page("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self._height = 0
        self._resize(VIEWPORT)
        self._drawn = 0

    def _page(self, method: str, **params: Any) -> dict[str, Any]:
        return self._connection.send(method, self._session, **params)

    def _resize(self, height: int) -> None:
        if height != self._height:
            self._page(
                "Emulation.setDeviceMetricsOverride",
                width=WIDTH,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
            self._height = height

    def _on_event(self, event: Event) -> None:
        method, params = event["method"], event["params"]
        if method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Fetch.requestPaused":
            self._connection.post(
                "Fetch.failRequest",
                event.get("sessionId"),
                requestId=params["requestId"],
                errorReason="BlockedByClient",
            )
        elif method == "Page.frameNavigated" and params["frame"]["url"] != "about:blank":
            self._drawn = RECYCLE  # the page has left; the next one gets a new one
        elif method == "Inspector.targetCrashed":
            raise ProtocolError("the page crashed")

    # --- a page -------------------------------------------------------------------------------

    def _draw(self, html: str) -> tuple[NDArray[np.uint8], dict[str, Box]]:
        if self._drawn >= RECYCLE:
            self._open_page()
        self._drawn += 1
        self._resize(VIEWPORT)
        self._loaded = False
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        policy = "" if self._javascript else policy
        html = html.replace("<head>", f"<head>{policy}{_STILL}", 1)
        self._page("Page.setDocumentContent", frameId=self._frame, html=html)
        deadline = time.monotonic() + 2.0
        while not self._loaded and self._connection.receive(deadline) is not None:
            pass
        size = self._page("Page.getLayoutMetrics")["cssContentSize"]
        height = int(min(max(size["height"], VIEWPORT), MAX_HEIGHT))
        self._resize(height)
        snapshot = self._page("DOMSnapshot.captureSnapshot", computedStyles=["display"])
        return self._picture(height), boxes_of(snapshot)

    def _picture(self, height: int) -> NDArray[np.uint8]:
        options = {
            "format": "png",
            "optimizeForSpeed": True,
            "clip": {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1},
        }
        try:
            shot = self._page("Page.captureScreenshot", **options)
        except ProtocolError:  # now and then the first one after a resize fails
            shot = self._page("Page.captureScreenshot", **options)
        with Image.open(io.BytesIO(base64.b64decode(shot["data"]))) as image:
            pixels = np.asarray(image.convert("RGBA"))
        if pixels.shape != (height, WIDTH, 4):
            raise ProtocolError(f"the picture has the shape {pixels.shape}")
        return np.ascontiguousarray(pixels)


def _pipe() -> tuple[int, int]:
    """Return a pipe whose descriptors lie above those that the browser wants."""
    low = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in low]
    for end in low:
        os.close(end)
    return high[0], high[1]


def boxes_of(snapshot: dict[str, Any]) -> dict[str, Box]:
    """Return the boxes of elements that are not inline, by id, from a DOM snapshot."""
    strings = snapshot["strings"]
    document = snapshot["documents"][0]
    nodes, layout = document["nodes"], document["layout"]
    attributes, names = nodes["attributes"], nodes["nodeName"]
    boxes: dict[str, Box] = {}
    for node, bounds, styles in zip(
        layout["nodeIndex"], layout["bounds"], layout["styles"], strict=True
    ):
        pairs = attributes[node]
        replaced = strings[names[node]] in ("IMG", "svg")
        if not styles or (strings[styles[0]] == "inline" and not replaced):
            continue
        for name, value in zip(pairs[::2], pairs[1::2], strict=True):
            if strings[name] == "id" and bounds[2] > 0 and bounds[3] > 0:
                boxes.setdefault(strings[value], tuple(bounds))
    return boxes


def isolation(memory: int) -> list[str]:
    """Return the command that the browser runs under: no network, no privileges, bounded memory."""
    limits = ["prlimit", f"--data={memory}", "--core=0"]
    if os.getuid() == 0:
        nobody = f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"
        return ["unshare", "-n", "setpriv", *nobody, "--no-new-privs", "--pdeathsig=KILL", *limits]
    return ["unshare", "--user", "--map-current-user", "--net", *limits]
