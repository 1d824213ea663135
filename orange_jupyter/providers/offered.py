"""What a server says of itself without a model's answer: the models it offers, and whether it is Ollama (R-MOD-6)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx

from orange_jupyter.core.errors import ModelError
from orange_jupyter.providers.anthropic_messages import MESSAGES
from orange_jupyter.providers.exchange import not_connected
from orange_jupyter.providers.faults import Faults
from orange_jupyter.providers.openai_compatible import CHAT
from orange_jupyter.providers.sending import make_client
from orange_jupyter.providers.settings import Pacing, ServerSettings
from orange_jupyter.providers.speech import Speech

_LONGEST = 4 * 1024 * 1024
SPEECHES = {"openai_compatible": CHAT, "anthropic": MESSAGES}


class Enquiry:
    """Looks a server up: one GET at a time, each within `seconds`. Nothing but the key is sent. Close it at the end."""

    def __init__(self, settings: ServerSettings, provider: str, *, seconds: float = 8.0) -> None:
        self._settings = settings
        self._speech: Speech = SPEECHES[provider]
        self._faults = Faults(settings, self._speech)
        self._seconds = seconds
        self._client = make_client(settings, self._speech, Pacing(connect=seconds))

    async def models(self) -> tuple[str, ...]:
        """The ids of the models that the server offers. Raises ModelError."""
        status, text = await self._get(self._speech.listing_of(self._settings))
        if status != 200:
            raise self._faults.of_status(status, text).error
        found = _ids(text)
        if found is None:
            raise self._faults.no_model_server("answered with something that is no list of models").error
        return found

    async def is_ollama(self) -> bool:
        """Whether Ollama's own API answers at the same host. Never raises."""
        root = str(httpx.URL(self._settings.address).copy_with(raw_path=b"/api/version"))
        try:
            status, text = await self._get(root)
            return status == 200 and isinstance(json.loads(text).get("version"), str)
        except (ModelError, ValueError, AttributeError):
            return False

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _get(self, address: str) -> tuple[int, str]:
        try:
            async with asyncio.timeout(self._seconds), self._client.stream("GET", address) as response:
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > _LONGEST:
                        break
                return response.status_code, body.decode("utf-8", "replace")
        except TimeoutError:
            raise self._faults.silent(self._seconds).error from None
        except httpx.HTTPError as error:
            raise not_connected(error, self._faults, self._seconds).error from None


def _ids(text: str) -> tuple[str, ...] | None:
    """The ids in OpenAI's, Anthropic's, Ollama's or a bare list; None for something else."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = value.get("data", value.get("models"))
    if not isinstance(value, list):
        return None
    named = (one.get("id") or one.get("name") or one.get("model") for one in value if isinstance(one, dict))
    return tuple(name for name in named if isinstance(name, str))
