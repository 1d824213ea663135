"""Times as the tools give and take them: ISO 8601 in UTC out; a bare date means local midnight (12-schemas.md)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError

_FARTHEST = 2**62  # beyond the year 2100, within what SQLite stores
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?", re.ASCII)
_YEAR_ONE = -62_135_596_800  # seconds from the epoch to the first moment that `datetime` knows


def iso(ns: int) -> str:
    """Nanoseconds since the epoch as `2026-11-30T17:05:00Z`."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def nanoseconds(text: str, field: str) -> int:
    """A date or time as nanoseconds since the epoch; without an offset it is local. Raises ArgumentError.

    `YYYY-MM-DD` or that with a time: shorter and week forms of ISO 8601 are more often slips than meant.
    """
    try:
        if not (_DATE.fullmatch(text) or _TIME.fullmatch(text)):
            raise ValueError(text)
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentError(
            Code.INVALID_ARGUMENT,
            f"`{field}` is not a date or time: {text!r}.",
            hint="Write 2026-11-30 or 2026-11-30T17:05:00Z.",
            details={"field": field, "value": text},
        ) from None
    whole = _seconds(moment) * 1_000_000_000 + moment.microsecond * 1_000
    return max(-_FARTHEST, min(_FARTHEST, whole))


def _seconds(moment: datetime) -> int:
    try:
        return int(moment.replace(microsecond=0).timestamp())
    except (ValueError, OverflowError, OSError):  # a local time at the end of what `datetime` can hold
        return _YEAR_ONE if moment.year == 1 else -_YEAR_ONE * 5


def is_bare_date(text: str) -> bool:
    """Whether a text is a date without a time."""
    return _DATE.fullmatch(text) is not None
