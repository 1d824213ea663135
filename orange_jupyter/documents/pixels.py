"""A picture file's bytes, or a picture part of a document, made one picture within limits (R-READ-9, R-IMG-3).

Header checks come before any pixel is decoded. Runs only in a worker process.
"""

from __future__ import annotations

from io import BytesIO

from PIL import Image, ImageOps, UnidentifiedImageError

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.raster import encode

MAX_FILE = 20 * 1_048_576
"""Bytes of an image file (R-READ-9)."""

MAX_PIXELS = 64_000_000
MAX_JPEG_PIXELS = 128_000_000
"""Pixels before decoding: Pillow opens 81 MP silently (D06); JPEG is decoded at a fraction of its size."""

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")


def picture(data: bytes, limits: PictureLimits) -> Picture:
    """The first frame of an image file, upright, within limits, with the frame count.

    Raises ReadError too_large, type_mismatch, damaged.
    """
    if len(data) > MAX_FILE:
        raise ReadError(
            Code.TOO_LARGE,
            f"The picture is {len(data):,} bytes; at most {MAX_FILE:,} are read.",
            hint="Save a smaller copy of it.",
        )
    try:
        with Image.open(BytesIO(data), formats=_FORMATS) as image:
            _check_size(image)
            return _first_frame(image, limits)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels("The picture has") from None
    except UnidentifiedImageError:
        raise _unidentified(data) from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as error:
        raise _damaged(str(error)) from None


def _check_size(image: Image.Image) -> None:
    width, height = image.size
    most = MAX_JPEG_PIXELS if image.format in ("JPEG", "MPO") else MAX_PIXELS
    if width * height > most:
        raise _too_many_pixels(f"The picture is {width:,} × {height:,},", width=width, height=height)


def _first_frame(image: Image.Image, limits: PictureLimits) -> Picture:
    turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    original = (image.height, image.width) if turned else (image.width, image.height)
    frames = int(getattr(image, "n_frames", 1)) if image.format != "MPO" else 1
    image.seek(0)
    image.draft("RGB", (2 * limits.max_width, 2 * limits.max_height))
    return encode(_eight_bit(ImageOps.exif_transpose(image)), limits, original=original, frames=frames)


def _eight_bit(image: Image.Image) -> Image.Image:
    """The pixels as L, RGB or RGBA: palettes, CMYK, 16 bits a channel and unused alpha resolved."""
    if image.mode.startswith("I"):
        wide = image.convert("I")
        return wide.point(lambda value: value * (1 / 257) + 0.5).convert("L")
    if "A" in image.mode or "a" in image.mode or "transparency" in image.info:
        clear = image.convert("RGBA")
        low = clear.getchannel("A").getextrema()[0]
        return clear if isinstance(low, int) and low < 255 else clear.convert("RGB")
    if image.mode in ("1", "L"):
        return image.convert("L")
    return image.convert("RGB")


def _too_many_pixels(what: str, **details: int) -> ReadError:
    return ReadError(
        Code.TOO_LARGE,
        f"{what} more pixels than are decoded ({MAX_PIXELS // 1_000_000} megapixels, as JPEG twice that).",
        hint="Save a smaller copy of it.",
        details=details,
    )


def _unidentified(data: bytes) -> ReadError:
    if data.startswith(_MAGIC) or not data:
        return _damaged("its head cannot be read" if data else "the file is empty")
    return ReadError(
        Code.TYPE_MISMATCH,
        "The file's name says picture, but its content is not one of PNG, JPEG, WebP, GIF or BMP.",
        hint="Read it under a name that fits its content.",
    )


def _damaged(reason: str) -> ReadError:
    return ReadError(Code.DAMAGED, f"The picture is damaged: {reason}.", hint="Open it in a viewer and save it again.")
