"""What a kernel and its host say to each other: frames of a kind, a length and bytes. Standard library only."""

from __future__ import annotations

import struct
from typing import Final

REQUEST: Final = b"q"
"""Kernel to host, JSON: `argv`, `env` (names and values), `seconds`."""
PIECE: Final = b"p"
"""Host to kernel: output while it comes; see `piece`."""
RESULT: Final = b"r"
"""Host to kernel, JSON; four KEPT frames follow: head and tail of standard output, then of standard error."""
KEPT: Final = b"k"

HEAD: Final = struct.Struct("!cI")
_PIECE_HEAD: Final = struct.Struct("!BQ")


def frame(kind: bytes, body: bytes) -> bytes:
    """A frame as it is sent."""
    return HEAD.pack(kind, len(body)) + body


def piece(stream: int, skipped: int, data: bytes) -> bytes:
    """A piece of output: 0 or 1 for the stream, how many bytes before it are not shown live, and the bytes."""
    return frame(PIECE, _PIECE_HEAD.pack(stream, skipped) + data)


def parse_piece(body: bytes) -> tuple[int, int, bytes]:
    """The body of a PIECE frame: stream, skipped bytes, data."""
    stream, skipped = _PIECE_HEAD.unpack_from(body)
    return stream, skipped, body[_PIECE_HEAD.size :]
