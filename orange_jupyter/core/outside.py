"""Values of a search outside the knowledge bases: text files looked through without an index (R-SCOPE-2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from orange_jupyter.core.paths import FileInfo


@dataclass(frozen=True, slots=True)
class OutsideMatch:
    """A passage of an outside text file, found without an index; `line` from 1, the range in code points.

    `score` is how often the words stand in the file.
    """

    info: FileInfo
    line: int
    passage: str
    start: int
    end: int
    content_hash: str
    score: int

    @property
    def path(self) -> str:
        """The file's absolute path as it is shown."""
        return self.info.place.shown


@dataclass(frozen=True, slots=True)
class OutsideFilter:
    """Which files an outside search looks at: as in SearchQuery, `path_prefix` beneath the folder; empty is all."""

    path_prefix: str = ""
    file_types: tuple[str, ...] = ()
    updated_after: int | None = None
    updated_before: int | None = None

    def admits(self, relative: str, file_type: str, mtime_ns: int) -> bool:
        """Whether a file is looked at."""
        return (
            relative.startswith(self.path_prefix)
            and (not self.file_types or file_type in self.file_types)
            and (self.updated_after is None or mtime_ns >= self.updated_after)
            and (self.updated_before is None or mtime_ns < self.updated_before)
        )


ANY_FILE: Final = OutsideFilter()


@dataclass(frozen=True, slots=True)
class OutsideFound:
    """What an unindexed scan found; `partial` when it ended at its limits of files or time."""

    matches: tuple[OutsideMatch, ...]
    files: int
    partial: bool
