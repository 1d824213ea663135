"""Reads the `[[knowledge_bases]]` tables of a config file, with errors that name file, line (from 1) and key.

A missing file is an empty one; a pipe in its place is refused, not waited for.
"""

from __future__ import annotations

import codecs
import os
import re
import tomllib
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ConfigError, ToolError
from orange_jupyter.core.visible import is_invisible
from orange_jupyter.local.files import read_beneath

CONFIG = "config.toml"
KEY = "knowledge_bases"
FIELDS = ("id", "name", "path", "encoding")
MOST_BYTES = 1_048_576
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One table as it was written."""

    path: str
    id: str | None = None
    name: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """What a config file says of KBs; `others` are all other keys it holds, dotted, in order.

    `folder` is what relative paths in it are relative to: the project, or ORANGE_HOME.
    """

    folder: str
    entries: tuple[Entry, ...] = ()
    others: tuple[str, ...] = ()
    text: str = ""


def read_project(file: str) -> Config:
    """A project's `.orange/config.toml`; a link that leaves the project is not followed. Raises ConfigError."""
    project = os.path.dirname(os.path.dirname(file))
    return _parsed(file, project, _text(file, project, os.path.relpath(file, project)))


def read_user(file: str) -> Config:
    """The person's config file, which may be a link into their dotfiles. Raises ConfigError."""
    folder, name = os.path.split(os.path.realpath(file))
    return _parsed(file, os.path.dirname(file), _text(file, folder, name))


def _parsed(file: str, folder: str, text: str) -> Config:
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else text.count("\n") + 1
        raise ConfigError(f"this is not valid TOML: {error}", file=file, line=line) from error
    tables = whole.get(KEY, [])
    if not (isinstance(tables, list) and all(isinstance(table, dict) for table in tables)):
        raise ConfigError("write each as a [[knowledge_bases]] table", file=file, line=_line(text, 0), key=KEY)
    others = [key for key in whole if key != KEY]
    entries = []
    for number, table in enumerate(tables):
        entries.append(_entry(table, file, _line(text, number), f"{KEY}[{number}]"))
        others += [f"{KEY}[{number}].{field}" for field in table if field not in FIELDS]
    return Config(folder, tuple(entries), tuple(others), text)


def name_fault(name: str) -> str | None:
    """Why a text cannot be a KB's name, None if it can."""
    if not name.strip() or name in (".", "..") or len(name) > 100:
        return "a name has 1 to 100 characters and is not a dot"
    if "/" in name or any(is_invisible(character) or character in "\n\t" for character in name):
        return "a name holds no slash and no invisible characters"
    return None


def encoding_fault(encoding: str) -> str | None:
    """Why a text is no encoding of notes, None if it is one."""
    try:
        codecs.lookup(encoding).name.encode("ascii")
        "".encode(encoding)
    except (LookupError, ValueError):
        return f"{encoding} is not a known text encoding, such as gb18030"
    return None


def _text(file: str, root: str, relative: str) -> str:
    try:
        data, _, _ = read_beneath(root, relative, limit=MOST_BYTES)
        return data.decode()
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ConfigError("this is not UTF-8 text", file=file, line=line) from error
    except ToolError as error:
        if error.code in (Code.NOT_FOUND, Code.KB_UNAVAILABLE) and not os.path.lexists(file):
            return ""
        raise ConfigError(f"it cannot be read: {error.message}", file=file) from error


def _entry(table: dict[str, Any], file: str, line: int | None, where: str) -> Entry:
    for field in FIELDS:
        fault = _fault(field, table[field]) if field in table else None
        if fault:
            raise ConfigError(fault, file=file, line=line, key=f"{where}.{field}")
    if "path" not in table:
        raise ConfigError("the folder's path is missing", file=file, line=line, key=f"{where}.path")
    return Entry(**{field: table[field] for field in FIELDS if field in table})


def _fault(field: str, value: object) -> str | None:
    if not isinstance(value, str):
        return "it must be text in quotes"
    match field:
        case "id":
            return None if ID.fullmatch(value) else "an id has 1 to 64 letters, digits, - or _"
        case "name":
            return name_fault(value)
        case "encoding":
            return encoding_fault(value)
    return None if value and "\0" not in value else "the folder's path is empty"


def _line(text: str, number: int) -> int | None:
    """The line where the table with this number begins."""
    starts = [n for n, line in enumerate(text.splitlines(), 1) if re.match(rf"\s*(\[\[\s*)?{KEY}\b", line)]
    return starts[number] if number < len(starts) else (starts[-1] if starts else None)
