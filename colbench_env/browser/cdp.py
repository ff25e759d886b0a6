"""The Chrome DevTools Protocol over a pair of pipes: NUL-terminated JSON messages."""

from __future__ import annotations

import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

Event = dict[str, Any]


class ProtocolError(RuntimeError):
    """The browser refused a command, ended, or did not answer in time."""


class Connection:
    """Commands and events of one browser.

    Args:
        incoming: File descriptor that the browser writes to.
        outgoing: File descriptor that it reads from.
        on_event: Called with every event that arrives.
    """

    def __init__(self, incoming: int, outgoing: int, on_event: Callable[[Event], None]) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._on_event = on_event
        self._buffer = bytearray()
        self._last = 0

    def post(self, method: str, session: str | None = None, **params: Any) -> int:
        """Send a command without waiting for its answer; return its number."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self._outgoing, data) :]
        except OSError as error:
            raise ProtocolError("the browser has ended") from error
        return self._last

    def send(
        self, method: str, session: str | None = None, timeout: float = 10.0, **params: Any
    ) -> dict[str, Any]:
        """Send a command and return its result; events on the way go to `on_event`.

        Raises:
            ProtocolError: The browser refused it, ended, or did not answer in time.
        """
        number = self.post(method, session, **params)
        deadline = time.monotonic() + timeout
        while True:
            message = self.receive(deadline)
            if message is None:
                raise ProtocolError(f"{method}: no answer within {timeout:g} s")
            if message.get("id") == number:
                if "error" in message:
                    raise ProtocolError(f"{method}: {message['error'].get('message')}")
                result: dict[str, Any] = message["result"]
                return result

    def receive(self, deadline: float) -> Event | None:
        """Return the next message, or None when the deadline passes first.

        Raises:
            ProtocolError: The browser has ended.
        """
        start = 0
        while (end := self._buffer.find(b"\0", start)) < 0:
            start = len(self._buffer)
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self._incoming], [], [], left)[0]:
                return None
            data = os.read(self._incoming, 1 << 20)
            if not data:
                raise ProtocolError("the browser has ended")
            self._buffer += data
        message: Event = json.loads(self._buffer[:end])
        del self._buffer[: end + 1]
        if "method" in message:
            self._on_event(message)
        return message
