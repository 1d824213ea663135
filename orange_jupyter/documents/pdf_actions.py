"""What a PDF carries beside its pages: embedded files and scripts. Nothing of it is ever run or opened (D08)."""

from __future__ import annotations

import re
from typing import Any

_RAW = re.compile(rb"/(?:JavaScript|Launch)\b")
_KEYS = ("Names/JavaScript", "AA")
_ACTION = re.compile(r"/S\s*/(?:JavaScript|Launch)\b|/JS\b")


def warnings(document: Any, data: bytes) -> tuple[str, ...]:
    """A sentence for scripts or programs to start, and one for embedded files. Never raises for a damaged file."""
    said: list[str] = []
    try:
        files = document.embfile_count()
        scripts = _RAW.search(data) is not None or _in_catalog(document)
    except (RuntimeError, ValueError):
        return ()
    if scripts:
        said.append("The PDF holds a script or an action that starts a program; nothing of it is run.")
    if files or b"/FileAttachment" in data:
        said.append("The PDF holds embedded files; they are not opened.")
    return tuple(said)


def _in_catalog(document: Any) -> bool:
    catalog = document.pdf_catalog()
    if any(document.xref_get_key(catalog, key)[0] != "null" for key in _KEYS):
        return True
    kind, value = document.xref_get_key(catalog, "OpenAction")
    if kind == "xref":
        value = document.xref_object(int(value.split()[0]))
    return bool(_ACTION.search(value))
