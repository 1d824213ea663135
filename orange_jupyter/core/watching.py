"""What files of the knowledge bases became while something else ran, as values and a port (R-EXEC-7)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from orange_jupyter.core.changes.values import Spot

Marks = Mapping[tuple[str, str], tuple[int, ...]]
"""(real root of a KB, path beneath it) of each scanned file, with what tells that it is still the same."""


class Became(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A scanned file that is not what it was; `shown` is its path as it can be given back."""

    spot: Spot
    shown: str
    became: Became


class Watched(Protocol):
    """Files that can be compared with what they were."""

    async def marks(self) -> Marks:
        """The scanned files as they are now; a KB that cannot be read has none."""
        ...

    async def changed_since(self, marks: Marks) -> tuple[FileChange, ...]:
        """Rescan: the files that are not what they were, by path. Lists and ids are right from then on."""
        ...
