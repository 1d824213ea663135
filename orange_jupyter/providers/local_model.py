"""A model in a GGUF file on this machine, served by llama.cpp on loopback (R-MOD-7)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pydantic import SecretStr

from orange_jupyter.core.deltas import Delta, ModelRetry, Progress
from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Reply, Request
from orange_jupyter.core.ports import Model, ModelInfo
from orange_jupyter.providers.llama_process import LlamaProcess
from orange_jupyter.providers.llama_server import LlamaServer
from orange_jupyter.providers.settings import ServerSettings

_GONE = frozenset({ModelFault.UNREACHABLE, ModelFault.CUT_STREAM})
"""How a server that has ended looks from outside."""


class LocalModel:
    """A Model whose server starts with the first request. `close` closes connections; the server goes on.

    `speak` makes the model over an address. `settings` have a loopback address without a port: no server runs yet.
    """

    def __init__(self, settings: ServerSettings, server: LlamaServer, speak: Callable[[ServerSettings], Model]) -> None:
        self._settings = settings
        self._server = server
        self._speak = speak
        self._idle = speak(settings)
        self._at: tuple[LlamaProcess, Model] | None = None

    @property
    def info(self) -> ModelInfo:
        """As configured; text goes to this machine."""
        return self._idle.info

    async def respond(self, request: Request, emit: Callable[[Delta | ModelRetry], None]) -> Reply:
        """Load the model if need be, showing how long that takes, then stream one reply. Raises ModelError."""

        def report(what: str, done: int, total: int | None) -> None:
            emit(Progress(what=what, done=done, total=total))

        model = await self._model(await self._server.ready(report))
        try:
            return await model.respond(request, emit)
        except ModelError as error:
            if error.fault not in _GONE:
                raise
            raise await self._server.why_it_ended() or error from None

    async def close(self) -> None:
        """Close the connections."""
        if self._at is not None:
            await self._at[1].close()
            self._at = None

    async def _model(self, process: LlamaProcess) -> Model:
        """The model over the server's address, made anew when the server was."""
        if self._at is None or self._at[0] is not process:
            await self.close()
            own = replace(self._settings, base_url=f"{process.address}/v1", api_key=SecretStr(process.key))
            self._at = (process, self._speak(own))
        return self._at[1]
