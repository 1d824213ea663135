"""What travels between the kernel and a worker: a JSON head and a body of bytes, each with its length before it.

No pickles: a worker that a hostile file took over can send wrong values, but nothing that runs here.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import DocumentText, Extract, PageText, Picture
from orange_jupyter.core.errors import ReadError

MAX_HEAD = 65_536
MAX_BODY = 256 * 1_048_576
"""Bytes of a frame; a document's text is far below, and what is above comes from a broken worker."""

_LENGTHS = struct.Struct(">IQ")
_TEXT = TypeAdapter(DocumentText)
_EXTRACT = TypeAdapter(Extract)
_PAGE = TypeAdapter(PageText)

Result = DocumentText | Extract | PageText | Picture


class FrameError(Exception):
    """The other side ended in the middle of a frame, or sent what is none."""


def write_frame(stream: BinaryIO, head: dict[str, Any], body: bytes) -> None:
    """Send one frame. Raises OSError where the other side is gone."""
    encoded = json.dumps(head).encode("ascii")
    stream.write(_LENGTHS.pack(len(encoded), len(body)) + encoded)
    stream.write(body)
    stream.flush()


def read_frame(stream: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    """The next frame, or None at the end of the stream. Raises FrameError."""
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    if len(lengths) < _LENGTHS.size:
        raise FrameError("the stream ended inside a frame")
    head_size, body_size = _LENGTHS.unpack(lengths)
    if head_size > MAX_HEAD or body_size > MAX_BODY:
        raise FrameError("a frame is larger than any answer can be")
    encoded, body = stream.read(head_size), stream.read(body_size)
    if len(encoded) < head_size or len(body) < body_size:
        raise FrameError("the stream ended inside a frame")
    try:
        head = json.loads(encoded)
    except ValueError:
        raise FrameError("a frame's head is not JSON") from None
    if not isinstance(head, dict):
        raise FrameError("a frame's head is not an object")
    return head, body


def pack_result(result: Result) -> tuple[dict[str, Any], bytes]:
    """A result as head and body; a picture's bytes travel as they are."""
    match result:
        case DocumentText():
            return {"kind": "text"}, _TEXT.dump_json(result)
        case Extract():
            return {"kind": "extract"}, _EXTRACT.dump_json(result)
        case PageText():
            return {"kind": "page"}, _PAGE.dump_json(result)
        case Picture():
            facts = [result.media_type, result.width, result.height, result.frames]
            return {"kind": "picture", "facts": [*facts, result.original_width, result.original_height]}, result.data


def unpack_result(head: dict[str, Any], body: bytes) -> Result:
    """The result in a frame, validated. Raises FrameError for anything else, ReadError where the frame is one."""
    try:
        match head:
            case {"kind": "text"}:
                return _TEXT.validate_json(body, strict=True)
            case {"kind": "extract"}:
                return _EXTRACT.validate_json(body, strict=True)
            case {"kind": "page"}:
                return _PAGE.validate_json(body, strict=True)
            case {"kind": "picture", "facts": [str(media_type), int(w), int(h), int(frames), int(ow), int(oh)]}:
                return Picture(body, media_type, w, h, frames, ow, oh)
            case {"kind": "error", "code": str(code), "message": str(message)}:
                hint, details = head.get("hint"), head.get("details")
                raise ReadError(
                    Code(code),
                    message,
                    hint=hint if isinstance(hint, str) else None,
                    details=details if isinstance(details, dict) else None,
                )
            case _:
                raise FrameError("a frame holds no result")
    except (ValidationError, ValueError):
        raise FrameError("a frame's result is not valid") from None


def pack_error(error: ReadError) -> dict[str, Any]:
    """A typed error as a frame's head; over-long texts from a file are cut."""
    return {
        "kind": "error",
        "code": error.code.value,
        "message": error.message[:2000],
        "hint": error.hint,
        "details": error.details,
    }
