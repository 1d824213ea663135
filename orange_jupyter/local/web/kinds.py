"""What an answer is: by its content where that is plain, else by its Content-Type."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

_MARKUP: Final = frozenset({"text/html", "application/xhtml+xml"})
_TEXTS: Final = frozenset(
    f"application/{name}"
    for name in (
        *("json", "ld+json", "x-ndjson", "jsonl", "xml", "yaml", "x-yaml", "toml", "javascript", "x-javascript"),
        *("ecmascript", "sql", "x-sh", "x-bibtex", "x-tex", "x-latex", "rtf", "graphql", "x-python"),
    )
)
_UNKNOWN: Final = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/unknown"})
_LOOKS_HTML: Final = re.compile(rb"\s*(?:<!--.{0,500}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.+-]{1,40})", re.IGNORECASE)


class Kind(Enum):
    """How an answer is read."""

    HTML = auto()
    TEXT = auto()
    PDF = auto()
    OTHER = auto()


def kind_of(content_type: str, data: bytes) -> Kind:
    """How to read it. Text that holds NUL bytes and no byte order mark is no text, whatever it is called."""
    name = content_type.partition(";")[0].strip().lower()
    if data.startswith(b"%PDF-") or name == "application/pdf":
        return Kind.PDF
    if name in _MARKUP:
        return Kind.HTML
    if name in _UNKNOWN:
        return _sniffed(data)
    texts = name.startswith("text/") or name in _TEXTS or name.endswith(("+json", "+xml", "+yaml"))
    return Kind.TEXT if texts and name != "image/svg+xml" and not _binary(data) else Kind.OTHER


def said_charset(content_type: str) -> str:
    """The encoding that the server says, or ""."""
    found = _CHARSET.search(content_type)
    return found[1] if found else ""


def _sniffed(data: bytes) -> Kind:
    if _LOOKS_HTML.match(data[:2_000]):
        return Kind.HTML
    controls = len(data[:4_096].translate(None, bytes(range(32, 256)) + b"\t\n\r\f"))
    return Kind.OTHER if _binary(data) or controls * 200 > len(data[:4_096]) else Kind.TEXT


def _binary(data: bytes) -> bool:
    return b"\0" in data[:65_536] and not data.startswith((b"\xff\xfe", b"\xfe\xff"))
