"""What the core needs from outside: narrow Protocols and the values they carry.

Fakes that pass the same contract tests live beside the real parts, not in the tests' own mocks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.corpus import Hits, Listing, ListQuery, SearchQuery
from orange_jupyter.core.deltas import Delta
from orange_jupyter.core.document import DocumentText, Extract, PageText, Picture, PictureLimits
from orange_jupyter.core.events import Event
from orange_jupyter.core.messages import Reply, Request
from orange_jupyter.core.outside import ANY_FILE, OutsideFilter, OutsideFound
from orange_jupyter.core.paths import FileBytes, FileInfo, KnowledgeBase, Place
from orange_jupyter.core.reports import IndexReport
from orange_jupyter.core.watching import Watched

ReportProgress = Callable[[str, int, int | None], None]
"""(what is going on, done, total or None); may be called from any thread, cheap, never raises."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A person's answer to an ApprovalRequest; counts only if `digest` is the request's."""

    outcome: Outcome
    digest: str
    reason: str = ""


class Approver(Protocol):
    """Asks the person. Headless: answers NEEDS_PERSON at once (R-APPR-4)."""

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Wait for the answer; cancellation of the waiting task withdraws the question."""
        ...

    async def confirm(self, request: TierRequest) -> Outcome:
        """Ask to enter a full tier; APPROVED only by a click or an answered prompt of a person, now."""
        ...


class Listener(Protocol):
    """Hears a turn. The recorder is always the first listener, so what a view shows is already durable."""

    async def hear(self, event: Event) -> None:
        """Take one event. A view must not block or raise."""
        ...

    def delta(self, delta: Delta) -> None:
        """Take one piece of a stream; cheap, synchronous, called up to hundreds of times a second."""
        ...


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model. `host` is where text is sent, "" for none; sizes are in tokens."""

    name: str
    model: str = ""
    host: str = ""
    context_window: int = 32_768
    max_output: int | None = None
    vision: bool = False
    vision_reason: str = ""
    pictures: PictureLimits = field(default_factory=PictureLimits)
    embedded: bool = False


class Model(Protocol):
    """A model that answers one request. Stateless between requests."""

    @property
    def info(self) -> ModelInfo:
        """Name, host and limits."""
        ...

    async def respond(self, request: Request, emit: Callable[[Delta], None]) -> Reply:
        """Stream one reply: pieces to `emit`, the assembled whole as the result. Raises ModelError."""
        ...

    async def close(self) -> None:
        """Free connections."""
        ...


class Workspace(Watched, Protocol):
    """The selected KBs on this machine's disk. Every path goes through `place`; contents through `read`."""

    @property
    def knowledge_bases(self) -> tuple[KnowledgeBase, ...]:
        """The selected KBs, in order; the first one resolves relative paths (R-ALL-3)."""
        ...

    async def place(self, path: str) -> Place:
        """Resolve a path that a model or person wrote. Raises PathError; an outside place is returned, not refused."""
        ...

    async def by_id(self, file_id: str) -> Place:
        """Find a scanned file again, also after a rename. Raises PathError not_found."""
        ...

    async def spot(self, place: Place, *, follow: bool = True) -> Spot:
        """The real place that a change acts on, which need not exist yet: links inside the KB resolved, of the last
        part only with `follow`. Raises PathError link_escape, outside_workspace."""
        ...

    async def stat(self, place: Place) -> FileInfo:
        """What lies at a place, opened through the KB's directory. Raises PathError."""
        ...

    async def read(self, place: Place, *, limit: int) -> FileBytes:
        """The bytes of a regular file, at most `limit` (ReadError too_large beyond). Never follows a link outside."""
        ...

    async def entries(self, query: ListQuery) -> Listing:
        """A page of what `list` shows. Raises PathError, ReadError stale_cursor."""
        ...

    async def scan_outside(
        self, place: Place, text: str, *, limit: int, only: OutsideFilter = ANY_FILE
    ) -> OutsideFound:
        """Search the text files of an outside place without an index: at most 2,000 files and 10 s."""
        ...


class Library(Protocol):
    """The index over the selected KBs' text. It follows the disk: `search` rescans first (R-SRCH-6)."""

    async def refresh(self, progress: ReportProgress | None = None, *, rebuild: bool = False) -> IndexReport:
        """Bring the index up to date with the disk; can be cancelled at any point without harm."""
        ...

    async def search(self, query: SearchQuery, progress: ReportProgress | None = None) -> Hits:
        """Rescan, then find the best passages, best first."""
        ...

    async def close(self) -> None:
        """Close the index files."""
        ...


class Documents(Protocol):
    """Parsers of untrusted files, each call in a killable worker process."""

    async def text(self, data: bytes, file_type: str) -> DocumentText:
        """The text of a `docx` or `pdf`. Raises ReadError (damaged, encrypted, parser_limit, parser_crashed …)."""
        ...

    async def picture(self, data: bytes, limits: PictureLimits) -> Picture:
        """An image file within limits. Raises ReadError."""
        ...

    async def page_picture(
        self, data: bytes, page: int, limits: PictureLimits, *, span: tuple[int, int] | None = None
    ) -> Picture:
        """A PDF page as a picture; `page` counts from 1. With `span` that stretch of its text is marked in it.

        Raises ReadError out_of_range …
        """
        ...

    async def page_text(self, data: bytes, page: int, *, span: tuple[int, int] | None = None) -> PageText:
        """A PDF page's text and size, and where `span` (code points in that text) stands. Raises ReadError."""
        ...

    async def block_picture(self, data: bytes, block: int, limits: PictureLimits) -> Picture:
        """The picture of an image block of a DOCX. Raises ReadError out_of_range, unsupported_type (no picture) …"""
        ...

    async def extract(self, data: bytes, file_type: str, *, name: str, encoding: str | None = None) -> Extract:
        """Title, tags and chunks of a searchable file (`markdown`, `txt`, `docx`, `pdf`). Raises ReadError."""
        ...

    async def close(self) -> None:
        """End the workers."""
        ...


class Clock(Protocol):
    """Time, so that tests can hold it."""

    def now(self) -> str:
        """ISO 8601 in UTC, whole seconds."""
        ...

    def monotonic(self) -> float:
        """Seconds for durations."""
        ...
