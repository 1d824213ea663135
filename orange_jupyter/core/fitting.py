"""What a request weighs, and which pictures of the turn that runs give way when it is too heavy (R-CTX-3). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from orange_jupyter.core.messages import Image, Message, Reasoning, Role, Text, ToolCall, ToolResult
from orange_jupyter.core.repair import without_pictures
from orange_jupyter.core.result import as_json

PICTURE_TOKENS = 1_200
THINNED = (
    "Earlier pictures of this turn were taken out of the request: the model's window is too small for all of them."
)


def fitted(current: Sequence[Message], room: int) -> tuple[Message, ...]:
    """The turn's messages in `room` tokens: where they are too many, notes stand for pictures (R-CTX-3).

    The oldest pictures of the tools go first, then the person's, last those that the model has not seen yet, and never
    those of the newest message. The turn is gone through as it grew, and the tools' old pictures free a quarter of the
    room at a time: what was taken out for one request is out in all later ones, and the start of the request stays as
    it is for a while. The result may still be too long.
    """
    fitting: list[Message] = []
    size = seen = 0
    for message in current:
        size += weight((message,))
        for index in _in_order(fitting, seen) if size > room else ():
            spare = index < seen and fitting[index].role is Role.TOOL
            if size <= (room * 3 // 4 if spare else room):
                break
            size -= weight((fitting[index],))
            fitting[index] = without_pictures(fitting[index])
            size += weight((fitting[index],))
        fitting.append(message)
        if message.role is Role.ASSISTANT:
            seen = len(fitting)
    return tuple(fitting)


def pictures(messages: Sequence[Message]) -> int:
    """How many pictures they hold."""
    parts = [part for message in messages for part in message.parts]
    held = sum(len(part.images) for part in parts if isinstance(part, ToolResult))
    return held + sum(isinstance(part, Image) for part in parts)


def weight(messages: Sequence[Message]) -> int:
    """An estimate of their tokens, on the safe side."""
    return sum(4 + sum(_estimate(part) for part in message.parts) for message in messages)


def tokens(text: str) -> int:
    """An estimate on the safe side: about 3.5 Latin characters a token, one Chinese character each (wire row 29)."""
    latin = sum(1 for character in text if character < "\u2e80")
    return int(latin / 3.5) + (len(text) - latin) + 1


def _in_order(messages: Sequence[Message], seen: int) -> list[int]:
    """The messages with pictures, those to take them from first in front; the model has seen the first `seen`."""
    holding = [index for index, message in enumerate(messages) if pictures((message,))]
    return sorted(holding, key=lambda index: (index >= seen, messages[index].role is Role.USER))


def _estimate(part: Text | Reasoning | Image | ToolCall | ToolResult) -> int:
    match part:
        case Text() | Reasoning():
            return tokens(part.text)
        case Image():
            return PICTURE_TOKENS
        case ToolCall():
            return 8 + tokens(part.raw or as_json(part.arguments))
        case ToolResult():
            return 8 + tokens(part.content) + PICTURE_TOKENS * len(part.images)
