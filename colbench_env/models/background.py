"""One event loop in a thread of its own, so that asynchronous clients serve synchronous callers.

It works where an event loop is already running (a notebook, a web server) and keeps connections
open between calls. A forked child process makes its own.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")
_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_thread: threading.Thread | None = None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in the background loop and wait for it; interruptions cancel it."""
    future = asyncio.run_coroutine_threadsafe(work, loop())
    try:
        return future.result()
    finally:
        future.cancel()  # does nothing once it is done


def loop() -> asyncio.AbstractEventLoop:
    """Return the background loop, started on first use."""
    global _loop, _thread
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            _thread = threading.Thread(target=_loop.run_forever, name="colbench-io", daemon=True)
            _thread.start()
        return _loop


def _forget() -> None:
    global _loop, _thread, _lock
    _loop = _thread = None  # the thread did not come along
    _lock = threading.Lock()


def _stop() -> None:
    if _loop is not None and _thread is not None:
        _loop.call_soon_threadsafe(_loop.stop)
        _thread.join(timeout=5)
        if not _thread.is_alive():
            _loop.close()
        _forget()


os.register_at_fork(after_in_child=_forget)
atexit.register(_stop)
