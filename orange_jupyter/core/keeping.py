"""What is kept of a session, as ports: transcript, evidence, citations, reads, pictures."""

from __future__ import annotations

from typing import Protocol

from orange_jupyter.core.corpus import Citation, EvidencePiece, Hit
from orange_jupyter.core.messages import Message


class Evidence(Protocol):
    """Keeps full protected results of one session and gives them back in pieces."""

    async def keep(self, call_id: str, tool: str, text: str) -> str:
        """Keep a result's JSON; returns its `tr_…` ref."""
        ...

    async def piece(self, ref: str, offset: int, limit: int) -> EvidencePiece:
        """Read a stretch. Raises EvidenceError out_of_scope, invalid_ref, not_found, not_available."""
        ...


class Citations(Protocol):
    """Numbers the session's citations: the same passage and content keep the same id."""

    async def number(self, hits: tuple[Hit, ...]) -> tuple[Citation, ...]:
        """Citations for hits, in their order."""
        ...

    async def known(self) -> dict[str, Citation]:
        """Every citation that a tool gave in this session, by id."""
        ...


class Reads(Protocol):
    """Remembers which state of a file this session read last, so that a later piece can say `changed`."""

    async def note(self, key: str, content_hash: str) -> str | None:
        """Keep the state; returns the one before, or None."""
        ...


class Blobs(Protocol):
    """Bytes by their sha256 (hex): pictures that were shown to a model."""

    async def put(self, data: bytes, media_type: str) -> str:
        """Keep bytes; returns their sha256."""
        ...

    async def get(self, sha256: str) -> bytes:
        """The bytes. Raises EvidenceError not_available."""
        ...


class Transcript(Protocol):
    """One session's durable record: what the model is sent, and what the person sees (through its recorder)."""

    async def append_message(self, turn_id: str, message: Message) -> None:
        """Keep a message; durable when it returns. Raises StoreError."""
        ...

    async def by_turn(self) -> tuple[tuple[str, Message], ...]:
        """(turn id, message) in order."""
        ...
