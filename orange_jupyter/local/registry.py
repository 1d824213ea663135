"""Adds, renames and removes registered knowledge bases; every other byte of the file stays as it is (R-NB-5).

Imports tomlkit: import this module when a person changes something. Synchronous.
"""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any

import tomlkit
from filelock import FileLock

from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.bases import (
    PROJECT_FOLDER,
    checked_folder,
    entry_root,
    folder_name,
    free_name,
    is_inside,
    load_bases,
)
from orange_jupyter.local.registered import CONFIG, KEY, Config, encoding_fault, name_fault, read_project, read_user

LOCK_SECONDS = 10.0


def add_base(
    home: str, folder: str, path: str, *, name: str | None = None, encoding: str | None = None
) -> KnowledgeBase:
    """Register a folder: in the project's file where it lies inside the project or notebook folder, else the person's.

    `path` may be relative to the notebook's `folder`. A folder that is registered already is given back as it is.
    Raises PathError for a folder that cannot be one, UsageError, ConfigError.
    """
    real = checked_folder(os.path.join(folder, path))
    faults = (name_fault(name) if name is not None else None, encoding_fault(encoding) if encoding else None)
    for fault in filter(None, faults):
        raise UsageError(f"This knowledge base cannot be added: {fault}.")
    known = load_bases(home, folder)
    for base in known.bases:
        if base.root == real:
            return base
    file, source = _file_for(real, home, folder, known.project_file)
    free = free_name(name or folder_name(real), [base.name for base in known.bases])
    base = KnowledgeBase(_new_id(), free, real, source, encoding)
    written = real if source == "user" else os.path.relpath(real, os.path.dirname(os.path.dirname(file)))
    _edit(home, file, lambda document: _append(document, base, written))
    return base


def rename_base(home: str, folder: str, which: str, name: str) -> KnowledgeBase:
    """Give a KB, named by its id or name, another name. Raises UsageError where it is unknown or the name is taken."""
    known = load_bases(home, folder)
    base = _named(which, known.bases)
    fault = name_fault(name)
    if fault:
        raise UsageError(f"{base.name} keeps its name: {fault}.")
    others = [other.name for other in known.bases if other.id != base.id]
    if free_name(name, others) != name:
        raise UsageError(f"Another knowledge base is called {name}.", hint=f"{free_name(name, others)} is free.")

    def change(tables: list[Any], numbers: list[int]) -> None:
        for number in numbers:
            tables[number]["name"] = name

    _change(home, known.project_file, base, change)
    return replace(base, name=name)


def remove_base(home: str, folder: str, which: str) -> KnowledgeBase:
    """Take a KB, named by its id or name, out of the registry; its folder is not touched. Raises UsageError."""
    known = load_bases(home, folder)
    base = _named(which, known.bases)

    def change(tables: list[Any], numbers: list[int]) -> None:
        for number in reversed(numbers):
            del tables[number]

    _change(home, known.project_file, base, change)
    return base


def _named(which: str, bases: Iterable[KnowledgeBase]) -> KnowledgeBase:
    found = {base.name: base for base in bases}
    for base in found.values():
        if which in (base.id, base.name):
            return base
    near = get_close_matches(which, list(found), n=1, cutoff=0.4)
    hint = f"Did you mean {near[0]}?" if near else f"Known are: {', '.join(found) or 'none'}."
    raise UsageError(f"There is no knowledge base {which}.", hint=hint)


def _file_for(real: str, home: str, folder: str, project_file: str | None) -> tuple[str, str]:
    project = os.path.dirname(os.path.dirname(project_file)) if project_file else os.path.realpath(folder)
    inside = os.path.join(project, PROJECT_FOLDER)
    if is_inside(real, project) and os.path.realpath(inside) != os.path.realpath(home):
        return os.path.join(inside, CONFIG), "project"
    return os.path.join(home, CONFIG), "user"


def _new_id() -> str:
    """80 random bits: unique across machines, and kept when the project is moved or cloned."""
    return "kb_" + base64.b32encode(secrets.token_bytes(10)).decode().lower()


def _append(document: tomlkit.TOMLDocument, base: KnowledgeBase, path: str) -> None:
    tables = document.get(KEY)
    inline = tables is not None and not isinstance(tables, tomlkit.items.AoT)
    table: Any = tomlkit.inline_table() if inline else tomlkit.table()
    fields = {"id": base.id, "name": base.name, "path": path, "encoding": base.encoding}
    table.update({key: value for key, value in fields.items() if value is not None})
    if tables and not inline and list(document)[-1] != KEY:
        table.add(tomlkit.nl())  # other settings follow
    if tables is None:
        tables = tomlkit.aot()
        tables.append(table)
        document.append(KEY, tables)
    else:
        tables.append(table)


def _change(
    home: str, project_file: str | None, base: KnowledgeBase, change: Callable[[list[Any], list[int]], None]
) -> None:
    def edit(document: tomlkit.TOMLDocument, numbers: list[int]) -> None:
        change(document[KEY], numbers)
        if not document[KEY]:
            del document[KEY]

    for file in filter(None, (project_file, os.path.join(home, CONFIG))):
        config = _read(home, file)
        numbers = [number for number, entry in enumerate(config.entries) if entry_root(config, entry) == base.root]
        if numbers:
            _edit(home, file, partial(edit, numbers=numbers))


def _read(home: str, file: str) -> Config:
    return read_user(file) if os.path.dirname(file) == home else read_project(file)


def _edit(home: str, file: str, change: Callable[[tomlkit.TOMLDocument], None]) -> None:
    os.makedirs(home, mode=0o700, exist_ok=True)
    with FileLock(os.path.join(home, "config.lock"), timeout=LOCK_SECONDS, mode=0o600):
        document = tomlkit.parse(_read(home, file).text)
        change(document)
        _replace(file, tomlkit.dumps(document).encode(), private=os.path.dirname(file) == home)


def _replace(file: str, data: bytes, *, private: bool) -> None:
    """Put new content in place in one step; a link to the file stays, its mode too."""
    target = os.path.realpath(file)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    draft = f"{target}.{secrets.token_hex(6)}.tmp"
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600 if private else 0o666)
    try:
        with os.fdopen(fd, "wb") as stream:
            if os.path.exists(target):
                os.fchmod(stream.fileno(), os.stat(target).st_mode & 0o7777)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    _sync_folder(os.path.dirname(target))


def _sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
