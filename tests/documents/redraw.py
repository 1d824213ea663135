"""A page's parts in a wrong order: moved as wholes, their lines left together."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pymupdf

T = TypeVar("T")


def moved(parts: Sequence[T], how: str, seed: int, corner: Callable[[T], tuple[float, float]]) -> list[T]:
    """`parts` shuffled (`parts`), one in six elsewhere (`swap`), or by left or top edge of all (`by_x`, `by_y`).

    `corner` gives a part's left and top edge in points.
    """
    found, chance = list(parts), random.Random(seed)
    if how == "by_x":
        found.sort(key=lambda part: (round(corner(part)[0] / 20), corner(part)[1]))
    elif how == "by_y":
        found.sort(key=lambda part: (round(corner(part)[1] / 4), corner(part)[0]))
    elif how == "parts":
        chance.shuffle(found)
    else:
        for _ in range(max(1, len(found) // 6)):
            part = found.pop(chance.randrange(len(found)))
            found.insert(chance.randrange(len(found) + 1), part)
    return found


def redrawn(pdf: bytes, how: str, seed: int) -> bytes:
    """The first page of a file with its level blocks at their places, drawn in another order (see `moved`)."""
    font = pymupdf.Font("helv")
    with pymupdf.open(stream=pdf, filetype="pdf") as source, pymupdf.open() as out:
        rect = source[0].rect
        target = out.new_page(width=rect.width, height=rect.height)
        blocks = source[0].get_text("dict", flags=pymupdf.TEXTFLAGS_TEXT)["blocks"]
        level = [block for block in blocks if any(line["dir"][0] > 0.9 for line in block["lines"])]
        for block in moved(level, how, seed, lambda block: block["bbox"][:2]):
            for span in [span for line in block["lines"] if line["dir"][0] > 0.9 for span in line["spans"]]:
                _write(target, span, font)
        return bytes(out.tobytes())


def _write(target: Any, span: dict[str, Any], font: Any) -> None:
    text = unicodedata.normalize("NFKC", span["text"].strip())
    if text:
        width = font.text_length(text, 1) or 1
        size = max(min(span["size"], (span["bbox"][2] - span["bbox"][0]) / width), 0.5)
        target.insert_text(span["origin"], text, fontname="helv", fontsize=size)
