"""One POST and its answer: connection, status and time limits; what went wrong as a Failure."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from orange_jupyter.providers.body import Body
from orange_jupyter.providers.faults import Failure, Faults
from orange_jupyter.providers.loopback import NotThisMachineError
from orange_jupyter.providers.retry import retry_after
from orange_jupyter.providers.settings import Pacing
from orange_jupyter.providers.speech import Folds

_LONGEST_ERROR = 64 * 1024


class Exchange:
    """Runs one request against one server. httpx errors end here, so that none with a request in it goes further."""

    def __init__(self, client: httpx.AsyncClient, endpoint: str, faults: Faults, pacing: Pacing) -> None:
        self._client = client
        self._endpoint = endpoint
        self._faults = faults
        self._pacing = pacing

    async def run(self, body: dict[str, Any], folding: Folds) -> Failure | None:
        """Send and fold the answer; None when it is complete. Cancellation closes the connection at once."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        limit = self._pacing.first
        try:
            async with asyncio.timeout(limit) as deadline:
                async with self._client.stream("POST", self._endpoint, content=content, headers=headers) as response:
                    if response.status_code != 200:
                        return await self._refused(response)
                    pace = _Pace(self._pacing, deadline, folding)
                    async with _bytes_of(response) as chunks:
                        return await Body(folding, self._faults, pace.moved).take(chunks)
        except TimeoutError:
            if folding.ended:
                return None
            return self._faults.silent(self._pacing.between if folding.understood else limit)
        except httpx.HTTPError as error:
            return self._broken(error, folding)
        except httpx.InvalidURL:
            return self._faults.unreachable("the base URL is not an address", again=False)

    async def _refused(self, response: httpx.Response) -> Failure:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > _LONGEST_ERROR:
                break
        text = body[:_LONGEST_ERROR].decode("utf-8", "replace")
        failure = self._faults.of_status(response.status_code, text, location=response.headers.get("location", ""))
        wait = retry_after(response.headers, self._pacing.now())
        return Failure(failure.error, failure.again, wait, failure.text, failure.status)

    def _broken(self, error: httpx.HTTPError, folding: Folds) -> Failure | None:
        """A connection that failed: after the answer's end it does not matter, before the first byte it never stood."""
        if folding.ended:
            return None
        if folding.understood:
            return self._faults.cut("the connection closed")
        return not_connected(error, self._faults, self._pacing.connect)


def not_connected(error: httpx.HTTPError, faults: Faults, seconds: float) -> Failure:
    """What an httpx error means; `seconds` is the limit for a connection. Nothing of the request goes further (U08)."""
    match error:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return faults.unreachable(f"no connection within {seconds:g} seconds")
        case NotThisMachineError():
            return faults.unreachable(str(error), again=False)
        case httpx.ConnectError():
            return faults.unreachable(faults.masked(str(error)) or "the connection failed")
        case httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return faults.unreachable("the request cannot be sent as configured", again=False)
        case httpx.ProxyError():
            return faults.unreachable("the proxy did not let the request through")
        case httpx.DecodingError():
            return faults.garbled("its compression is broken")
        case _:
            return faults.unreachable("the connection closed before an answer")


@asynccontextmanager
async def _bytes_of(response: httpx.Response) -> AsyncIterator[AsyncIterator[bytes]]:
    """The body's chunks; the generator behind them is closed with the block. Without compression they come raw."""
    packed = "content-encoding" in response.headers
    source = response.aiter_bytes() if packed else response.aiter_raw()
    try:
        yield source
    finally:
        if isinstance(source, AsyncGenerator):  # httpx types it as an iterator
            await source.aclose()


class _Pace:
    """Moves the deadline on with the chunks; after the answer's end only a moment is waited.

    Headers do not move it: many servers send them before they begin to read the prompt. Moving a timer costs as much
    as parsing a chunk, so it is moved at most twenty times a time limit: silence ends after 95 to 100 % of it.
    """

    def __init__(self, pacing: Pacing, deadline: asyncio.Timeout, folding: Folds) -> None:
        self._pacing = pacing
        self._deadline = deadline
        self._folding = folding
        self._clock = asyncio.get_running_loop().time
        self._next = 0.0

    def moved(self) -> None:
        """A chunk came."""
        now = self._clock()
        if self._folding.ended:
            self._deadline.reschedule(now + self._pacing.after_end)
        elif now >= self._next:
            self._deadline.reschedule(now + self._pacing.between)
            self._next = now + self._pacing.between / 20
