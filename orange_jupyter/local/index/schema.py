"""The tables of one knowledge base's index."""

# ruff: noqa: S608 (constants of this package)

from __future__ import annotations

import sqlite3

from orange_jupyter.core.masking import MASKING
from orange_jupyter.local.index.tokens import FTS_TOKENIZER, TOKENIZER

VERSION = f"4/{TOKENIZER}/{MASKING}"

WEIGHTS = "bm25(2.0, 2.0, 1.0, 0.5)"
"""Title, headings, body, rest: 2, 2, 1 were measured best on 53,148 chunks; the rest (identifier parts, tags, folder
names) counts half, since it repeats what the body says."""

HASH_BYTES = 16_777_216
"""Words are gathered in memory up to this before a segment is written; the default of 1 MB made a bulk load a fifth
slower."""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (
    id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, kind TEXT NOT NULL,
    size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, inode TEXT NOT NULL, ctime_ns INTEGER NOT NULL,
    checked_ns INTEGER NOT NULL, hash TEXT NOT NULL, title TEXT NOT NULL, tags TEXT NOT NULL,
    pages INTEGER, blocks INTEGER, code TEXT);
CREATE TABLE tag (tag TEXT NOT NULL, file INTEGER NOT NULL, PRIMARY KEY (tag, file)) WITHOUT ROWID;
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
    page INTEGER, block INTEGER, headings TEXT NOT NULL, crc INTEGER NOT NULL, text BLOB NOT NULL);
CREATE INDEX chunk_file ON chunk (file);
CREATE VIRTUAL TABLE words USING fts5 (title, headings, body, rest, content='', tokenize='{FTS_TOKENIZER}');
CREATE VIRTUAL TABLE frequency USING fts5vocab (words, row);
INSERT INTO words (words, rank) VALUES ('rank', '{WEIGHTS}');
INSERT INTO words (words, rank) VALUES ('hashsize', {HASH_BYTES});
INSERT INTO meta VALUES ('generation', '0');
"""


def create(connection: sqlite3.Connection, version: str) -> None:
    """Make the tables where they are missing; several kernels may try at once. Raises sqlite3.Error."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if read_version(connection) is None:
            for statement in TABLES.split(";\n"):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES ('version', ?)", (version,))
        connection.execute("COMMIT")
    except sqlite3.Error:
        connection.rollback()
        raise


def read_version(connection: sqlite3.Connection) -> str | None:
    """What made this index; None for an empty file."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
        return None
    row = connection.execute("SELECT value FROM meta WHERE key = 'version'").fetchone()
    return str(row[0]) if row else ""
