"""A model behind a server that speaks OpenAI's chat-completions protocol.

The official `openai` package sends the requests, many at once, and tries again with back-off after
429, 5xx, timeouts and lost connections. What fails for good, or answers with something that is no
completion, becomes a labelled `Fault`. The server's own error text may quote the prompt, and the
prompt may hold what a learner must not see: it goes to the log (level INFO), never into the fault.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlsplit

from colbench_env.errors import ConfigError, Fault, MissingDependencyError
from colbench_env.models import background
from colbench_env.models.budget import Budget, Price
from colbench_env.models.chat_format import (
    BadReplyError,
    at_most,
    payload,
    read_completion,
    read_embedding,
)
from colbench_env.models.model import Completion, Request, Usage

T = TypeVar("T")
logger = logging.getLogger("colbench_env.models")
NO_KEY = "none"  # what a local server that wants no key is sent


class ServerModel:
    """A model behind an OpenAI-style server. Nothing is opened before the first request.

    Args:
        model: The model's name at the server.
        base_url: For example `http://127.0.0.1:8000/v1`; None: OpenAI's own, or what the
            environment variable `OPENAI_BASE_URL` says.
        concurrency: Requests under way at once.
        timeout: Seconds that one try may take.
        retries: How often the client tries again by itself.
        budget_tokens: Tokens, read and written, that may be spent in this process.
        budget_usd: US dollars that may be spent in this process; needs the prices.
        price_in: US dollars for a million tokens read.
        price_out: US dollars for a million tokens written.
        key_env: Name of the environment variable that holds the API key. The key is read when the
            first request is sent, and kept nowhere else than in the client.
        images: Whether the model can see; if not, it is told each picture's description.

    Raises:
        ConfigError: An argument cannot work.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        *,
        concurrency: int = 64,
        timeout: float = 120.0,
        retries: int = 4,
        budget_tokens: int | None = None,
        budget_usd: float | None = None,
        price_in: float = 0.0,
        price_out: float = 0.0,
        key_env: str = "OPENAI_API_KEY",
        images: bool = False,
    ) -> None:
        if not model:
            raise ConfigError("a model needs a name: openai:MODEL@BASE_URL")
        if "://" in model:
            raise ConfigError("the part after @ must be a URL that begins with http:// or https://")
        if base_url is not None:
            _check_url(base_url)
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", key_env):
            raise ConfigError(
                "key_env must be the name of an environment variable such as OPENAI_API_KEY, "
                "not the key itself"
            )
        if concurrency < 1 or timeout <= 0 or retries < 0:
            raise ConfigError("concurrency must be at least 1, timeout above 0, retries at least 0")
        self.model, self.base_url = model, base_url
        self.name = f"openai:{model}" + (f"@{base_url}" if base_url else "")
        self.concurrency, self.timeout, self.retries = concurrency, timeout, retries
        self.key_env, self.images = key_env, images
        self.budget = Budget(budget_tokens, budget_usd, Price(price_in, price_out))
        self._connection: _Connection | None = None

    def __repr__(self) -> str:
        return f"ServerModel({self.name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_connection": None}

    def __deepcopy__(self, memo: dict[int, Any]) -> ServerModel:
        return self  # one budget and one connection, however often an environment is copied

    @property
    def usage(self) -> Usage:
        """What it has been used for so far in this process."""
        return self.budget.spent

    def generate(self, requests: Sequence[Request]) -> list[Completion | Fault]:
        """Complete each request, in order; a `Fault` where that failed.

        A request with `text` goes to the server's `/completions`, a chat to `/chat/completions`.
        """

        async def one(request: Request) -> Completion | Fault:
            def read(reply: Any) -> tuple[Completion, Usage]:
                completion = read_completion(reply, request, self.name, self.budget.price)
                return completion, completion.usage

            client = self._connect().client
            limit = "max_tokens" if self.base_url else "max_completion_tokens"
            body = payload(request, self.model, images=self.images, limit=limit)
            service = client.completions if request.text else client.chat.completions
            return await self._ask(
                lambda: service.with_raw_response.create(**body),
                read,
                self._most(at_most(request), request.max_tokens),
            )

        return background.run(_all(one(request) for request in requests))

    def embed(self, texts: Sequence[str]) -> list[tuple[float, ...] | Fault]:
        """Return a vector of Euclidean length 1 for each text, in order."""

        async def one(text: str) -> tuple[float, ...] | Fault:
            embeddings = self._connect().client.embeddings.with_raw_response
            return await self._ask(
                lambda: embeddings.create(model=self.model, input=text, encoding_format="float"),
                lambda reply: read_embedding(reply, text, self.budget.price),
                self._most(16 + len(text) // 2, 0),
            )

        return background.run(_all(one(text) for text in texts))

    def close(self) -> None:
        """Close the connections; the next request opens new ones."""
        connection, self._connection = self._connection, None
        if connection is not None and connection.loop is background.loop():
            background.run(connection.client.close())

    async def _ask(
        self,
        send: Callable[[], Awaitable[Any]],
        read: Callable[[Any], tuple[T, Usage]],
        most: Usage,
    ) -> T | Fault:
        """Send one request within concurrency and budget, and label whatever goes wrong."""
        connection = self._connect()
        async with connection.slots:
            if not await self.budget.reserve(most, connection.freed):
                message = f"{self.budget} spent; raise the budget and run again to go on"
                return Fault(self.name, "budget", message, retry=False)
            used = Usage(requests=1, faults=1)
            try:
                async with asyncio.timeout(self.timeout * (self.retries + 1)):
                    reply = await send()
                value, used = read(_json(reply))
                return value
            except Exception as error:  # noqa: BLE001  # what is no fault is raised again
                return self._fault(error)
            finally:
                await self.budget.settle(most, used, connection.freed)

    def _fault(self, error: Exception) -> Fault:
        import openai

        kind, message, retry = "", type(error).__name__, True
        if isinstance(error, BadReplyError):
            kind, message = str(error), "the server answered without a completion"
            retry = kind != "content filter"
        elif isinstance(error, TimeoutError | openai.APITimeoutError):
            kind, message = "timeout", f"no answer within {self.timeout:g} s"
        elif isinstance(error, openai.APIStatusError):
            status, code = error.status_code, _code(error.body)
            kind = f"http {status}"
            retry = (status in (408, 409, 429) or status >= 500) and code != "insufficient_quota"
            message = code or "the server refused the request; its own words are in the log"
            if status in (401, 403):
                message += f"; the API key is taken from ${self.key_env}"
            logger.info("%s: %s: %s", self.name, kind, self._without_key(error.message[:1000]))
        elif isinstance(error, openai.APIConnectionError):
            kind, message = "connection", "the server cannot be reached, or hung up"
        elif isinstance(error, openai.OpenAIError):
            kind = "client error"
        if not kind:
            raise error
        return Fault(self.name, kind, message, retry)

    def _most(self, prompt_tokens: int, completion_tokens: int) -> Usage:
        cost = self.budget.price.of(prompt_tokens, completion_tokens)
        return Usage(0, 0, prompt_tokens, completion_tokens, cost)

    def _without_key(self, text: str) -> str:
        key = os.environ.get(self.key_env)
        return text.replace(key, f"[{self.key_env}]") if key else text

    def _connect(self) -> _Connection:
        if self._connection is None or self._connection.loop is not asyncio.get_running_loop():
            self._connection = _Connection(self)
        return self._connection


class _Connection:
    """What belongs to one event loop: the client, its slots, and the budget's condition."""

    def __init__(self, model: ServerModel) -> None:
        try:
            from openai import AsyncOpenAI
        except ImportError as error:
            raise MissingDependencyError(
                "models behind a server need the openai package: pip install 'colbench-env[llm]'"
            ) from error
        self.loop = asyncio.get_running_loop()
        self.slots = asyncio.Semaphore(model.concurrency)
        self.freed = asyncio.Condition()
        self.client = AsyncOpenAI(
            api_key=os.environ.get(model.key_env) or NO_KEY,
            base_url=model.base_url,
            timeout=model.timeout,
            max_retries=model.retries,
        )


async def _all(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    return await asyncio.gather(*work)


def _json(reply: Any) -> Any:
    """Return the JSON that the server sent.

    Raises:
        BadReplyError: It is something else.
    """
    response = reply.http_response
    if "json" not in response.headers.get("content-type", ""):
        raise BadReplyError("content type")
    try:
        return json.loads(response.content)
    except ValueError:
        raise BadReplyError("truncated json") from None


def _code(body: object) -> str:
    """Return the error's code or type if it looks like one: an identifier, no prose."""
    error = body.get("error", body) if isinstance(body, dict) else {}
    for field in ("code", "type"):
        value = error.get(field) if isinstance(error, dict) else None
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z]\w{0,60}", value):
            return value
    return ""


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("base_url must look like http://127.0.0.1:8000/v1 or https://HOST/v1")
    if parts.username or parts.password or parts.query:
        raise ConfigError(
            "base_url may hold no user name, password or query: put the key into an environment "
            "variable and name it with key_env="
        )
