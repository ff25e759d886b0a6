"""The one reader and writer of episode files.

A file is JSON Lines: first a header (schema version, and the run's settings), then one `Episode` a
line, each written whole and flushed, so that an interrupted run leaves a valid file. Reopening it
with the same settings goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from colbench_env.errors import EpisodeFileError
from colbench_env.records import Episode

SCHEMA = 1
KIND = "colbench-episodes"


class EpisodeWriter:
    """Append episodes to a file, beginning it or going on with it.

    Args:
        path: Where to write; folders are made.
        run: The run's settings, JSON-serialisable. A file that holds another run's episodes is not
            appended to.

    Attributes:
        done: Indices (`episode.extra["index"]`) of the episodes that the file already holds.

    Raises:
        EpisodeFileError: The file is something else, or another run's.
    """

    def __init__(self, path: str | Path, run: Mapping[str, Any]) -> None:
        self.path = Path(path)
        self.done: set[int] = set()
        header = {"kind": KIND, "schema": SCHEMA, "run": json.loads(json.dumps(run))}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists() and self.path.stat().st_size:
            self._resume(header["run"])
            self._file: IO[str] = self.path.open("a", encoding="utf-8")
        else:
            self._file = self.path.open("w", encoding="utf-8")
            self._write(header)

    def _resume(self, run: dict[str, Any]) -> None:
        with self.path.open("rb+") as file:
            end = 0
            for number, line in enumerate(file):
                if not line.endswith(b"\n"):
                    file.truncate(end)  # the line that an interruption tore
                    break
                end += len(line)
                data = _parse(self.path, number, line)
                if number:
                    self.done.add(int(data["extra"]["index"]))
                    continue
                wrong = [k for k in run if data["run"].get(k) != run[k]]
                if wrong:
                    raise EpisodeFileError(
                        f"{self.path} holds episodes of another run: {wrong[0]} was "
                        f"{data['run'].get(wrong[0])!r} and is now {run[wrong[0]]!r}; "
                        "write to another file, or remove this one"
                    )

    def _write(self, data: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(data, ensure_ascii=False) + "\n")
        self._file.flush()

    def append(self, episode: Episode) -> None:
        """Write one episode, whole."""
        self._write(episode.to_dict())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def read_header(path: str | Path) -> dict[str, Any]:
    """Return the settings of the run that wrote the file.

    Raises:
        EpisodeFileError: It is no episode file, or of a newer schema.
    """
    with Path(path).open("rb") as file:
        header = _parse(Path(path), 0, file.readline())
    run: dict[str, Any] = header["run"]
    return run


def read_episodes(path: str | Path) -> Iterator[Episode]:
    """Yield the file's episodes in the order they were written, one line in memory at a time.

    Raises:
        EpisodeFileError: A line is damaged (other than a torn last one), or the schema is newer.
    """
    with Path(path).open("rb") as file:
        for number, line in enumerate(file):
            if not line.endswith(b"\n"):
                break
            data = _parse(Path(path), number, line)
            if number:
                yield Episode.from_dict(data)


def _parse(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise EpisodeFileError(f"{path}, line {number + 1}: no valid JSON ({error})") from error
    if number == 0:
        if not isinstance(data, dict) or data.get("kind") != KIND:
            raise EpisodeFileError(
                f"{path} is no episode file (its first line is no {KIND} header): "
                "write one with `colbench rollout ENV --out FILE.jsonl`"
            )
        if data["schema"] > SCHEMA:
            raise EpisodeFileError(
                f"{path} has schema {data['schema']}, this version reads up to {SCHEMA}: "
                "upgrade colbench-env"
            )
    elif not isinstance(data, dict) or "turns" not in data:
        raise EpisodeFileError(f"{path}, line {number + 1}: not an episode")
    result: dict[str, Any] = data
    return result
