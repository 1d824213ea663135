"""What comes from the web, as values, and the port that fetches it (spec 05, R-WEB-1…3)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

MOST_BYTES = 10 * 1_048_576
MOST_SECONDS = 20.0
MOST_REDIRECTS = 5


@dataclass(frozen=True, slots=True)
class WebHit:
    """One result of a web search; `date` as the backend gives it."""

    title: str
    url: str
    snippet: str
    date: str | None = None


@dataclass(frozen=True, slots=True)
class WebPage:
    """One page as it was read: `text` is Markdown of an HTML page, else the text itself, untrusted.

    `url` is what was asked for, `final_url` where the redirects led; `data` are the raw bytes of a PDF (then `text` is
    empty and the caller reads them), else empty. `truncated` when a limit cut it.
    """

    url: str
    final_url: str
    status: int
    content_type: str
    title: str
    text: str
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    data: bytes = field(default=b"", repr=False)


class Web(Protocol):
    """The web, behind the address rules of R-WEB-3."""

    @property
    def search_host(self) -> str:
        """The host that a search is sent to, for the card and the receipt; ASCII."""
        ...

    async def search(self, query: str, limit: int) -> tuple[WebHit, ...]:
        """At most `limit` results, best first. Raises WebError no_backend, http_error, offline, timed_out."""
        ...

    async def fetch(self, url: str) -> WebPage:
        """Read one address.

        Raises WebError bad_scheme, blocked_address, too_many_redirects, http_error, offline, timed_out, too_large.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...
