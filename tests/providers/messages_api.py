"""Events of the Anthropic messages API as bytes, for the fake server."""

from __future__ import annotations

import json
from typing import Any


def named(value: dict[str, Any]) -> bytes:
    """One event: its name and its data, as the API sends both."""
    return f"event: {value['type']}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def begin(**used: Any) -> dict[str, Any]:
    """message_start, with counts."""
    counts = {"input_tokens": 9, "output_tokens": 1} | used
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m-1", "content": []}
    return {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": counts}}


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """A block's start, its deltas and its stop."""
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    """A text block."""
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces))


def thinking(index: int, *pieces: str, signature: str = "sig==") -> list[dict[str, Any]]:
    """A thinking block with its signature at the end."""
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signed = {"type": "signature_delta", "signature": signature}
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, *deltas, signed)


def use(index: int, name: str, *pieces: str, call_id: str | None = None) -> list[dict[str, Any]]:
    """A tool_use block whose input comes in pieces."""
    start = {"type": "tool_use", "id": call_id or f"toolu_{index}", "name": name, "input": {}}
    return block(index, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


def end(reason: str | None = "end_turn", **used: Any) -> list[dict[str, Any]]:
    """message_delta and message_stop."""
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7} | used},
        {"type": "message_stop"},
    ]


def events(*parts: dict[str, Any] | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events and lists of events as one list."""
    return [one for part in parts for one in (part if isinstance(part, list) else [part])]


def answer(*parts: dict[str, Any] | list[dict[str, Any]]) -> bytes:
    """A body."""
    return b"".join(named(one) for one in events(*parts))


def error(kind: str, message: str) -> dict[str, Any]:
    """An error as a body and as an event."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
