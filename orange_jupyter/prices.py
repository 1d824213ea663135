"""What a reply cost, where the person's settings know the prices (R-CTX-4, R-MOD-2): a wrapper around any model."""

from __future__ import annotations

from collections.abc import Callable

from orange_jupyter.config import Prices
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.messages import Reply, Request, Usage
from orange_jupyter.core.ports import Model, ModelInfo

MILLION = 1_000_000


class Priced:
    """A Model whose replies carry their cost."""

    def __init__(self, model: Model, prices: Prices) -> None:
        self._model = model
        self._prices = prices

    @property
    def info(self) -> ModelInfo:
        """The wrapped model's."""
        return self._model.info

    async def respond(self, request: Request, emit: Callable[[Delta], None]) -> Reply:
        """The wrapped model's reply with `usage.cost`. Raises ModelError."""
        reply = await self._model.respond(request, emit)
        priced = reply.usage.model_copy(update={"cost": cost(reply.usage, self._prices)})
        return reply.model_copy(update={"usage": priced})

    async def close(self) -> None:
        """Free the wrapped model's connections."""
        await self._model.close()


def cost(usage: Usage, prices: Prices) -> float:
    """In the prices' currency; prices are for a million tokens, cached ones count as input where they have no own."""
    read = prices.input if prices.cache_read is None else prices.cache_read
    write = prices.input if prices.cache_write is None else prices.cache_write
    fresh = max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens)
    whole = fresh * prices.input + usage.cache_read_tokens * read + usage.cache_write_tokens * write
    return (whole + usage.output_tokens * prices.output) / MILLION
