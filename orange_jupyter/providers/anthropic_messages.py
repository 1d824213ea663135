"""The Anthropic messages API as a Model (R-MOD-1): Anthropic itself and the servers that speak like it."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from orange_jupyter.core.deltas import Delta, ModelRetry
from orange_jupyter.core.messages import Reply, Request
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.messages_fold import MessagesFolding
from orange_jupyter.providers.messages_wire import messages_body
from orange_jupyter.providers.sending import Line
from orange_jupyter.providers.settings import Blob, Pacing, ServerSettings
from orange_jupyter.providers.speech import Speech

MESSAGES = Speech(
    answer="message of the messages API",
    path="/v1/messages",
    endings=("/messages", "/v1"),
    address_form="The base URL ends before /v1/messages, for instance https://api.anthropic.com.",
    key_header="x-api-key",
    headers=(("anthropic-version", "2023-06-01"),),
    body=messages_body,
    folding=MessagesFolding,
)


class AnthropicMessages:
    """A Model over one address that speaks the messages API; stateless between requests but for what it refused.

    `blob` gives a picture's bytes by sha256. `client` is for tests; a client that is given is not closed here.
    """

    def __init__(
        self,
        settings: ServerSettings,
        blob: Blob,
        *,
        pacing: Pacing | None = None,
        client: httpx.AsyncClient | None = None,
    ) -> None:
        self._line = Line(settings, blob, MESSAGES, pacing=pacing, client=client)

    @property
    def info(self) -> ModelInfo:
        """Name, host and limits as configured."""
        return self._line.info

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """Stream one reply. Raises ModelError, whose text and causes hold no key (U08)."""
        return await self._line.ask(request, emit)

    async def close(self) -> None:
        """Close the connections."""
        await self._line.close()
