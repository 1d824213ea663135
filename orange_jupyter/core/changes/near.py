"""Where a text that does not stand in a file almost stands: hints with visible escapes, never used for an edit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A place that looks alike: its `line` from 1, the file's own text there, shortened, with what cannot be seen as
    escapes, and `why` it did not match."""

    line: int
    shown: str
    why: str


def near_misses(text: str, old: str, *, most: int = 3) -> tuple[NearMiss, ...]:
    """At most `most` places, best first; the work is bounded for a file of 5 MB."""
    raise NotImplementedError
