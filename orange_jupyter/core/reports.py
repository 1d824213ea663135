"""What a refresh of the index did, as values."""

from __future__ import annotations

from dataclasses import dataclass

from orange_jupyter.core.paths import KnowledgeBase


@dataclass(frozen=True, slots=True)
class BaseReport:
    """One KB after a scan (12-schemas.md, `index`). `failed` are (path, code); `scanned_at` is ISO 8601 UTC."""

    knowledge_base: KnowledgeBase
    files: int
    chunks: int
    bytes: int
    failed: tuple[tuple[str, str], ...] = ()
    scanned_at: str = ""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a refresh did."""

    bases: tuple[BaseReport, ...]
    changed: int = 0
    added: int = 0
    removed: int = 0
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
