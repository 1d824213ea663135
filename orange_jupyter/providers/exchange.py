"""One POST and its answer: connection, status, stream or whole JSON, time limits; what went wrong as a Failure."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from orange_jupyter.providers.faults import Failure, Faults
from orange_jupyter.providers.fold import Folding, ServerSaidError
from orange_jupyter.providers.retry import retry_after
from orange_jupyter.providers.settings import Pacing, ServerSettings
from orange_jupyter.providers.sse import EventData

_LONGEST_BODY = 32 * 1024 * 1024
_LONGEST_ERROR = 64 * 1024


class Exchange:
    """Runs one request against one server. httpx errors end here, so that none with a request in it goes further."""

    def __init__(self, client: httpx.AsyncClient, settings: ServerSettings, faults: Faults, pacing: Pacing) -> None:
        self._client = client
        self._settings = settings
        self._faults = faults
        self._pacing = pacing

    async def run(self, body: dict[str, Any], folding: Folding) -> Failure | None:
        """Send and fold the answer; None when it is complete. Cancellation closes the connection at once."""
        content = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream, application/json"}
        limit = self._pacing.first
        try:
            async with asyncio.timeout(limit) as deadline:
                async with self._client.stream(
                    "POST", self._settings.endpoint, content=content, headers=headers
                ) as response:
                    if response.status_code != 200:
                        return await self._refused(response)
                    pace = _Pace(self._pacing, deadline, folding)
                    async with _bytes_of(response) as chunks:
                        return await _Answer(folding, self._faults, pace).take(chunks)
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

    def _broken(self, error: httpx.HTTPError, folding: Folding) -> Failure | None:
        """A connection that failed: after the answer's end it does not matter, before the first byte it never stood."""
        if folding.ended:
            return None
        if folding.understood:
            return self._faults.cut("the connection closed")
        return self._not_connected(error)

    def _not_connected(self, error: httpx.HTTPError) -> Failure:
        match error:
            case httpx.ConnectTimeout() | httpx.PoolTimeout():
                return self._faults.unreachable(f"no connection within {self._pacing.connect:g} seconds")
            case httpx.ConnectError():
                return self._faults.unreachable(self._faults.masked(str(error)) or "the connection failed")
            case httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
                return self._faults.unreachable("the request cannot be sent as configured", again=False)
            case httpx.ProxyError():
                return self._faults.unreachable("the proxy did not let the request through")
            case httpx.DecodingError():
                return self._faults.garbled("its compression is broken")
            case _:
                return self._faults.unreachable("the connection closed before an answer")


_scan = json.JSONDecoder().raw_decode


def _loads(text: str) -> Any:
    """As json.loads, without its search for white space around the value. Raises ValueError."""
    if text.startswith("{"):
        value, end = _scan(text)
        if end == len(text):
            return value
    return json.loads(text)


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

    def __init__(self, pacing: Pacing, deadline: asyncio.Timeout, folding: Folding) -> None:
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


class _Answer:
    """The body of a 200: events, one JSON document, or something that is no model's answer."""

    def __init__(self, folding: Folding, faults: Faults, pace: _Pace) -> None:
        self._folding = folding
        self._pace = pace
        self._faults = faults

    async def take(self, chunks: AsyncIterator[bytes]) -> Failure | None:
        """Fold it. The first character tells what it is: content types lie."""
        head = b""
        async for chunk in chunks:
            self._pace.moved()
            head += chunk
            begun = head.lstrip(b"\xef\xbb\xbf \t\r\n")
            if not begun:
                continue
            if begun[:1] == b"<":
                return self._faults.no_model_server("answered with a web page")
            if begun[:1] in b"{[":
                return await self._whole(begun, chunks)
            return await self._events(begun, chunks)
        return self._faults.cut("it sent nothing")

    async def _events(self, first: bytes, chunks: AsyncIterator[bytes]) -> Failure | None:
        """Read to the end of the body, so that the connection can be used again."""
        events = EventData()
        failure = self._take_events(events, first)
        self._pace.moved()
        if failure is not None:
            return failure
        async for chunk in chunks:
            failure = self._take_events(events, chunk)
            self._pace.moved()
            if failure is not None:
                return failure
        failure = self._fold(events.end(), last=True)
        if failure is None and not self._folding.ended:
            return self._cut()
        return failure

    def _take_events(self, events: EventData, chunk: bytes) -> Failure | None:
        try:
            return self._fold(events.feed(chunk))
        except ValueError as error:
            return self._faults.garbled(str(error))

    def _cut(self) -> Failure:
        if self._folding.understood:
            return self._faults.cut("neither an end nor a reason came")
        return self._faults.no_model_server("answered without any part of an answer")

    def _fold(self, data: list[str], *, last: bool = False) -> Failure | None:
        for text in data:
            if text.startswith("[DONE]"):
                self._folding.ended = self._folding.understood
                continue
            try:
                chunk = _loads(text)
            except (ValueError, RecursionError):
                failure = self._several(text, last=last)
                if failure is not None:
                    return failure
                continue
            try:
                if isinstance(chunk, dict):
                    self._folding.feed(chunk)
            except ServerSaidError as said:
                return self._faults.of_error(said.error)
        return None

    def _several(self, text: str, *, last: bool) -> Failure | None:
        """Data that is no JSON: several events without the blank lines between, else a cut or garbled one."""
        lines = text.split("\n")
        if len(lines) > 1:
            return self._fold([line for line in lines if line.strip()], last=last)
        if not text.strip() or last:
            return None
        return self._faults.garbled(f"{self._faults.masked(text)[:60]!r} is not JSON")

    async def _whole(self, first: bytes, chunks: AsyncIterator[bytes]) -> Failure | None:
        """One JSON document although streaming was asked for (row 26)."""
        body = bytearray(first)
        async for chunk in chunks:
            self._pace.moved()
            body += chunk
            if len(body) > _LONGEST_BODY:
                return self._faults.garbled("an answer of more than 32 MB")
        try:
            value = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return self._faults.no_model_server("answered with something that is no chat completion")
        if not isinstance(value, dict):
            return self._faults.no_model_server("answered with a list instead of an answer")
        try:
            self._folding.feed(value)
        except ServerSaidError as said:
            return self._faults.of_error(said.error)
        if not self._folding.understood:
            return self._faults.no_model_server("answered with JSON that is no chat completion")
        self._folding.ended = True
        return None
