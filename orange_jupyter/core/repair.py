"""Makes any stored transcript well-formed before it is sent (R-SESS-2, wire row 14). Pure and idempotent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.messages import Image, Message, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.result import as_json, clip, failure

INTERRUPTED = "Interrupted: no result."


def repair(messages: Iterable[Message]) -> tuple[Message, ...]:
    """Every call gets exactly one result before the next user or assistant message, in the order of emission.

    A missing result becomes "interrupted", an orphan or second result is dropped, an empty assistant message too.
    repair(repair(x)) == repair(x).
    """
    repaired: list[Message] = []
    waiting: tuple[ToolCall, ...] = ()
    results: dict[str, ToolResult] = {}
    for message in messages:
        if message.role is Role.TOOL:
            _collect(message, waiting, results)
            continue
        repaired.extend(_results(waiting, results))
        waiting, results = _unique(message.calls), {}
        if message.parts or message.role is not Role.ASSISTANT:
            repaired.append(_without_repeated_calls(message, waiting))
    repaired.extend(_results(waiting, results))
    return tuple(repaired)


def interrupted(call: ToolCall) -> ToolResult:
    """The result of a call whose own never came."""
    return failed(call, RunError(Code.CANCELLED, INTERRUPTED))


def failed(call: ToolCall, error: RunError) -> ToolResult:
    """The result of a call that did not run."""
    return ToolResult(call_id=call.id, name=call.name, content=as_json(failure(error)), ok=False)


def _collect(message: Message, waiting: Sequence[ToolCall], results: dict[str, ToolResult]) -> None:
    wanted = {call.id for call in waiting}
    for part in message.parts:
        if isinstance(part, ToolResult) and part.call_id in wanted:
            results.setdefault(part.call_id, part)


def _results(waiting: Sequence[ToolCall], results: dict[str, ToolResult]) -> list[Message]:
    return [Message(role=Role.TOOL, parts=(results.get(call.id) or interrupted(call),)) for call in waiting]


def _unique(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    first: dict[str, ToolCall] = {}
    for call in calls:
        first.setdefault(call.id, call)
    return tuple(first.values())


def _without_repeated_calls(message: Message, unique: Sequence[ToolCall]) -> Message:
    if len(unique) == len(message.calls):
        return message
    seen: set[str] = set()
    kept = []
    for part in message.parts:
        if isinstance(part, ToolCall):
            if part.id in seen:
                continue
            seen.add(part.id)
        kept.append(part)
    return message.model_copy(update={"parts": tuple(kept)})


def without_pictures(message: Message) -> Message:
    """The message with a note in place of each picture: from the next turn on pixels are not sent again (R-CTX-3)."""
    parts = [_noted(part) if isinstance(part, Image) else part for part in message.parts]
    plain = [_result_noted(part) if isinstance(part, ToolResult) and part.images else part for part in parts]
    return message.model_copy(update={"parts": tuple(plain)})


def _noted(image: Image) -> Text:
    about = f", {image.caption}" if image.caption else ""
    return Text(text=f"[A picture was shown here: {image.picture_id}{about}. Read it again to look at it.]")


def _result_noted(result: ToolResult) -> ToolResult:
    """The result with `picturesShownBefore` in its envelope, which stays within its bound (R-CTX-2)."""
    shown = [f"{image.picture_id}, {image.caption}" if image.caption else image.picture_id for image in result.images]
    note = {"picturesShownBefore": shown, "pictureHint": "These pictures are not sent again: read them to look again."}
    try:
        whole = json.loads(result.content)
    except ValueError:
        whole = None
    if not isinstance(whole, dict):
        whole = {"content": result.content}
    return result.model_copy(update={"images": (), "content": clip(whole | note, ref=None).text})
