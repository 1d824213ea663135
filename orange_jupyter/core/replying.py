"""One reply as it comes in: its visible text kept while it streams, never larger than a person could read (U10)."""

from __future__ import annotations

from collections.abc import Callable

from orange_jupyter.core.deltas import Delta, ReasoningDelta, Restarted, TextDelta
from orange_jupyter.core.errors import ModelError, ModelFault
from orange_jupyter.core.messages import Finish, Reply, Request, Text
from orange_jupyter.core.ports import Model

MOST_CHARACTERS = 2_000_000
"""Four times what the largest output limits of today's models hold; a server that sends more is broken."""
_OVERLONG = f"The answer passed {MOST_CHARACTERS:,} characters and was cut there."
_CUT = "The answer was cut at the model's output limit: ask it to go on, or set a larger max_output."


class _Overlong(Exception):
    """The reply passed MOST_CHARACTERS."""


async def respond(model: Model, request: Request, pieces: list[str], shown: Callable[[Delta], None]) -> Reply:
    """Ask for a reply; its text is in `pieces` while it comes, and what the views get goes to `shown`.

    Beyond MOST_CHARACTERS the stream is left and the reply ends there, with a notice. Raises ModelError.
    """
    size = 0

    def emit(delta: Delta) -> None:
        nonlocal size
        match delta:
            case TextDelta():
                pieces.append(delta.text)
                size += len(delta.text)
            case ReasoningDelta():
                size += len(delta.text)
            case Restarted():
                pieces.clear()
                size = 0
            case _:
                pass
        shown(delta)
        if size > MOST_CHARACTERS:
            raise _Overlong

    try:
        return await model.respond(request, emit)
    except _Overlong:
        text = "".join(pieces)[:MOST_CHARACTERS]
        text = text[: text.rfind(" ", MOST_CHARACTERS - 500) + 1] or text  # no half of a word that must be hidden
        parts = (Text(text=text),) if text else ()
        return Reply(parts=parts, finish=Finish.LENGTH, model=model.info.name, notices=(_OVERLONG,))


def told_of(reply: Reply) -> tuple[str, ...]:
    """What a person must be told about a reply: its own notices, and that it was cut (wire row 11)."""
    calls = any(part.kind == "tool_call" for part in reply.parts)
    cut = reply.finish is Finish.LENGTH and not calls and _OVERLONG not in reply.notices
    return (*reply.notices, _CUT) if cut else reply.notices


def filtered() -> ModelError:
    """The end of a turn whose answer a content filter cut; what was said stays (R-MOD-4)."""
    return ModelError(
        ModelFault.CONTENT_FILTER,
        "The model server's content filter stopped the answer there.",
        hint="Ask in other words, or use another model.",
    )


def cut_again() -> ModelError:
    """The end of a turn whose tool calls were cut as often as malformed ones may be repaired (wire row 11)."""
    return ModelError(
        ModelFault.SERVER_ERROR,
        "The model's tool calls were cut at its output limit three times in a row.",
        hint="Set a larger max_output for it, or ask for less at once.",
    )


def used_up() -> ModelError:
    """The end of a turn whose model reached its output limit before it said anything."""
    return ModelError(
        ModelFault.SERVER_ERROR,
        "The model reached its output limit before it answered; its reasoning may have used it up.",
        hint="Set a larger max_output for it, or ask for less at once.",
    )
