"""The port `Web` on this machine: pages through checked connections and a parser in a worker, searches by a backend."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any, Final, Protocol, TypeVar

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import DocumentText
from orange_jupyter.core.errors import ReadError, WebError
from orange_jupyter.core.fetching import MOST_SECONDS, WebHit, WebPage
from orange_jupyter.local.web.fetching import Answer, Fetcher
from orange_jupyter.local.web.kinds import Kind, kind_of, said_charset
from orange_jupyter.local.web.places import short

_ACCEPT: Final = (
    "text/html,application/xhtml+xml,text/markdown,text/plain,application/json,application/pdf;q=0.9,*/*;q=0.1"
)
_Given = TypeVar("_Given")


class ReadPage(Protocol):
    """What turns bytes from the web into text, in a worker: `LocalDocuments.web_page`."""

    async def __call__(self, data: bytes, *, charset: str, url: str, markup: bool) -> DocumentText:
        """One page of text. Raises ReadError."""
        ...


class Search(Protocol):
    """A search backend; `host` receives the query."""

    @property
    def host(self) -> str:
        """The host in ASCII, with its port where that is unusual."""
        ...

    async def search(self, query: str, limit: int) -> tuple[WebHit, ...]:
        """At most `limit` results. Raises WebError."""
        ...

    async def close(self) -> None:
        """End what runs."""
        ...


class LocalWeb:
    """Implements `core.fetching.Web`. Used from one event loop; `close` stops what runs. Nothing ever listens (N11)."""

    def __init__(
        self, fetcher: Fetcher, read_page: ReadPage, *, search: Search | None, seconds: float = MOST_SECONDS
    ) -> None:
        """`seconds` bound a whole fetch: the fetcher's own are fewer, the rest is for reading the page.

        `search` is None where it is off.
        """
        self._fetcher = fetcher
        self._read_page = read_page
        self._search = search
        self._seconds = seconds
        self._running: set[asyncio.Task[Any]] = set()
        self._closed = False

    @property
    def search_host(self) -> str:
        """The host that a search is sent to; "" where there is none."""
        return self._search.host if self._search is not None else ""

    async def search(self, query: str, limit: int) -> tuple[WebHit, ...]:
        """At most `limit` results, best first. Raises WebError no_backend, http_error, offline, timed_out."""
        if self._search is None:
            raise WebError(
                Code.NO_BACKEND,
                "Web search is off.",
                hint="A person can turn it on: `backend` under [web.search] in config.toml.",
            )
        return await self._run(self._search.search(query, limit))

    async def fetch(self, url: str) -> WebPage:
        """Read one address. Raises WebError bad_scheme, blocked_address, too_many_redirects, http_error, offline,
        timed_out, too_large, unsupported_type, invalid_argument.
        """
        return await self._run(self._fetch(url))

    async def close(self) -> None:
        """Stop what runs, and wait until it is gone; whoever waits for it gets WebError cancelled."""
        self._closed = True
        running = list(self._running)
        for task in running:
            task.cancel()
        if self._search is not None:
            await self._search.close()
        await asyncio.gather(*running, return_exceptions=True)

    async def _run(self, work: Coroutine[Any, Any, _Given]) -> _Given:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        try:
            return await task
        except asyncio.CancelledError:
            waiting = asyncio.current_task()
            if self._closed and waiting is not None and not waiting.cancelling():
                raise WebError(Code.CANCELLED, "The web was closed while this was running.") from None
            raise

    async def _fetch(self, url: str) -> WebPage:
        end = asyncio.get_running_loop().time() + self._seconds
        answer = await self._fetcher.get(url, accept=_ACCEPT)
        if answer.status >= 400:
            raise _status(answer)
        kind = kind_of(answer.headers.get("content-type", ""), answer.data)
        warnings = _warnings(answer)
        if kind is Kind.PDF:
            return self._pdf(url, answer, warnings)
        if kind is Kind.OTHER:
            raise _unsupported(answer)
        read = await self._text(answer, end, markup=kind is Kind.HTML)
        return WebPage(
            url=url,
            final_url=answer.place.url,
            status=answer.status,
            content_type=_type(answer),
            title=read.title,
            text="\n".join(read.pages),
            truncated=bool(answer.cut),
            warnings=(*warnings, *read.warnings),
        )

    def _pdf(self, url: str, answer: Answer, warnings: tuple[str, ...]) -> WebPage:
        if answer.cut:
            raise WebError(
                Code.TOO_LARGE, f"The PDF at {short(answer.place.url)} cannot be read in part, and {answer.cut}."
            )
        return WebPage(
            url, answer.place.url, answer.status, "application/pdf", "", "", warnings=warnings, data=answer.data
        )

    async def _text(self, answer: Answer, end: float, *, markup: bool) -> DocumentText:
        charset = said_charset(answer.headers.get("content-type", ""))
        try:
            async with asyncio.timeout_at(end):
                return await self._read_page(answer.data, charset=charset, url=answer.place.url, markup=markup)
        except TimeoutError:
            raise WebError(Code.TIMED_OUT, f"The page at {answer.place.shown_host} takes too long to read.") from None
        except ReadError as error:
            raise WebError(error.code, error.message, hint=error.hint, details=error.details) from None


def _warnings(answer: Answer) -> tuple[str, ...]:
    found = [f"redirected: {short(one)} → {short(two)}" for one, two in _pairs(answer)]
    if any(one.startswith("https:") and two.startswith("http:") for one, two in _pairs(answer)):
        found.append("not_encrypted: a redirect led from https to http; others may have changed the page on its way.")
    if answer.cut:
        found.append(f"truncated: {answer.cut}.")
    return tuple(found)


def _pairs(answer: Answer) -> list[tuple[str, str]]:
    way = [*answer.hops, answer.place.url]
    return list(pairwise(way))


def _type(answer: Answer) -> str:
    return answer.headers.get("content-type", "").partition(";")[0].strip().lower()[:100]


def _status(answer: Answer) -> WebError:
    return WebError(
        Code.HTTP_ERROR,
        f"{answer.place.shown_host} answered with status {answer.status} for {short(answer.place.url)}",
        hint="Check the address, or look for another source.",
        details={"status": answer.status, "url": answer.place.url},
    )


def _unsupported(answer: Answer) -> WebError:
    name = short(_type(answer)) or "without a type"
    return WebError(
        Code.UNSUPPORTED_TYPE,
        f"What is at {short(answer.place.url)} is {name}; HTML, text, JSON and PDF are read.",
        details={"type": name},
    )
