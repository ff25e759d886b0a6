"""A process that draws pages, for the parent to limit and to kill: `python -m ... ENGINE`.

On standard input comes a JSON object a page (`{"html": ...}`), each after its length in 4 bytes; to
standard output goes a JSON answer in the same frame. The picture's runs and its tiles lie in memory
that both processes map. The parent unpickles nothing and checks what it copies.
"""

from __future__ import annotations

import json
import mmap
import os
import resource
import struct
import sys
from operator import attrgetter
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from colbench_env.browser.blocks import find_blocks
from colbench_env.browser.page import Block, Picture
from colbench_env.browser.sanitise import BadPageError, sanitise
from colbench_env.browser.tiles import find_tiles

NOBODY = 65534
_FIELDS = attrgetter(*Block.__dataclass_fields__)


def main(engine: str, memory: int, shared: int) -> None:
    """Draw pages until standard input ends.

    Args:
        engine: `"blitz"` or `"chromium"`.
        memory: Bytes of address space that this process may use.
        shared: File descriptor of the memory for pictures.
    """
    canvas = np.frombuffer(mmap.mmap(shared, 0), np.uint8)
    os.close(shared)
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints goes to standard error
    drawer: Any
    if engine == "blitz":
        from colbench_env.browser.blitz import Blitz

        drawer = Blitz()
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        _drop_privileges()
    else:
        from colbench_env.browser.chromium import Chromium

        drawer = Chromium(memory=memory)
    sanitise("<link href=tailwind><p>warm up")
    send(outgoing, {"engine": drawer.name, "version": drawer.version})
    while (request := receive(incoming)) is not None:
        send(outgoing, _answer(drawer, request["html"], canvas))


def _answer(drawer: Any, html: str, canvas: NDArray[np.uint8]) -> dict[str, Any]:
    try:
        document = sanitise(html)
        rgba, boxes = drawer.draw(document)
        blocks, background = find_blocks(document.root, boxes, rgba)
    except BadPageError as error:
        return {"problem": str(error)}
    except (RuntimeError, RecursionError, MemoryError) as error:
        return {"problem": f"the page could not be drawn ({type(error).__name__})"}
    picture = Picture.of(rgba)
    at = 0
    for part in (picture.starts, picture.colours, find_tiles(rgba)):
        canvas[at : at + part.nbytes] = part.reshape(-1).view(np.uint8)
        at += part.nbytes
    return {
        "blocks": [_FIELDS(block) for block in blocks],
        "background": background,
        "height": picture.height,
        "runs": len(picture.starts),
    }


def _drop_privileges() -> None:
    """Become nobody where this process is root, and write no large file."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def send(stream: BinaryIO, answer: dict[str, Any]) -> None:
    """Write one frame: the length, then the answer as JSON."""
    data = json.dumps(answer).encode()
    stream.write(struct.pack("<I", len(data)) + data)
    stream.flush()


def receive(stream: BinaryIO) -> dict[str, Any] | None:
    """Read one request; None at the end."""
    length = stream.read(4)
    if len(length) < 4:
        return None
    request: dict[str, Any] = json.loads(stream.read(struct.unpack("<I", length)[0]))
    return request


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
