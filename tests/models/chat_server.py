"""A chat server that can misbehave."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def chat_reply(text: str | None, tokens: tuple[int, int] | None = (10, 5)) -> dict[str, Any]:
    usage = {} if tokens is None else {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "text": text, "finish_reason": "stop"}
    return {"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}


class ChatServer(ThreadingHTTPServer):
    """Answers `plan` first, one behaviour a request, and then `answer(body)` for ever.

    A behaviour is a function of the request's handler.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        self.plan: list[Callable[[Handler], None]] = []
        self.answer: Callable[[dict[str, Any]], Any] = lambda body: chat_reply("Yes, it is 7.")
        self.seen: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.released = threading.Event()
        self.lock = threading.Lock()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients hang up in these tests; that is no news."""


class Handler(BaseHTTPRequestHandler):
    server: ChatServer
    protocol_version = "HTTP/1.1"
    body: dict[str, Any]

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.seen.append(self.body)
            self.server.paths.append(self.path)
            behaviour = self.server.plan.pop(0) if self.server.plan else None
        if behaviour is not None:
            behaviour(self)
            return
        answer = self.server.answer(self.body)
        if callable(answer):
            answer(self)
        else:
            self.send(json.dumps(answer))

    def send(
        self, text: str, status: int = 200, kind: str = "application/json", **headers: str
    ) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def status(number: int, **error: str) -> Callable[[Handler], None]:
    """Refuse, and ask for a quick second try."""

    def behave(handler: Handler) -> None:
        handler.send(json.dumps({"error": error}), number, retry_after_ms="1")

    return behave


def delayed(handler: Handler) -> None:
    handler.server.released.wait(20)
    handler.close_connection = True


def truncated(handler: Handler) -> None:
    handler.send(json.dumps(chat_reply("Yes"))[:-9])


def wrong_type(handler: Handler) -> None:
    handler.send("<html>Gateway</html>", kind="text/html")


def wrong_shape(handler: Handler) -> None:
    handler.send('["choices"]')


def no_choices(handler: Handler) -> None:
    handler.send(json.dumps({**chat_reply(""), "choices": []}))


def empty_text(handler: Handler) -> None:
    handler.send(json.dumps(chat_reply("", None)))


def null_text(handler: Handler) -> None:
    handler.send(json.dumps(chat_reply(None, (10, 0))))


def hang_up(handler: Handler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def hang_up_midway(handler: Handler) -> None:
    """Promise a chunked body and break off within it."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.wfile.write(b'40\r\n{"choices": [')
    handler.wfile.flush()
    hang_up(handler)
