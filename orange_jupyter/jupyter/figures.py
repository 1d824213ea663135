"""The small pictures of a saved record: pages that are cited, pictures that the model was shown (R-SAVE-1, R-UI-7).

Only bytes that were encoded here become an address, inside the record itself; an output loads nothing else.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.messages import Image
from orange_jupyter.jupyter.view import Line, TurnView

PAGE: Final = PictureLimits(max_width=900, max_height=900, max_bytes=90_000, jpeg_quality=70)
"""A cited page: its lines can be told apart, its mark can be seen; the passage stands beside it as text."""
SMALL: Final = PictureLimits(max_width=480, max_height=480, max_bytes=40_000, jpeg_quality=70)
"""A picture that was shown to the model: enough to know it again."""
MOST_PAGES: Final = 8
MOST_PICTURES: Final = 12
ROOM: Final = 600_000
"""Characters of base64 that the figures of one record may take: a notebook with a hundred turns stays near 50 MB, which
editors open and code hosts take, and a pull request shows no single line above a megabyte."""

MASKED: Final = "masked"
LATE: Final = "late"
LEFT: Final = "left"
"""Why there is no figure, as the ends of the keys `figure.…` of the strings."""

_HEADS: Final = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG\r\n\x1a\n"}


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture for a saved notebook, made small: encoded bytes (JPEG or PNG), their media type, pixels.

    Of a page: how many its file has, and whether the passage is marked in it.
    """

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int
    pages: int | None = None
    marked: bool = False

    @property
    def address(self) -> str:
        """The data URL; "" for anything that is not a JPEG or PNG of this package's limits."""
        head = _HEADS.get(self.media_type)
        if head is None or not self.data.startswith(head) or len(self.data) > PAGE.max_bytes:
            return ""
        return f"data:{self.media_type};base64,{base64.b64encode(self.data).decode('ascii')}"

    @property
    def room(self) -> int:
        """Characters that `address` takes of ROOM."""
        return (len(self.data) + 2) // 3 * 4


def fitting(figures: Iterable[tuple[str, Figure | None]]) -> Mapping[str, Figure]:
    """Those that find room, each once, in their order: a later small one may fit where an earlier large one did not."""
    kept: dict[str, Figure] = {}
    room = ROOM
    for name, figure in figures:
        if figure is None or name in kept or figure.room > room or not figure.address:
            continue
        kept[name] = figure
        room -= figure.room
    return kept


def image(figure: Figure, alternative: str) -> str:
    """The HTML of the picture itself. `alternative` says in words what it shows; any text."""
    words = html.escape(" ".join(alternative.split()))
    return f'<img src="{figure.address}" alt="{words}" width="{int(figure.width)}" height="{int(figure.height)}">'


def images_of(line: Line) -> tuple[Image, ...]:
    """The pictures that a call's result showed to the model, each once."""
    return tuple(dict.fromkeys(line.finished.result.images)) if line.finished else ()


def withheld(line: Line) -> str:
    """Why no picture of this call may stay: its file holds a hidden value, or that is not known any more; else ""."""
    envelope = line.finished.envelope if line.finished else {}
    if envelope.get("maskedValues"):
        return MASKED
    return "" if len(envelope) > 1 else LATE  # of a long or an old result only `ok`, or nothing, is left


def wanted(view: TurnView) -> tuple[Image, ...]:
    """The pictures of which small ones may stay: the first MOST_PICTURES, each once, none that any call withholds."""
    found = {one.sha256: one for one in (view.started.images if view.started else ())}
    refused = set()
    for line in view.lines:
        for one in images_of(line):
            found.setdefault(one.sha256, one)
            if withheld(line):
                refused.add(one.sha256)
    return tuple(one for sha256, one in found.items() if sha256 not in refused)[:MOST_PICTURES]


def illustrable(view: TurnView) -> bool:
    """Whether a finished turn's record may have a figure."""
    cited = view.finished.citations if view.finished else ()
    return bool(wanted(view)) or any(one.page is not None for one in cited)


def left_out(line: Line) -> tuple[tuple[int | None, str], ...]:
    """(page or None, reason) of each picture that did not go to the model, as the result says it."""
    envelope: Mapping[str, Any] = line.finished.envelope if line.finished else {}
    blind, rows = envelope.get("visionUnavailable"), envelope.get("imagesLeftOut")
    found: list[tuple[int | None, str]] = [(None, str(blind.get("reason", "")))] if isinstance(blind, dict) else []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            page = row.get("page")
            found.append((page if isinstance(page, int) else None, str(row.get("reason", ""))))
    return tuple(found)
