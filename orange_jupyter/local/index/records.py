"""What the index keeps of one file, and how it is written: chunk rows and their words, always together."""

from __future__ import annotations

import json
import os
import sqlite3
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from orange_jupyter.core.document import Chunk, Extract
from orange_jupyter.core.paths import shown_name
from orange_jupyter.local.index.tokens import carried, humps, name_token, normalised, tokens, unbroken
from orange_jupyter.local.scan import Seen

ADD_WORDS = "INSERT INTO words (rowid, title, headings, body, rest) VALUES (?, ?, ?, ?, ?)"
DROP_WORDS = "INSERT INTO words (words, rowid, title, headings, body, rest) VALUES ('delete', ?, ?, ?, ?, ?)"
ADD_CHUNK = (
    "INSERT INTO chunk (id, file, start, stop, page, block, headings, crc, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ADD_FILE = """
INSERT INTO file (path, kind, size, mtime_ns, inode, ctime_ns, checked_ns, hash, title, tags, pages, blocks, code)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


@dataclass(frozen=True, slots=True)
class Record:
    """One file as it was read: its state then, when that was (ns since the epoch), and what is in it.

    `extract` None with a `code` is a file that cannot be indexed; None without a code: the content is as before.
    """

    state: Seen
    checked_ns: int
    hash: str = ""
    extract: Extract | None = None
    code: str | None = None


def put(connection: sqlite3.Connection, record: Record) -> None:
    """Write one file inside a transaction, in place of what was there."""
    path, size, mtime_ns, inode, kind, ctime_ns = record.state
    if record.extract is None and record.code is None:
        connection.execute(
            "UPDATE file SET size = ?, mtime_ns = ?, inode = ?, ctime_ns = ?, checked_ns = ? WHERE path = ?",
            (size, mtime_ns, str(inode), ctime_ns, record.checked_ns, os.fsencode(path)),
        )
        return
    drop(connection, path)
    extract = record.extract or Extract(title="", tags=(), chunks=())
    row = (os.fsencode(path), kind, size, mtime_ns, str(inode), ctime_ns, record.checked_ns, record.hash)
    about = (json.dumps(extract.title), json.dumps(extract.tags), extract.page_count, extract.block_count, record.code)
    file = connection.execute(ADD_FILE, row + about).lastrowid
    assert file is not None
    tags = {(normalised(tag), file) for tag in extract.tags}
    connection.executemany("INSERT OR IGNORE INTO tag VALUES (?, ?)", sorted(tags))
    first = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM chunk").fetchone()[0]
    numbered = list(enumerate(extract.chunks, first))
    connection.executemany(ADD_CHUNK, [(number, file, *_chunk_row(chunk)) for number, chunk in numbered])
    words = FileWords.of(path, extract.title, extract.tags)
    passages = [(number, chunk.text, chunk.heading_path) for number, chunk in numbered]
    connection.executemany(ADD_WORDS, words.rows(passages))


def drop(connection: sqlite3.Connection, path: str) -> None:
    """Take a file out: its words are deleted by replaying exactly what was inserted (the table keeps no text)."""
    found = connection.execute("SELECT id, title, tags FROM file WHERE path = ?", (os.fsencode(path),)).fetchone()
    if found is None:
        return
    file, title, tags = found
    words = FileWords.of(path, json.loads(title), tuple(json.loads(tags)))
    rows = connection.execute("SELECT id, headings, text FROM chunk WHERE file = ? ORDER BY id", (file,)).fetchall()
    passages = [(number, decoded(text), tuple(json.loads(above))) for number, above, text in rows]
    connection.executemany(DROP_WORDS, words.rows(passages))
    for statement in (
        "DELETE FROM chunk WHERE file = ?",
        "DELETE FROM tag WHERE file = ?",
        "DELETE FROM file WHERE id = ?",
    ):
        connection.execute(statement, (file,))


def encoded(text: str) -> bytes:
    """Text as it is stored: UTF-8 that also keeps lone surrogates, so that a passage comes back equal."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    """The reverse of `encoded`."""
    return data.decode("utf-8", "surrogatepass")


def _chunk_row(chunk: Chunk) -> tuple[object, ...]:
    data = encoded(chunk.text)
    above = json.dumps(chunk.heading_path)
    return (chunk.start, chunk.end, chunk.page, chunk.block, above, zlib.crc32(data), data)


@dataclass(frozen=True, slots=True)
class FileWords:
    """The words that every chunk of a file shares: title and file name, tags and folder names."""

    title: str
    rest: str
    headings: dict[tuple[str, ...], str]

    @classmethod
    def of(cls, path: str, title: str, tags: tuple[str, ...]) -> FileWords:
        place = PurePosixPath(path)
        stem, folders = shown_name(place.stem), " ".join(shown_name(part) for part in place.parts[:-1])
        named = normalised(title if title == stem else f"{title} {stem}")
        rest = tokens(normalised(f"{folders} {' '.join(tags)}")) + " " + name_token(shown_name(place.name))
        return cls(tokens(f"{named} {humps(named)}"), rest, {})

    def rows(self, passages: Sequence[tuple[int, str, tuple[str, ...]]]) -> list[tuple[int, str, str, str, str]]:
        """The words of all chunks of a file (id, text, heading path), in their order; deletes replay them."""
        following = [*[text for _, text, _ in passages[1:]], ""]
        return [
            (number, *self.columns(text, above, after))
            for (number, text, above), after in zip(passages, following, strict=False)
        ]

    def columns(self, text: str, heading_path: tuple[str, ...], after: str = "") -> tuple[str, str, str, str]:
        """A chunk's words by column, with the word that it shares with the chunk `after` it.

        The same for the same stored texts.
        """
        plain, parted = unbroken(normalised(text))
        above = self.headings.get(heading_path)
        if above is None:
            above = self.headings[heading_path] = tokens(normalised(" ".join(heading_path)))
        return self.title, above, tokens(plain), f"{self.rest} {humps(plain)} {tokens(parted)} {carried(text, after)}"
