"""The `monty` back end: a Python interpreter written in Rust, for hosts without these kernels.

`pydantic-monty` runs a subset of Python in worker processes of its own that can reach no file, no
socket and no process. What it cannot do: inheritance, most of the standard library, third-party
packages; functions and generators come back as text and lists; recursion stops at 1,000. The
parent does not keep its clock: limits are those of the interpreter. Use it for macOS and Windows
(untested there); on Linux the zygotes are the reference. Level: "interpreter".
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from colbench_env.errors import ConfigError, MissingDependencyError

from . import wire
from .exchange import Exchange
from .wire import encode_frame


class MontyPool:
    """Worker processes of the interpreter.

    Raises:
        MissingDependencyError: `pydantic-monty` is not installed.
    """

    def __init__(self, max_workers: int) -> None:
        try:
            pydantic_monty = importlib.import_module("pydantic_monty")
            self._pool = pydantic_monty.Monty(max_processes=max_workers)
        except (ImportError, FileNotFoundError) as error:
            raise MissingDependencyError(
                'backend="monty" needs pydantic-monty: pip install "colbench-env[sandbox-monty]"'
            ) from error
        self._monty = pydantic_monty
        self._pool.__enter__()
        self._workers = max_workers

    def end(self) -> None:
        """Shut the workers down."""
        self._pool.__exit__(None, None, None)

    def run(self, exchanges: Sequence[Exchange]) -> None:
        """Evaluate all, each in sessions of its own.

        Raises:
            ConfigError: A submission asks for what the interpreter does not have.
        """
        if any(exchange.submission.namespace != "module" for exchange in exchanges):
            raise ConfigError('backend="monty" knows namespace="module" only')
        with ThreadPoolExecutor(self._workers) as threads:
            list(threads.map(self._evaluate, exchanges))

    def _evaluate(self, exchange: Exchange) -> None:
        limits = exchange.submission.limits
        while not exchange.finished:
            exchange.request()
            exchange.feed(encode_frame(["up"]))
            bounds = {
                "max_feed_duration_secs": max(limits.case_seconds, limits.boot_seconds),
                "max_memory": limits.memory_mb << 20,
            }
            try:
                with self._pool.checkout(limits=bounds) as session:
                    self._session(exchange, session)
            except (self._monty.MontyCrashedError, self._monty.MontyDisconnectError) as error:
                exchange.ended(f"ended the interpreter ({type(error).__name__})")

    def _session(self, exchange: Exchange, session: Any) -> None:
        """Import the code and make calls until one spoils the session."""
        submission = exchange.submission
        try:
            session.feed_run(f"{submission.code}\n{submission.entry}")
        except self._monty.MontyError as error:
            exchange.feed(encode_frame(["boot", self._names(error)]))
            return
        exchange.feed(encode_frame(["ready"]))
        for number in itertools.count(exchange.current):
            if exchange.finished:
                return
            case = submission.cases[number]
            source = exchange.call_source(number) or f"{submission.entry}(*_args, **_kwargs)"
            inputs = {"_args": tuple(case.args), "_kwargs": dict(case.kwargs)}
            try:
                tree = wire.encode(session.feed_run(source, inputs=inputs))
            except wire.CannotEncode as error:
                exchange.feed(encode_frame([number, error.status]))
            except self._monty.MontyError as error:
                names = self._names(error)
                if names[0] == "TimeoutError":
                    exchange.timed_out()
                    return
                exchange.feed(encode_frame([number, "x", names]))
            else:
                exchange.feed(encode_frame([number, "v", tree]))

    def _names(self, error: Any) -> list[str]:
        return [c.__name__ for c in type(error.exception()).__mro__]
