"""What travels between the kernel and a worker: a JSON head and a body of bytes, each with its length before it.

A document's text is a line of JSON for what is short and further lines for its pages, blocks or chunks, some hundred
each: to validate a line holds the interpreter, and a long book in one line would stop the kernel meanwhile.

No pickles: a worker that a hostile file took over can send wrong values, but nothing that runs here.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO, TypeVar

from pydantic import TypeAdapter, ValidationError

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import Block, Chunk, DocumentText, Extract, PageText, Picture
from orange_jupyter.core.errors import ReadError

MAX_HEAD = 65_536
MAX_BODY = 256 * 1_048_576
"""Bytes of a frame; a document's text is far below, and what is above comes from a broken worker."""

A_LINE = 400
"""Items of a line of a body: a few milliseconds."""

_LENGTHS = struct.Struct(">IQ")
_TEXT = TypeAdapter(DocumentText)
_EXTRACT = TypeAdapter(Extract)
_PAGE = TypeAdapter(PageText)
_LONG: dict[str, TypeAdapter[tuple[Any, ...]]] = {
    "pages": TypeAdapter(tuple[str, ...]),
    "blocks": TypeAdapter(tuple[Block, ...]),
    "chunks": TypeAdapter(tuple[Chunk, ...]),
}

Result = DocumentText | Extract | PageText | Picture
_Long = TypeVar("_Long", DocumentText, Extract)


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
            short = _TEXT.dump_json(replace(result, pages=(), blocks=()))
            return {"kind": "text"}, b"\n".join([short, *_lines(result, "pages"), *_lines(result, "blocks")])
        case Extract():
            short = _EXTRACT.dump_json(replace(result, chunks=()))
            return {"kind": "extract"}, b"\n".join([short, *_lines(result, "chunks")])
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
                return _whole(_TEXT, body, ("pages", "blocks"))
            case {"kind": "extract"}:
                return _whole(_EXTRACT, body, ("chunks",))
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


def _lines(result: DocumentText | Extract, name: str) -> Iterator[bytes]:
    items = getattr(result, name)
    for first in range(0, len(items), A_LINE):
        yield name.encode("ascii") + _LONG[name].dump_json(items[first : first + A_LINE])


def _whole(adapter: TypeAdapter[_Long], body: bytes, names: tuple[str, ...]) -> _Long:
    """What the lines of a body say together. Raises ValueError."""
    short, *lines = body.split(b"\n")
    found: dict[str, Any] = {name: [] for name in names}
    for line in lines:
        name = next((name for name in names if line.startswith(name.encode("ascii"))), "")
        if not name:
            raise ValueError("a line of no known kind")
        found[name].extend(_LONG[name].validate_json(line[len(name) :], strict=True))
    long: dict[str, Any] = {name: tuple(items) for name, items in found.items()}
    return replace(adapter.validate_json(short, strict=True), **long)


def pack_error(error: ReadError) -> dict[str, Any]:
    """A typed error as a frame's head; over-long texts from a file are cut."""
    return {
        "kind": "error",
        "code": error.code.value,
        "message": error.message[:2000],
        "hint": error.hint,
        "details": error.details,
    }
