"""A picture file's bytes, or a picture part of a document, made one picture within limits (R-READ-9, R-IMG-3).

Header checks come before any pixel is decoded; large pictures are shrunk before anything else is done with them, so
that memory stays bound. Runs only in a worker process.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from typing import Final

from PIL import Image, ImageChops, ImageCms, UnidentifiedImageError

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.heads import frame_count, webp_canvas
from orange_jupyter.documents.raster import MAX_SIDE, encode

MAX_FILE = 20 * 1_048_576
"""Bytes of an image file (R-READ-9)."""

MAX_PIXELS = 64_000_000
MAX_JPEG_PIXELS = 128_000_000
"""Pixels before decoding: Pillow opens 81 MP silently (D06); JPEG is decoded at a fraction of its size."""

_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_MAGIC = (b"\x89PNG", b"\xff\xd8\xff", b"RIFF", b"GIF8", b"BM")
_FAULTS = (
    *(OSError, ValueError, SyntaxError, EOFError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, AssertionError, RuntimeError, struct.error, zlib.error),
)
"""What Pillow and its plug-ins raise at broken files."""

_ORIENTATION: Final = 0x0112
_UPRIGHT: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_GAP: Final = 1.5
"""How many times larger than wanted a JPEG is decoded: less looks worse, more costs time."""


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what can be read all the same
            return _read(data, limits)
    except Image.DecompressionBombError:
        raise _too_many_pixels("The picture has") from None
    except UnidentifiedImageError:
        raise _unidentified(data) from None
    except _FAULTS as error:
        raise _damaged(str(error) or type(error).__name__) from None


def _read(data: bytes, limits: PictureLimits) -> Picture:
    canvas = webp_canvas(data)
    if canvas is not None:
        _check_size(canvas, MAX_PIXELS)
    with Image.open(BytesIO(data), formats=_FORMATS) as image:
        jpeg = image.format in ("JPEG", "MPO")
        _check_size(image.size, MAX_JPEG_PIXELS if jpeg else MAX_PIXELS)
        frames = 1 if jpeg or image.format == "GIF" else int(getattr(image, "n_frames", 1))
        return _first_frame(image, limits, frame_count(data, frames))


def _check_size(size: tuple[int, int], most: int) -> None:
    width, height = size
    if width * height > most:
        raise _too_many_pixels(f"The picture is {width:,} × {height:,},", width=width, height=height)


def _first_frame(image: Image.Image, limits: PictureLimits, frames: int) -> Picture:
    way = _orientation(image)
    turned = way >= 5
    original = (image.height, image.width) if turned else image.size
    image.seek(0)
    wanted = (min(limits.max_width, MAX_SIDE), min(limits.max_height, MAX_SIDE))
    small = _shrunk(image, wanted[::-1] if turned else wanted)
    upright = small.transpose(_UPRIGHT[way]) if way in _UPRIGHT else small
    return encode(upright, limits, original=original, frames=frames)


def _orientation(image: Image.Image) -> int:
    """1 … 8 as EXIF counts; 1 where there is none or what stands there cannot be read."""
    try:
        way = image.getexif().get(_ORIENTATION, 1)
    except _FAULTS:
        return 1
    return way if isinstance(way, int) and 1 <= way <= 8 else 1


def _shrunk(image: Image.Image, wanted: tuple[int, int]) -> Image.Image:
    """The pixels as L, RGB or RGBA, within `wanted`: palettes, CMYK, 16 bits and unused alpha resolved."""
    share = min(1.0, wanted[0] / image.width, wanted[1] / image.height)
    image.draft(None, (max(1, int(image.width * share * _GAP)), max(1, int(image.height * share * _GAP))))
    image.load()
    profile = image.info.get("icc_profile")
    plain_inks = image.mode == "CMYK" and "adobe" not in image.info
    small = _smooth(image)
    small.thumbnail(wanted, Image.Resampling.LANCZOS, reducing_gap=2.0)
    if plain_inks:  # Pillow takes every CMYK for Adobe's, which are inverted
        small = ImageChops.invert(small)
    return _eight_bit(small, profile if isinstance(profile, bytes) else None)


def _smooth(image: Image.Image) -> Image.Image:
    """The picture in a mode that can be shrunk without steps; no copy where it is in one."""
    if image.mode.startswith(("I", "F")):
        wide = image.convert("I")
        return wide.point(lambda value: value * (1 / 257) + 0.5).convert("L")
    if "transparency" in image.info or image.mode in ("PA", "La", "RGBa"):
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    return image.convert("RGB") if image.mode == "P" else image


def _eight_bit(image: Image.Image, profile: bytes | None) -> Image.Image:
    """A shrunk picture as L, RGB or RGBA, its colours those of sRGB."""
    if image.mode in ("RGBA", "LA"):
        clear = image.convert("RGBA")
        low = clear.getchannel("A").getextrema()[0]
        return clear if isinstance(low, int) and low < 255 else clear.convert("RGB")
    if image.mode in ("RGB", "CMYK") and profile:
        return _in_srgb(image, profile)
    return image if image.mode in ("L", "RGB") else image.convert("RGB")


def _in_srgb(image: Image.Image, profile: bytes) -> Image.Image:
    """The colours by the file's own profile; as they stand where that is broken or of another kind."""
    try:
        own = ImageCms.ImageCmsProfile(BytesIO(profile))
        found = ImageCms.profileToProfile(image, own, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, *_FAULTS):
        found = None
    return found if found is not None else image.convert("RGB")


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
