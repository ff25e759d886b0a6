"""Fixtures of the models' tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from chat_server import ChatServer

from colbench_env.errors import Fault
from colbench_env.records import Score


@pytest.fixture
def server() -> Iterator[ChatServer]:
    server = ChatServer()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()
    thread.join()


class FullMarks:
    """A reward that gives 1 to whatever is handed in."""

    def score(self, submissions: Any) -> list[Score | Fault]:
        return [Score(1.0, {"passed": 1.0}) for _ in submissions]


@pytest.fixture
def full_marks() -> FullMarks:
    return FullMarks()
