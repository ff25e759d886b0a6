"""The untrusted process: take one submission, import it, make its calls, write down the results.

Nothing here is worth attacking. The process holds the code, the arguments of the calls and a
socket to write results on; no expected value, no reference, no checker. Whoever forges a frame
has only chosen what their function is taken to have returned.
"""

from __future__ import annotations

import json
import os
import resource
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from . import wire
from .wire import encode_frame

MODULE = "submission"
_REHEARSALS = 30
_REHEARSAL = "import math\ndef f(a, b):\n    return [{a: (b, True)}, math.sqrt(a)]\n"


_UP, _READY = b'["up"]\n', b'["ready"]\n'


def serve(channel: int, base_bytes: int) -> None:
    """Announce readiness, read one request, answer it. The caller ends the process afterwards.

    Args:
        channel: Descriptor of the socket to the parent.
        base_bytes: Address space of the bare interpreter, added to the memory limit.
    """
    _send(channel, _UP)
    lines = _read_request(channel)
    header = json.loads(lines[0])
    _limit(resource.RLIMIT_AS, base_bytes + (header["memory_mb"] << 20))
    _limit(resource.RLIMIT_CPU, header["cpu_seconds"], grace=1)
    _serve_request(channel, header, lines[1:])


def rehearse() -> None:
    """Go through the motions in the zygote, so that a child finds the interpreter warm.

    What the interpreter writes down on the first calls (specialised code, caches) would cost every
    child its own copies of those pages.
    """
    ours, theirs = socket.socketpair()
    header = {"code": _REHEARSAL, "entry": "f", "namespace": "module", "first": 0}
    header |= {"cases": 2, "output_bytes": 1 << 16, "memory_mb": 1, "cpu_seconds": 1}
    line = json.dumps([["t", 1, ["l", 2.5, "a"]], ["d"]])
    for _ in range(_REHEARSALS):
        theirs.sendall(f"{json.dumps(header)}\n{line}\n{line}\n".encode())
        lines = _read_request(ours.fileno())
        _send(ours.fileno(), _UP)
        _serve_request(ours.fileno(), json.loads(lines[0]), lines[1:])
        theirs.recv(1 << 16)
    ours.close()
    theirs.close()
    sys.modules.pop(MODULE)


def _serve_request(channel: int, header: dict[str, Any], lines: list[bytes]) -> None:
    try:
        call = _boot(header)
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is its result
        return _send(channel, encode_frame(["boot", _class_names(error)]))
    if call is None:
        return _send(channel, encode_frame(["boot", []]))
    _send(channel, _READY)
    for number, line in enumerate(lines, header["first"]):
        _send(channel, _answer(number, call, line, header["output_bytes"]))
    return None


def _limit(which: int, amount: int, grace: int = 0) -> None:
    hard = resource.getrlimit(which)[1]
    if hard != resource.RLIM_INFINITY:
        amount = min(amount, hard - grace)
    resource.setrlimit(which, (amount, amount + grace))


def _read_request(channel: int) -> list[bytes]:
    """Read the header line and as many case lines as it announces; end of file ends the process."""
    data, wanted = bytearray(), 0
    while True:
        chunk = os.read(channel, 1 << 16)
        if not chunk:
            os._exit(0)
        data += chunk
        if not wanted and b"\n" in data:
            wanted = int(json.loads(data[: data.index(b"\n")])["cases"]) + 1
        if wanted and data.count(b"\n") == wanted and data.endswith(b"\n"):
            return bytes(data).split(b"\n")[:-1]


def _send(channel: int, line: bytes, write: Callable[[int, Any], int] = os.write) -> None:
    sent = write(channel, line)
    while sent < len(line):
        sent += write(channel, line[sent:])


def _boot(header: dict[str, Any]) -> Callable[[Any], Any] | None:
    """Import the code; return what makes one call, or None where the entry is missing."""
    code = compile(header["code"], "<submission>", "exec", dont_inherit=True)
    if header["namespace"] == "split":
        module_globals: dict[str, Any] = {"__builtins__": __builtins__, "__name__": MODULE}
        names: dict[str, Any] = {}
        exec(code, module_globals, names)
    else:
        module = types.ModuleType(MODULE)
        sys.modules[MODULE] = module
        module_globals = names = module.__dict__
        exec(code, names)
    entry = header["entry"]
    if entry not in names:
        return None

    def call(case: Any) -> Any:
        if isinstance(case, str):
            return eval(compile(case, "<call>", "eval", dont_inherit=True), module_globals, names)
        args, kwargs = wire.decode(case[0]), wire.decode(case[1])
        return names[entry](*args, **kwargs)

    return call


def _answer(number: int, call: Callable[[Any], Any], line: bytes, max_bytes: int) -> bytes:
    try:
        frame = encode_frame([number, "v", wire.encode(call(json.loads(line)), max_bytes)])
    except wire.CannotEncode as error:
        return encode_frame([number, error.status])
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is its result
        return encode_frame([number, "x", _class_names(error)])
    return frame if len(frame) <= max_bytes else encode_frame([number, "output_limit"])


def _class_names(error: BaseException) -> list[str]:
    return [str(c.__name__)[:100] for c in type(error).__mro__[:30]]
