"""Search at an endpoint of the person's own settings that answers in JSON, as SearXNG does."""

from __future__ import annotations

import json
from typing import Final
from urllib.parse import quote

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import WebError
from orange_jupyter.core.fetching import WebHit
from orange_jupyter.local.web.fetching import Answer, Fetcher, Limits
from orange_jupyter.local.web.hits import Names, hits_of, list_at
from orange_jupyter.local.web.places import read_place

LIMITS: Final = Limits(bytes=2_097_152)
QUERY: Final = "{query}"


class Endpoint:
    """A search by one GET; what it asks for is `url` with the query, percent-encoded, in place of `{query}`."""

    def __init__(self, url: str, fetcher: Fetcher, names: Names | None = None) -> None:
        """`fetcher` must allow the endpoint's host. Raises WebError for an address that is none."""
        self._url = url
        self._fetcher = fetcher
        self._names = names or Names()
        self.host = read_place(url.replace(QUERY, "q")).shown_host

    async def search(self, query: str, limit: int) -> tuple[WebHit, ...]:
        """At most `limit` results. Raises WebError http_error, offline, timed_out, blocked_address (a redirect)."""
        answer = await self._fetcher.get(self._url.replace(QUERY, quote(query, safe="")), accept="application/json")
        if answer.status != 200:
            raise self._wrong(f"it answered with status {answer.status}")
        entries = list_at(self._document(answer), self._names.results)
        if entries is None:
            raise self._wrong(f"its answer has no list at {self._names.results!r}")
        return hits_of(entries, self._names, limit)

    async def close(self) -> None:
        """Nothing is held between searches."""

    def _document(self, answer: Answer) -> object:
        try:
            if answer.cut:
                raise self._wrong(f"its answer was cut: {answer.cut}")
            return json.loads(answer.data)
        except (ValueError, RecursionError):
            raise self._wrong("its answer is not JSON") from None

    def _wrong(self, reason: str) -> WebError:
        return WebError(
            Code.HTTP_ERROR,
            f"The search at {self.host} failed: {reason}.",
            hint="Check `url` and the field names under [web.search] in config.toml.",
        )
