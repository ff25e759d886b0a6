"""A limit on what a model may cost, kept although many requests are under way at once."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from colbench_env.errors import ConfigError
from colbench_env.models.model import Usage


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens, read and written."""

    prompt: float = 0.0
    completion: float = 0.0

    def of(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return the price of one request."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


class Budget:
    """Lets a request begin only while the budget holds.

    A request begins when what is spent, what the requests under way may take and what it may take
    itself fit into the budget; else it waits until those under way have ended, and then begins as
    long as anything is left. So the limit is passed by one request at most, not by a whole batch
    (where a prompt has no more than one token for two characters).

    Args:
        tokens: Limit on tokens read and written; None for no limit.
        usd: Limit in US dollars; None for no limit.
        price: Of the model's tokens.

    Raises:
        ConfigError: A limit in money without a price.
    """

    def __init__(self, tokens: int | None, usd: float | None, price: Price) -> None:
        if usd is not None and not (price.prompt or price.completion):
            raise ConfigError(
                "budget_usd needs the model's prices in dollars per million tokens: "
                "add price_in=... and price_out=..."
            )
        self.tokens, self.usd, self.price = tokens, usd, price
        self.spent = Usage()
        self._reserved = Usage()
        self._under_way = 0

    async def reserve(self, most: Usage, freed: asyncio.Condition) -> bool:
        """Wait until a request may begin.

        Args:
            most: What it may take.
            freed: Told whenever a request ends; the same for all requests of an event loop.

        Returns:
            False if nothing is left.
        """
        async with freed:
            while self._under_way and not self._fits(self.spent + self._reserved + most):
                await freed.wait()
            if not self._left():
                return False
            self._under_way += 1
            self._reserved += most
            return True

    async def settle(self, most: Usage, used: Usage, freed: asyncio.Condition) -> None:
        """Replace a reservation by what the request took."""
        async with freed:
            self._under_way -= 1
            back = Usage(0, 0, -most.prompt_tokens, -most.completion_tokens, -most.cost)
            self._reserved = self._reserved + back if self._under_way else Usage()
            self.spent += used
            freed.notify_all()

    def _fits(self, usage: Usage) -> bool:
        return (self.tokens is None or usage.tokens <= self.tokens) and (
            self.usd is None or usage.cost <= self.usd
        )

    def _left(self) -> bool:
        return (self.tokens is None or self.spent.tokens < self.tokens) and (
            self.usd is None or self.spent.cost < self.usd
        )

    def __str__(self) -> str:
        limits = []
        if self.tokens is not None:
            limits.append(f"{self.spent.tokens:,} of {self.tokens:,} tokens")
        if self.usd is not None:
            limits.append(f"${self.spent.cost:.2f} of ${self.usd:.2f}")
        return " and ".join(limits) or "no limit"
