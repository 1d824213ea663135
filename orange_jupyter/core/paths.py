"""Paths as values: knowledge bases, places in and outside them, protected names. Pure; nothing here asks the disk.

What a string *means* on this machine is decided in `local.workspace` by what the system opens.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError

MAX_PATH_BYTES = 4096
PROTECTED = frozenset({".orange", ".git", ".mcp.json", ".vscode", ".jupyter", ".ipython"})
SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".ipynb_checkpoints"})
FILE_TYPES = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "txt",
    ".docx": "docx",
    ".pdf": "pdf",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".webp": "image",
    ".gif": "image",
    ".bmp": "image",
    ".svg": "svg",
}
SEARCHABLE = ("markdown", "txt", "docx", "pdf")


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A folder of notes. `root` is its real absolute path; `source` is "project", "user" or "run" (`--kb DIR`)."""

    id: str
    name: str
    root: str
    source: str = "run"
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """One resolved path.

    Inside a selected KB: `knowledge_base` is set and `relative` is the KB-relative POSIX path ("" is the root).
    Outside (an external read): `knowledge_base` is None and `relative` is the real absolute path.
    Names may hold surrogate escapes (bytes that are not UTF-8): use `shown` for anything that leaves this process.
    `note` says what resolution did besides the obvious, for instance that an NFD name was taken for an NFC one.
    """

    knowledge_base: KnowledgeBase | None
    relative: str
    shown: str
    note: str | None = None

    @property
    def outside(self) -> bool:
        """Whether this is an external place."""
        return self.knowledge_base is None


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What a scan knows of one entry. `mtime_ns` is the file's modification time, `file_id` is None for folders."""

    place: Place
    file_type: str
    size: int
    mtime_ns: int
    inode: int
    file_id: str | None = None
    page_count: int | None = None
    block_count: int | None = None
    file_count: int | None = None


@dataclass(frozen=True, slots=True)
class FileBytes:
    """A file's content as it was read in one go, with the state it was read in."""

    data: bytes = field(repr=False)
    info: FileInfo
    content_hash: str
    changed_during_read: bool = False


def file_type(name: str) -> str:
    """The `fileType` of a file name by its ending (12-schemas.md); "other" when unknown."""
    dot = name.rfind(".")
    return FILE_TYPES.get(name[dot:].lower(), "other") if dot > 0 else "other"


def shown_name(name: str) -> str:
    r"""A name that can be printed and encoded: bytes that are not UTF-8 become `\xff`, controls become escapes."""
    return "".join(_shown_character(character) for character in name)


def _shown_character(character: str) -> str:
    number = ord(character)
    if 0xDC80 <= number <= 0xDCFF:
        return f"\\x{number - 0xDC00:02x}"
    if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp"):
        return f"\\u{number:04x}"
    return character


def is_protected(relative: str) -> bool:
    """Whether any part of a KB-relative path is a protected name (R-PERM-9), compared without case."""
    parts = [unicodedata.normalize("NFKC", part).casefold().rstrip(". ") for part in relative.split("/") if part]
    if any(part in PROTECTED or (part.startswith("jupyter_") and "config" in part) for part in parts):
        return True
    return bool(parts) and parts[-1].endswith(".ipynb")


def split(path: str, *, longest: int | None = MAX_PATH_BYTES) -> tuple[str, ...]:
    """The parts of a relative POSIX path, `.` removed and `..` resolved; case, `%2e`, `~` and `\\` are literal.

    Raises PathError invalid_path for an empty path, NUL or one over `longest` bytes, outside_workspace where `..`
    leaves it.
    """
    if not path:
        raise PathError(Code.INVALID_PATH, "The path is empty; `.` is the knowledge base's root.")
    if "\0" in path:
        raise PathError(Code.INVALID_PATH, "The path holds a NUL character.")
    if longest is not None and len(path.encode("utf-8", "surrogateescape")) > longest:
        raise PathError(
            Code.INVALID_PATH, f"The path is longer than {longest:,} bytes.", hint="Use the fileId that `list` gives."
        )
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            raise PathError(Code.OUTSIDE_WORKSPACE, "The path leads out of the knowledge base.")
    return tuple(parts)
