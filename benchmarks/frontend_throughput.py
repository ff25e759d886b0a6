"""Pages a second of each engine and of the original: `python benchmarks/frontend_throughput.py`.

The original (SWEET-RL's ColBench) starts a browser driven by Selenium for each environment, writes
each page to a file, loads its `file://` address, takes a picture of the whole page, and reads it
back. The same is done here over the WebDriver protocol with `chromedriver`, the stylesheet that the
original loads from the net lying beside the page. All draw the same pages,
built-in and generated, each seen once. The columns:

    engine, workers, pages a second, pages a second and core used, compared with the original

For blitz and Chromium a page is cleaned, drawn, read back as blocks and tiles, and scored against
another page. CPU time is that of all processes taking part.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

from colbench_env.browser import Page, Renderer
from colbench_env.browser.renderer import available
from colbench_env.rewards.page_similarity import Comparison, PageSimilarity
from colbench_env.tasks import load_tasks

BATCH = 32


def pages(count: int) -> list[str]:
    builtin = load_tasks("builtin", kind="frontend")
    generated = load_tasks("procedural", kind="frontend")
    tasks = [*builtin, *(generated[i] for i in range(max(count - len(builtin), 0)))]
    return [task.private["human_0"]["reference"] for task in tasks[:count]]


def cpu_seconds(pids: set[int]) -> float:
    """CPU time of processes, and of the children that they have waited for."""
    total = 0.0
    for pid in pids:
        with contextlib.suppress(FileNotFoundError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")
    return total


def family() -> set[int]:
    """This process and all its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                stat = (entry / "stat").read_text()
                parents[int(entry.name)] = int(stat.rpartition(")")[2].split()[1])
    found = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found
        found |= more


def measure(draw: Callable[[list[str]], object], work: list[str]) -> tuple[float, float]:
    """Return pages a second, and pages a second of CPU time."""
    processes = family()
    cpu, start = cpu_seconds(processes), time.perf_counter()
    for i in range(0, len(work), BATCH):
        draw(work[i : i + BATCH])
    wall = time.perf_counter() - start
    used = cpu_seconds(processes | family()) - cpu
    return len(work) / wall, len(work) / used


def ours(engine: str, workers: int, work: list[str]) -> tuple[float, float]:
    renderer, reward = Renderer(engine, workers=workers), PageSimilarity()

    def draw(batch: list[str]) -> object:
        drawn = renderer.render(batch)
        assert all(isinstance(page, Page) and page.problem is None for page in drawn), drawn
        others = [*drawn[1:], drawn[0]]
        return reward.score([Comparison(a, b) for a, b in zip(drawn, others, strict=True)])

    try:
        draw([f"<p>{i}</p>" for i in range(2 * workers)])  # start the workers
        return measure(draw, work)
    finally:
        renderer.close()


@contextlib.contextmanager
def webdriver() -> Iterator[Callable[..., object]]:
    """A headless Chromium under chromedriver, and a function that sends it commands."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert driver.stdout is not None
        port = ""
        while not port:
            line = driver.stdout.readline()
            if "successfully on port" in line:
                port = line.rstrip(".\n ").rpartition(" ")[2]
            assert line, "chromedriver ended"

        def send(method: str, path: str, body: object | None = None) -> object:
            data = None if body is None else json.dumps(body).encode()
            address = f"http://127.0.0.1:{port}{path}"
            headers = {"Content-Type": "application/json"}
            request = urllib.request.Request(address, data, headers, method=method)
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]

        yield send
    finally:
        driver.terminate()
        driver.wait()


def original(work: list[str], browser: str) -> tuple[float, float]:
    """The original's way: file, address, picture of the whole page, picture read back."""
    from PIL import Image

    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,720"]
    options = {"goog:chromeOptions": {"args": arguments, "binary": browser}}
    with webdriver() as send, tempfile.TemporaryDirectory() as folder:
        capabilities = {"capabilities": {"alwaysMatch": {"browserName": "chrome", **options}}}
        made = send("POST", "/session", capabilities)
        assert isinstance(made, dict)
        session = f"/session/{made['sessionId']}"

        def command(name: str, parameters: dict[str, object]) -> dict[str, object]:
            path = f"{session}/goog/cdp/execute"
            answer = send("POST", path, {"cmd": name, "params": parameters})
            assert isinstance(answer, dict)
            return answer

        def draw(batch: list[str]) -> object:
            pictures = []
            for html in batch:
                file = Path(folder, "page.html")
                file.write_text(html, "utf-8")
                send("POST", f"{session}/url", {"url": file.as_uri()})
                shot = command(
                    "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True}
                )
                with Image.open(io.BytesIO(base64.b64decode(str(shot["data"])))) as image:
                    pictures.append(image.convert("RGB"))
            return pictures

        try:
            draw(["<p>warm up</p>"])
            return measure(draw, work)
        finally:
            send("DELETE", session)


def with_stylesheet(work: list[str], folder: Path) -> list[str]:
    """Pages as the original would load them, the stylesheet of the net lying in a local file."""
    import lzma
    from importlib import resources

    packed = resources.files("colbench_env.browser") / "assets" / "tailwind-2.2.19.min.css.xz"
    sheet = folder / "tailwind.min.css"
    sheet.write_bytes(lzma.decompress(packed.read_bytes()))
    address = "https://cdn.jsdelivr.net/npm/tailwindcss@2.2.19/dist/tailwind.min.css"
    grey = "data:image/gif;base64,R0lGODlhAQABAIAAAMzMzAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
    return [
        html.replace(address, sheet.as_uri()).replace('src="https://picsum.photos', f'src="{grey}#')
        for html in work
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=300, help="pages drawn with blitz")
    parser.add_argument("--slow-pages", type=int, default=120, help="pages drawn with a browser")
    options = parser.parse_args()
    work = pages(options.pages)
    slow = pages(options.slow_pages)[-options.slow_pages :]
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")
    print(f"{'engine':<12} {'workers':>7} {'pages/s':>9} {'pages/s a core':>15} {'times':>7}")
    reference = 0.0
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome"))), None)
    if browser and shutil.which("chromedriver"):
        with tempfile.TemporaryDirectory() as folder:
            rate, reference = original(with_stylesheet(slow[:60], Path(folder)), browser)
        print(f"{'original':<12} {1:>7} {rate:>9.1f} {reference:>15.1f} {1.0:>7.1f}", flush=True)
    else:
        print("original: skipped, needs chromium and chromedriver")
    for engine, given in (("blitz", work), ("chromium", slow)):
        if not available(engine):
            print(f"{engine}: skipped, not installed")
            continue
        for workers in (1, 2):
            rate, core = ours(engine, workers, given)
            times = f"{core / reference:>7.1f}" if reference else "      -"
            print(f"{engine:<12} {workers:>7} {rate:>9.1f} {core:>15.1f} {times}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
