"""The body of a 200: events, one JSON document, or something that is no model's answer (wire rows 10, 26)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from orange_jupyter.providers.faults import Failure, Faults
from orange_jupyter.providers.speech import Folds, ServerSaidError
from orange_jupyter.providers.sse import EventData

_LONGEST_BODY = 32 * 1024 * 1024

_scan = json.JSONDecoder().raw_decode


def _loads(text: str) -> Any:
    """As json.loads, without its search for white space around the value. Raises ValueError."""
    if text.startswith("{"):
        value, end = _scan(text)
        if end == len(text):
            return value
    return json.loads(text)


class Body:
    """Reads one body. `moved` is told of every chunk; what goes wrong becomes a Failure."""

    def __init__(self, folding: Folds, faults: Faults, moved: Callable[[], None]) -> None:
        self._folding = folding
        self._moved = moved
        self._faults = faults

    async def take(self, chunks: AsyncIterator[bytes]) -> Failure | None:
        """Fold it. The first character tells what it is: content types lie."""
        head = b""
        async for chunk in chunks:
            self._moved()
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
        self._moved()
        if failure is not None:
            return failure
        async for chunk in chunks:
            failure = self._take_events(events, chunk)
            self._moved()
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
            self._moved()
            body += chunk
            if len(body) > _LONGEST_BODY:
                return self._faults.garbled("an answer of more than 32 MB")
        try:
            value = json.loads(body.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return self._faults.no_model_server(f"answered with something that is no {self._faults.answer}")
        if not isinstance(value, dict):
            return self._faults.no_model_server("answered with a list instead of an answer")
        try:
            self._folding.feed(value)
        except ServerSaidError as said:
            return self._faults.of_error(said.error)
        if not self._folding.understood:
            return self._faults.no_model_server(f"answered with JSON that is no {self._faults.answer}")
        self._folding.ended = True
        return None
