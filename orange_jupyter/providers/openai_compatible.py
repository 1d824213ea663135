"""Any OpenAI-compatible chat-completions server as a Model (R-MOD-1)."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from orange_jupyter.core.deltas import Delta, ModelRetry
from orange_jupyter.core.messages import Reply, Request
from orange_jupyter.core.ports import ModelInfo
from orange_jupyter.providers.fold import Folding
from orange_jupyter.providers.sending import Line
from orange_jupyter.providers.settings import Blob, Pacing, ServerSettings
from orange_jupyter.providers.speech import Speech
from orange_jupyter.providers.wire import chat_body

CHAT = Speech(
    answer="chat completion",
    path="/chat/completions",
    endings=("/chat/completions",),
    address_form=(
        "The base URL ends before /chat/completions, for instance "
        "https://api.openai.com/v1, http://127.0.0.1:11434/v1 (Ollama), http://127.0.0.1:1234/v1 (LM Studio)."
    ),
    key_header="Authorization",
    key_prefix="Bearer ",
    body=chat_body,
    folding=Folding,
)


class OpenAICompatible:
    """A Model over one address that speaks chat completions; stateless between requests but for what it refused.

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
        self._line = Line(settings, blob, CHAT, pacing=pacing, client=client)

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
