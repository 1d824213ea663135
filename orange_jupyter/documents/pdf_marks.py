"""Where a stretch of a PDF page's text stands, and the page's picture with it marked."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageChops, ImageDraw

from orange_jupyter.core.document import Box
from orange_jupyter.documents.pdf_blocks import Line, PageBlock

_FILL = (255, 238, 170)
_EDGE = (168, 70, 0)
_BETWEEN = 2


def marks(blocks: Sequence[PageBlock], span: Sequence[int], size: tuple[float, float]) -> tuple[Box, ...]:
    """One box a line of the stretch `[start, end)` of the page's text, in shares of the page's width and height.

    Where the stretch begins or ends inside a line, the box does so too, as far as letters are equally wide.
    """
    found: list[Box] = []
    start, end = span[0], span[1]
    at = 0
    for block in blocks:
        for line in block.lines:
            stop = at + len(line.text)
            if at < end and start < stop:
                part = (max(start - at, 0) / len(line.text), min(end - at, len(line.text)) / len(line.text))
                found.append(_share(_cut(line, part), size))
            at = stop + 1
        at += _BETWEEN - 1
    return tuple(found)


def marked(image: Image.Image, boxes: Sequence[Box]) -> Image.Image:
    """The picture with amber under the letters of each box and an orange outline around a passage (DESIGN)."""
    layer = Image.new("RGB", image.size, (255, 255, 255))
    pen = ImageDraw.Draw(layer)
    width, height = image.size
    line = max(2, round(width / 500))
    for x0, y0, x1, y1 in boxes:
        pen.rectangle((x0 * width, y0 * height, x1 * width, y1 * height), fill=_FILL)
    shown = ImageChops.multiply(image.convert("RGB"), layer)
    pen = ImageDraw.Draw(shown)
    for x0, y0, x1, y1 in _passages(boxes):
        edges = (x0 * width - 1.5 * line, y0 * height - line, x1 * width + 1.5 * line, y1 * height + line)
        pen.rounded_rectangle(edges, radius=3 * line, outline=_EDGE, width=line)
    return shown


def _passages(boxes: Sequence[Box]) -> list[Box]:
    """One box around lines that lie by each other; what goes on in the next column is a box of its own."""
    found: list[Box] = []
    for box in boxes:
        last = found[-1] if found else None
        if last is not None and _near(last, box):
            found[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            found.append(box)
    return found


def _near(one: Box, other: Box) -> bool:
    room = 1.5 * min(other[3] - other[1], other[2] - other[0])
    across = other[0] < one[2] + room and one[0] < other[2] + room
    return across and other[1] < one[3] + room and one[1] < other[3] + room


def _cut(line: Line, part: tuple[float, float]) -> Box:
    """The part of a line's box from one share of its length to another, in its direction of reading."""
    x0, y0, x1, y1 = line.box
    start, end = part
    way = line.pieces[0].way
    if way in ("left", "back", "up"):
        start, end = 1 - end, 1 - start
    if way in ("down", "up"):
        return x0, y0 + start * (y1 - y0), x1, y0 + end * (y1 - y0)
    return x0 + start * (x1 - x0), y0, x0 + end * (x1 - x0), y1


def _share(box: Box, size: tuple[float, float]) -> Box:
    width, height = max(size[0], 1.0), max(size[1], 1.0)
    x0, x1 = (min(max(edge / width, 0.0), 1.0) for edge in (box[0], box[2]))
    y0, y1 = (min(max(edge / height, 0.0), 1.0) for edge in (box[1], box[3]))
    return x0, y0, x1, y1
