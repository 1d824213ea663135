"""Brings pixels into a model's limits: resize, then PNG for flat pictures and alpha, JPEG in steps for the rest."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError

MAX_SIDE = 2048
MAX_BYTES = 4_194_304
"""Caps above any configured limit (R-READ-8)."""

_SMALLEST = 32
_FLAT_COLOURS = 256


def encode(image: Image.Image, limits: PictureLimits, *, original: tuple[int, int], frames: int = 1) -> Picture:
    """A picture (mode L, RGB or RGBA) within the limits, aspect ratio kept; metadata such as places is left behind.

    JPEG at `jpeg_quality`, 70, 50, then each side by 0.8 (documents-facts.md). Raises ReadError too_large.
    """
    width = max(1, min(limits.max_width, MAX_SIDE))
    height = max(1, min(limits.max_height, MAX_SIDE))
    room = min(limits.max_bytes, MAX_BYTES)
    image.thumbnail((width, height), Image.Resampling.LANCZOS, reducing_gap=2.0)
    image.info = {}
    if image.mode != "L" and image.getcolors(_FLAT_COLOURS) is not None and "A" not in image.mode:
        image = image.convert("P", palette=Image.Palette.ADAPTIVE, colors=_FLAT_COLOURS)
    while max(image.size) >= _SMALLEST or max(original) < _SMALLEST:
        encoded = _within(image, room, limits.jpeg_quality)
        if encoded is not None:
            data, media_type = encoded
            return Picture(data, media_type, *image.size, frames, *original)
        if max(image.size) < _SMALLEST:
            break
        smaller = (max(1, int(image.width * 0.8)), max(1, int(image.height * 0.8)))
        image = _opaque(image).resize(smaller, Image.Resampling.LANCZOS)
    raise ReadError(
        Code.TOO_LARGE,
        f"The picture cannot be brought into {room:,} bytes.",
        hint="Raise `maxBytes` of this model's picture limits.",
    )


def _within(image: Image.Image, room: int, quality: int) -> tuple[bytes, str] | None:
    """The encoded picture, if it fits: alpha as PNG; few colours as whichever is smaller; the rest as JPEG."""
    first = min(max(quality, 1), 100)
    if image.mode == "P" or "A" in image.mode:
        data = _saved(image, "PNG", 0)
        flat = "A" in image.mode or len(data) <= len(_saved(_opaque(image), "JPEG", first))
        if flat and len(data) <= room:
            return data, "image/png"
        image = _opaque(image)
    for step in (first, *(lower for lower in (70, 50) if lower < first)):
        data = _saved(image, "JPEG", step)
        if len(data) <= room:
            return data, "image/jpeg"
    return None


def _saved(image: Image.Image, kind: str, quality: int) -> bytes:
    out = BytesIO()
    if kind == "PNG":
        image.save(out, "PNG", compress_level=6)
    else:
        image.save(out, "JPEG", quality=quality, optimize=False)
    return out.getvalue()


def _opaque(image: Image.Image) -> Image.Image:
    """The picture on white, in a mode that JPEG knows."""
    if "A" not in image.mode:
        return image if image.mode in ("L", "RGB") else image.convert("RGB")
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white.convert("RGB")
