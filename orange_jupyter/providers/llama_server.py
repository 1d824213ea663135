"""A llama.cpp server for one GGUF: started at first use, shared by the turns of a kernel, stopped with it (R-MOD-7)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import httpx

from orange_jupyter.core.errors import ModelError
from orange_jupyter.providers.llama_faults import Ending, check_gguf, ended, megabytes, too_slow
from orange_jupyter.providers.llama_process import LlamaProcess, LocalFile, find_program, start

Report = Callable[[str, int, int | None], None]
"""(what is going on, seconds so far, seconds in all when it is over or None)."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds until a model is loaded (a large one from a slow disk takes minutes), between looks; tries for a port."""

    loading: float = 900.0
    between: float = 0.2
    ports: int = 3


class LlamaServer:
    """At most one running server for one file. Used from one event loop; `stop` from any thread."""

    def __init__(self, file: LocalFile, environ: Mapping[str, str], *, patience: Patience = Patience()) -> None:
        self.file = file
        self._environ = environ
        self._patience = patience
        self._process: LlamaProcess | None = None
        self._starting = asyncio.Lock()

    async def ready(self, report: Report) -> LlamaProcess:
        """The running server, started and loaded first if need be. Raises ModelError with the reason.

        A start that is cancelled ends the server, so that a Stop frees the memory.
        """
        async with self._starting:
            if self._process is not None and self._process.alive:
                return self._process
            await asyncio.to_thread(self.stop)
            size = await asyncio.to_thread(check_gguf, self.file.gguf)
            program = await asyncio.to_thread(find_program, self._environ)
            ending = Ending(None)
            for _ in range(self._patience.ports):
                key = secrets.token_urlsafe(24)
                self._process = await asyncio.to_thread(start, self.file, program, self._environ, key)
                loaded = await self._loaded(self._process, size, report)
                if loaded is None:
                    return self._process
                ending = loaded
                if not ending.port_taken:
                    break
            raise ended(self.file.gguf.name, size, ending)

    async def why_it_ended(self) -> ModelError | None:
        """The reason when the server is gone or goes within a second; None while it runs."""
        process = self._process
        if process is None or not await asyncio.to_thread(process.ends_within, 1.0):
            return None
        size = await asyncio.to_thread(check_gguf, self.file.gguf)
        self._process = None
        return ended(self.file.gguf.name, size, await asyncio.to_thread(process.end))

    def stop(self) -> None:
        """End the server; blocks until it is gone, at most three seconds."""
        process, self._process = self._process, None
        if process is not None:
            process.end()

    async def _loaded(self, process: LlamaProcess, size: int, report: Report) -> Ending | None:
        """None when the model is loaded; how the server ended when it ended instead."""
        try:
            async with asyncio.timeout(self._patience.loading):
                return await self._watch(process, size, report)
        except TimeoutError:
            await asyncio.to_thread(self.stop)
            raise too_slow(self.file.gguf.name, self._patience.loading) from None
        except asyncio.CancelledError:
            await asyncio.shield(asyncio.to_thread(self.stop))
            raise

    async def _watch(self, process: LlamaProcess, size: int, report: Report) -> Ending | None:
        clock = asyncio.get_running_loop().time
        started, told = clock(), -1
        what = f"loading {self.file.gguf.name} ({megabytes(size)})"
        async with httpx.AsyncClient(trust_env=False, timeout=2.0) as client:
            while process.alive:
                seconds = int(clock() - started)
                if await _healthy(client, process.address):
                    report(what, seconds, seconds)
                    return None
                if seconds > told:
                    told = seconds
                    report(what, seconds, None)
                await asyncio.sleep(self._patience.between)
        self._process = None
        return await asyncio.to_thread(process.end)


async def _healthy(client: httpx.AsyncClient, address: str) -> bool:
    """Whether it says that the model is loaded; 503 while it loads, no answer before it listens."""
    try:
        return (await client.get(f"{address}/health")).status_code == 200
    except httpx.HTTPError:
        return False
