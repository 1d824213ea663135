"""What goes to the listeners at once and is not durable by itself: pieces of a stream, retries, progress."""

from __future__ import annotations

from typing import Literal

from orange_jupyter.core.messages import Value


class TextDelta(Value):
    """A piece of visible text as it streams."""

    kind: Literal["text_delta"] = "text_delta"
    text: str


class ReasoningDelta(Value):
    """A piece of reasoning as it streams."""

    kind: Literal["reasoning_delta"] = "reasoning_delta"
    text: str


class Restarted(Value):
    """The step is restarted openly: the text so far is dropped and no tool of it ran (wire row 23)."""

    kind: Literal["restarted"] = "restarted"
    reason: str


class ModelRetry(Value):
    """The model server failed before the first byte; the next try comes in `seconds`."""

    kind: Literal["model_retry"] = "model_retry"
    attempt: int
    of: int
    seconds: float
    reason: str


class Progress(Value):
    """Something long moves on: `done` of `total` (None: unknown), for instance files indexed."""

    kind: Literal["progress"] = "progress"
    what: str
    done: int
    total: int | None = None
    detail: str = ""
    call_id: str | None = None


class Output(Value):
    """The newest of what a call writes while it runs, masked: it takes the place of the last one.

    `left_out` counts the lines that stood before it.
    """

    kind: Literal["output"] = "output"
    call_id: str
    text: str
    left_out: int = 0


Delta = TextDelta | ReasoningDelta | Restarted | ModelRetry | Progress | Output
"""What goes to the listeners at once and is not durable by itself."""
