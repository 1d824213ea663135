"""Chooses, sorts and pages what `list` shows out of scans (R-LIST-1). No disk here."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import ListQuery
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.scan import Scan, Seen

FOLDER = "folder"
_path = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Section:
    """A scanned KB (or an outside folder) and what of it is listed.

    `prefix` is what stands before a relative path when it is shown, `within` the folder asked for ("" for all),
    `ids` the file ids, `counts` whether the scan went deep enough to count files in folders.
    """

    base: KnowledgeBase
    prefix: str
    scan: Scan
    ids: Mapping[str, str]
    within: str = ""
    counts: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """One entry before it is looked up in detail; `seen` is None for a folder."""

    shown: str
    section: Section
    relative: str
    seen: Seen | None

    @property
    def kind(self) -> str:
        """The `fileType`."""
        return self.seen.kind if self.seen else FOLDER


def choose(sections: Sequence[Section], query: ListQuery) -> list[Row]:
    """The entries that fit, sorted by their shown path, folders too."""
    rows = [row for section in sections for row in _rows(section, query.depth) if _fits(row, query)]
    rows.sort(key=lambda row: row.shown)
    return rows


def page(rows: Sequence[Row], query: ListQuery) -> tuple[Sequence[Row], str | None]:
    """The page that the query's cursor and limit ask for, and the cursor of the next one.

    A cursor is bound to the query and to the names that are listed. Raises ReadError stale_cursor.
    """
    state = _state(rows, query) if query.cursor or len(rows) > query.limit else ""
    start = _offset(query.cursor, state) if query.cursor else 0
    end = start + query.limit
    following = json.dumps([state, end]).encode()
    return rows[start:end], base64.urlsafe_b64encode(following).decode() if end < len(rows) else None


def count_files(scan: Scan, folder: str) -> int:
    """How many files lie beneath a folder, at any depth."""
    above = folder + "/"
    below = folder + "0"  # the character after "/"
    return bisect_left(scan.files, below, key=_path) - bisect_left(scan.files, above, key=_path)


def _rows(section: Section, depth: int | None) -> Iterator[Row]:
    within = section.within + "/" if section.within else ""
    deepest = within.count("/") + depth if depth else None
    for relative in section.scan.folders:
        if relative.startswith(within) and (deepest is None or relative.count("/") < deepest):
            yield Row(section.prefix + relative, section, relative, None)
    for seen in section.scan.files:
        relative = seen.relative
        if relative.startswith(within) and (deepest is None or relative.count("/") < deepest):
            yield Row(section.prefix + relative, section, relative, seen)


def _fits(row: Row, query: ListQuery) -> bool:
    if query.file_type is not None and row.kind != query.file_type:
        return False
    if query.prefix and not _starts(row, query.prefix):
        return False
    return not query.query or _folded(query.query) in _folded(row.shown)


def _starts(row: Row, prefix: str) -> bool:
    wanted = unicodedata.normalize("NFC", prefix)
    return any(unicodedata.normalize("NFC", form).startswith(wanted) for form in (row.relative, row.shown))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _state(rows: Sequence[Row], query: ListQuery) -> str:
    place = query.place
    asked = [place and place.shown, query.query, query.prefix, query.file_type, query.depth]
    digest = hashlib.sha256(json.dumps(asked).encode())
    for row in rows:
        digest.update(os.fsencode(row.shown) + (b"/\0" if row.seen is None else b"\0"))
    return digest.hexdigest()[:20]


def _offset(cursor: str, state: str) -> int:
    try:
        made_for, offset = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if made_for == state and isinstance(offset, int) and offset > 0:
            return offset
    except (ValueError, TypeError):
        pass
    raise ReadError(
        Code.STALE_CURSOR,
        "This cursor belongs to another list, or files were added, renamed or removed since.",
        hint="Call `list` again without `cursor`.",
    )
