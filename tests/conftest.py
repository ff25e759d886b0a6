"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toy_tasks import double_task

from colbench_env.records import Task


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real benchmark records, named by COLBENCH_DATA."""
    folder = os.environ.get("COLBENCH_DATA")
    if not folder:
        pytest.skip("set COLBENCH_DATA to the folder of the real benchmark records")
    return Path(folder)


@pytest.fixture
def tasks() -> list[Task]:
    return [double_task(i) for i in range(5)]
