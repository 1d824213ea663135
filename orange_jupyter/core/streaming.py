"""Pieces of a reply on their way to the views: without secrets, which may come letter by letter (R-ALL-5)."""

from __future__ import annotations

import re
from collections.abc import Callable

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, Restarted, TextDelta

LONGEST = 400
"""Characters of one word that are held back at most; a key and its encodings are shorter."""

_LAST_WORD = re.compile(r"[!-~]*\Z")
"""Keys and their encodings are ASCII without blanks, so only the last such run can be the beginning of one."""


class MaskedStream:
    """Passes deltas on with secrets masked; a word that is being written waits until it is whole, or for `flush`."""

    def __init__(self, emit: Callable[[Delta], None], mask: Callable[[str], str]) -> None:
        self._emit = emit
        self._mask = mask
        self._held: TextDelta | ReasoningDelta | None = None

    def __call__(self, delta: Delta) -> None:
        """Take one delta."""
        match delta:
            case TextDelta() | ReasoningDelta():
                self._say(delta)
            case Restarted():
                self._held = None
                self._emit(delta.model_copy(update={"reason": self._mask(delta.reason)}))
            case ModelRetry():
                self.flush()
                self._emit(delta.model_copy(update={"reason": self._mask(delta.reason)}))
            case _:
                self._emit(delta)

    def flush(self) -> None:
        """Pass on what waits: nothing more comes to it."""
        held, self._held = self._held, None
        if held is not None and held.text:
            self._emit(held.model_copy(update={"text": self._mask(held.text)}))

    def _say(self, delta: TextDelta | ReasoningDelta) -> None:
        if self._held is not None and self._held.kind != delta.kind:
            self.flush()
        text = self._held.text + delta.text if self._held is not None else delta.text
        whole = _whole_words(text)
        self._held = delta.model_copy(update={"text": text[whole:]})
        if whole:
            self._emit(delta.model_copy(update={"text": self._mask(text[:whole])}))


def _whole_words(text: str) -> int:
    """How many characters of a text can be judged now."""
    last = _LAST_WORD.search(text)
    start = last.start() if last else len(text)
    return start if len(text) - start <= LONGEST else len(text) - LONGEST // 2
