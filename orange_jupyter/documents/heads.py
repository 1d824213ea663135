"""What a picture file's own structure says, read without a decoder: a WebP's canvas, a GIF's number of frames."""

from __future__ import annotations

from typing import Final

_GIF_HEAD: Final = 13
_GIF_IMAGE: Final = 0x2C
_GIF_EXTENSION: Final = 0x21
_PNG_FRAME: Final = 38
"""Bytes that a frame of an animated PNG takes at least."""


def webp_canvas(data: bytes) -> tuple[int, int] | None:
    """Width and height of a WebP; None for another file. Its decoder takes memory for the canvas when it opens one."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP" or len(data) < 30:
        return None
    match data[12:16]:
        case b"VP8X":
            return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
        case b"VP8L":
            bits = int.from_bytes(data[21:25], "little")
            return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
        case b"VP8 ":
            sides = int.from_bytes(data[26:28], "little"), int.from_bytes(data[28:30], "little")
            return sides[0] & 0x3FFF, sides[1] & 0x3FFF
    return None


def frame_count(data: bytes, told: int) -> int:
    """How many frames a picture file has, `told` by its decoder; a GIF's are counted, without decoding them."""
    if data.startswith(b"GIF8"):
        return max(1, _gif_frames(data))
    most = len(data) // _PNG_FRAME if data.startswith(b"\x89PNG") else told
    return max(1, min(told, most))


def _gif_frames(data: bytes) -> int:
    """Walks the blocks up to the end, or to where they break."""
    frames, at = 0, _GIF_HEAD + _colours(data[10]) if len(data) > _GIF_HEAD else len(data)
    while at + 10 < len(data):
        if data[at] == _GIF_IMAGE:
            frames += 1
            at = _after_pieces(data, at + 11 + _colours(data[at + 9]))
        elif data[at] == _GIF_EXTENSION:
            at = _after_pieces(data, at + 2)
        else:
            break
    return frames


def _after_pieces(data: bytes, at: int) -> int:
    size = len(data)
    while at < size and data[at]:
        at += data[at] + 1
    return at + 1


def _colours(flags: int) -> int:
    """Bytes of a table of colours."""
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0
