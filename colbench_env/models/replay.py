"""Record what a model says once, and play it back for ever: an SQLite file.

The key is (prompt version, task id, hash of the dialogue, seed). Several processes may read and
record at once: write-ahead logging, and of two recordings of one key the first stays, for both.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from colbench_env.errors import ColbenchError, ConfigError, Fault
from colbench_env.models.model import Completion, Model, Request, Usage

SCHEMA = """
CREATE TABLE IF NOT EXISTS completions (
    prompt TEXT, task TEXT, dialogue_hash TEXT, seed TEXT,
    model TEXT, dialogue TEXT, completion TEXT,
    PRIMARY KEY (prompt, task, dialogue_hash, seed)
) WITHOUT ROWID"""
BUSY = 60.0  # seconds to wait for another process's write
Key = tuple[str, str, str, str]
FIELDS = ("prompt", "task", "dialogue", "seed")


class ReplayMissError(ColbenchError, LookupError):
    """The file holds no completion for a request; the message shows what differs."""


class ReplayModel:
    """Answers from a recording, and records what the recording does not hold yet.

    Args:
        path: The file; made on the first recording.
        fallback: Asked, and recorded, where the file holds nothing; without it a miss is an error.
    """

    def __init__(self, path: str | Path, fallback: Model | None = None) -> None:
        self.path, self.fallback = Path(path), fallback
        self.name = f"replay:{path}" + (f"+{fallback.name}" if fallback else "")
        self._replayed = 0

    def __repr__(self) -> str:
        return f"ReplayModel({self.name!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> ReplayModel:
        return self

    @property
    def usage(self) -> Usage:
        """Requests answered from the recording, free of cost; the fallback counts its own."""
        return Usage(self._replayed)

    def generate(self, requests: Sequence[Request]) -> list[Completion | Fault]:
        """Answer each request, in order. The same request twice in a batch is asked once.

        Raises:
            ReplayMissError: A completion is missing, and there is no fallback.
            ConfigError: There is no such file, and no fallback.
        """
        keys = [_key(request) for request in requests]
        found: dict[Key, Completion | Fault] = {}
        if self.path.exists():
            with self._open() as file:
                found.update(_read(file, keys))
        elif self.fallback is None:
            raise ConfigError(
                f"there is no recording {self.path}; "
                f"make one with replay:{self.path}+openai:MODEL@URL"
            )
        self._replayed += sum(key in found for key in keys)
        missing = {k: r for k, r in zip(keys, requests, strict=True) if k not in found}
        if missing and self.fallback is None:
            raise ReplayMissError(self._difference(next(iter(missing.values()))))
        if missing and self.fallback is not None:
            answers = self.fallback.generate(list(missing.values()))
            found.update(zip(missing, answers, strict=True))
            self._record(missing, found)
        return [found[key] for key in keys]

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...] | Fault]:
        """Ask the fallback: vectors are not recorded.

        Raises:
            ConfigError: There is no fallback.
        """
        if self.fallback is None:
            raise ConfigError(f"{self.name} holds no embeddings; add +openai:MODEL@URL or +hf:PATH")
        return self.fallback.embed(texts)

    def _record(self, asked: Mapping[Key, Request], found: dict[Key, Completion | Fault]) -> None:
        """Store the fallback's completions, and take over those that another process stored."""
        rows = []
        for key, request in asked.items():
            completion = found[key]
            if isinstance(completion, Completion):
                dialogue, stored = json.dumps(request.dialogue()), json.dumps(completion.to_dict())
                rows.append((*key, completion.model, dialogue, stored))
        if not self.path.exists():
            _create(self.path)
        with self._open() as file:
            with file:
                file.executemany("INSERT OR IGNORE INTO completions VALUES (?,?,?,?,?,?,?)", rows)
            found.update(_read(file, asked))

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one call, so that no process or thread inherits a connection."""
        writable = os.access(self.path.parent, os.W_OK) and os.access(self.path, os.W_OK)
        # Even to read, write-ahead logging makes files beside this one, unless it is immutable.
        options = "mode=rw" if writable else "mode=ro&immutable=1"
        try:
            uri = f"file:{quote(str(self.path.absolute()))}?{options}"
            with closing(sqlite3.connect(uri, uri=True, timeout=BUSY)) as file:
                yield file
        except sqlite3.DatabaseError as error:
            raise ConfigError(f"{self.path} is no recording that can be used: {error}") from error

    def _difference(self, request: Request) -> str:
        """Say how the request differs from the nearest recorded one."""
        asked, shown = _key(request), request.dialogue()
        with self._open() as file:
            [count] = file.execute("SELECT count(*) FROM completions").fetchone()
            nearest = file.execute(
                "SELECT prompt, task, dialogue_hash, seed, dialogue FROM completions ORDER BY "
                "(task = ?) * 4 + (prompt = ?) * 2 + (seed = ?) DESC LIMIT 200",
                (asked[1], asked[0], asked[3]),
            ).fetchall()
        message = f"{self.path} ({count} completions) holds none for {_named(asked)}"
        if not nearest:
            return message

        def likeness(row: Sequence[str]) -> tuple[int, int]:
            equal = 4 * (row[1] == asked[1]) + 2 * (row[0] == asked[0]) + (row[3] == asked[3])
            return equal, _common(json.loads(row[4]), shown)

        *found, dialogue = max(nearest, key=likeness)
        lines = [message, f"nearest recorded: {_named(found)}"]
        for field, was, now in zip(FIELDS, found, asked, strict=True):
            if was != now and field != "dialogue":
                lines.append(f"{field} differs: recorded {was!r}, asked {now!r}")
        if found[2] != asked[2]:
            lines.append(_first_difference(json.loads(dialogue), shown))
        return "; ".join([*lines, f"to record it: {self.name}+openai:MODEL@URL"])


def _key(request: Request) -> Key:
    return request.prompt, request.task, request.dialogue_hash(), str(request.seed)


def _named(key: Sequence[str]) -> str:
    return ", ".join(f"{field} {value!r}" for field, value in zip(FIELDS, key, strict=True))


def _read(file: sqlite3.Connection, keys: Iterable[Key]) -> dict[Key, Completion]:
    query = (
        "SELECT completion FROM completions "
        "WHERE prompt = ? AND task = ? AND dialogue_hash = ? AND seed = ?"
    )
    found = {}
    for key in keys:
        row = file.execute(query, key).fetchone()
        if row is not None:
            found[key] = Completion.from_dict(json.loads(row[0]))
    return found


def _create(path: Path) -> None:
    """Make an empty recording; of two processes that do so at once, one wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    work = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        with closing(sqlite3.connect(work)) as file:
            file.execute("PRAGMA journal_mode = WAL")
            file.execute(SCHEMA)
        with suppress(FileExistsError):
            os.link(work, path)
    finally:
        work.unlink(missing_ok=True)


def _common(recorded: Sequence[Any], asked: Sequence[Any]) -> int:
    """Return the length of the common beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(recorded, asked)))


def _first_difference(recorded: list[dict[str, str]], asked: list[dict[str, str]]) -> str:
    place = _common(recorded, asked)
    if place == min(len(recorded), len(asked)):
        return f"dialogue differs: {len(recorded)} messages recorded, {len(asked)} asked"
    was, now = ("/".join(side[place].values()) for side in (recorded, asked))
    start = max(0, _common(was, now) - 20)
    return (
        f"dialogue differs from message {place} on: recorded {was[start : start + 80]!r}, "
        f"asked {now[start : start + 80]!r}"
    )
