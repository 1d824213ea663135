"""One GET with its redirects, each hop checked by itself (N03): no cookies, no credentials, no referrer are sent."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpcore

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.core.fetching import MOST_BYTES, MOST_REDIRECTS, MOST_SECONDS
from orange_jupyter.local.web.backend import CheckedBackend, Connect, Resolve, connect_here, resolve_here
from orange_jupyter.local.web.bodies import ACCEPTED, Body
from orange_jupyter.local.web.places import Place, follow, read_place, short
from orange_jupyter.local.web.rules import Rules

_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_AGENT: Final = "Mozilla/5.0 (compatible; orange-jupyter)"
_STEP_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one fetch: bytes after decompression, seconds with all hops, redirects."""

    bytes: int = MOST_BYTES
    seconds: float = MOST_SECONDS
    redirects: int = MOST_REDIRECTS


@dataclass(frozen=True, slots=True)
class Answer:
    """What came at the end of the redirects. `hops` are the addresses that led here; `cut` says why data is missing."""

    place: Place
    status: int
    headers: Mapping[str, str]
    data: bytes = field(repr=False)
    hops: tuple[str, ...] = ()
    cut: str = ""


class Fetcher:
    """Asks for one address at a time, over a connection of its own that is closed after it."""

    def __init__(
        self,
        rules: Rules,
        *,
        resolve: Resolve = resolve_here,
        connect: Connect = connect_here,
        limits: Limits | None = None,
    ) -> None:
        self._rules = rules
        self._resolve = resolve
        self._connect = connect
        self._limits = limits or Limits()
        self._context: ssl.SSLContext | None = None

    async def get(self, url: str, *, accept: str = "*/*") -> Answer:
        """The answer at `url` or where it leads. Raises WebError as the port `Web.fetch` says."""
        place = read_place(url)
        hops: list[str] = []
        end = asyncio.get_running_loop().time() + self._limits.seconds
        while True:
            self._rules.check_place(place)
            answer = await self._one(place, accept, end)
            where = answer.headers.get("location")
            if answer.status not in _REDIRECTS or where is None:
                return Answer(answer.place, answer.status, answer.headers, answer.data, tuple(hops), answer.cut)
            hops.append(place.url)
            if len(hops) > self._limits.redirects:
                raise WebError(
                    Code.TOO_MANY_REDIRECTS,
                    f"{short(url)} redirects more than {self._limits.redirects} times, last to {short(where)}",
                    details={"hops": hops},
                )
            place = follow(place, where)

    async def _one(self, place: Place, accept: str, end: float) -> Answer:
        """One hop. Raises WebError."""
        body: Body | None = None
        try:
            async with asyncio.timeout_at(end), self._asked(place, accept) as response:
                headers = _headers(response)
                body = Body(headers.get("content-encoding", "").strip().lower(), self._limits.bytes)
                if response.status not in _REDIRECTS:
                    await _fill(body, response)
                return Answer(place, response.status, headers, body.data, cut=body.cut)
        except TimeoutError:
            if body is None or not body.data:
                raise _too_slow(place, self._limits.seconds) from None
            return Answer(place, response.status, headers, body.data, cut="the rest did not come in time")

    @asynccontextmanager
    async def _asked(self, place: Place, accept: str) -> AsyncIterator[httpcore.Response]:
        backend = CheckedBackend(place, self._rules, self._resolve, self._connect)
        url = httpcore.URL(scheme=place.scheme, host=place.host, port=place.port, target=place.target)
        headers: dict[bytes | str, bytes | str] = {
            "Host": place.shown_host,
            "User-Agent": _AGENT,
            "Accept": accept,
            "Accept-Encoding": ACCEPTED,
            "Connection": "close",
        }
        seconds = min(_STEP_SECONDS, self._limits.seconds)
        waits = {"connect": seconds, "read": seconds, "write": seconds, "pool": seconds}
        context = await self._certificates() if place.scheme == "https" else None
        try:
            async with (
                httpcore.AsyncConnectionPool(ssl_context=context, network_backend=backend, max_connections=1) as pool,
                pool.stream("GET", url, headers=headers, extensions={"timeout": waits}) as response,
            ):
                yield response
        except httpcore.TimeoutException:
            raise TimeoutError from None
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            raise _broken(place, error) from None

    async def _certificates(self) -> ssl.SSLContext:
        """Whom TLS trusts, read from disk once."""
        if self._context is None:
            self._context = await asyncio.to_thread(httpcore.default_ssl_context)
        return self._context


async def _fill(body: Body, response: httpcore.Response) -> None:
    async for piece in response.aiter_stream():
        if not body.feed(piece):
            return
    body.end()


def _headers(response: httpcore.Response) -> dict[str, str]:
    """Header names in small letters; of several of a name the first. Values as UTF-8 where they are, else Latin-1."""
    found: dict[str, str] = {}
    for name, value in response.headers:
        found.setdefault(name.decode("latin-1").lower(), _text(value))
    return found


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _too_slow(place: Place, seconds: float) -> WebError:
    return WebError(
        Code.TIMED_OUT,
        f"{place.shown_host} did not answer in time; at most {seconds:g} seconds are waited.",
        hint="Try again later, or another address.",
    )


def _broken(place: Place, error: Exception) -> WebError:
    """The error for a connection that failed: no connection at all is offline, all else is the server's doing."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLError):
        reason = getattr(cause, "verify_message", "") or cause.reason or "TLS failed"
        return WebError(Code.HTTP_ERROR, f"{place.shown_host} cannot be read securely: {reason}.")
    if isinstance(error, httpcore.ConnectError):
        return WebError(
            Code.OFFLINE,
            f"{place.shown_host} cannot be reached ({str(error)[:200] or type(error).__name__}).",
            hint="Check the network connection, or try another address.",
        )
    return WebError(Code.HTTP_ERROR, f"{place.shown_host} broke off its answer ({str(error)[:200]}).")
