"""Text that grows while an answer streams, told piece by piece; used by every adapter's folding."""

from __future__ import annotations

from collections.abc import Callable

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, TextDelta
from orange_jupyter.providers.strings import clean

Emit = Callable[[Delta | ModelRetry], None]
"""Takes what a listener sees at once."""


class Run:
    """Text that grows; a half of a character pair waits for its other half."""

    def __init__(self, delta: type[TextDelta] | type[ReasoningDelta], emit: Emit) -> None:
        self._delta = delta
        self._emit = emit
        self._pieces: list[str] = []
        self._half = ""

    @property
    def whole(self) -> str:
        """All of it so far."""
        return "".join(self._pieces)

    @property
    def begun(self) -> bool:
        """Whether a person has seen anything of it."""
        return bool(self._pieces)

    def add(self, text: str) -> None:
        """Take a piece and tell it, without NUL and lone surrogates."""
        if not text.isascii() or self._half or "\0" in text:
            text = self._half + text
            self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
            text = clean(text[:-1] if self._half else text)
        if text:
            self._pieces.append(text)
            self._emit(self._delta(text=text))

    def close(self) -> None:
        """The end: a half that still waits is dropped."""
        self._half = ""
