"""The `image` format: a picture file. Runs only in a worker process."""

from __future__ import annotations

from orange_jupyter.core.document import Picture, PictureLimits
from orange_jupyter.documents import pixels

MAX_FILE = pixels.MAX_FILE
"""Bytes of an image file (R-READ-9)."""


def picture(data: bytes, limits: PictureLimits) -> Picture:
    """The first frame of an image file, upright, within limits, with the frame count.

    Raises ReadError too_large, type_mismatch, damaged.
    """
    return pixels.picture(data, limits)
