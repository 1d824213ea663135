"""Pieces of a reply on their way to the views: without secrets, which may come letter by letter (R-ALL-5)."""

from __future__ import annotations

import re
from collections.abc import Callable

from orange_jupyter.core.deltas import Delta, ModelRetry, ReasoningDelta, Restarted, TextDelta

LONGEST = 400
"""Characters of one word that are held back at most; a key and its encodings are shorter."""

AROUND = 120
"""Characters before a word that are looked at with it."""

_INK = "".join(map(chr, range(0x21, 0x7F)))
"""Keys and their encodings are ASCII without blanks, so only the last run of these can be the beginning of one."""


_LONG_WORD = re.compile(r"[!-~]{6}")
"""Shorter values are never masked (core.masking): most pieces of a text need no closer look."""


class MaskedStream:
    """Passes deltas on with secrets masked; a word that is being written waits until it is whole, or for `flush`."""

    def __init__(self, emit: Callable[[Delta], None], mask: Callable[[str], str]) -> None:
        self._emit = emit
        self._mask = mask
        self._held = ""
        self._before = ""
        self._kind: type[TextDelta] | type[ReasoningDelta] = TextDelta

    def __call__(self, delta: Delta) -> None:
        """Take one delta."""
        match delta:
            case TextDelta() | ReasoningDelta():
                self._say(delta)
            case Restarted():
                self._held = self._before = ""
                self._emit(delta.model_copy(update={"reason": self._mask(delta.reason)}))
            case ModelRetry():
                self.flush()
                self._emit(delta.model_copy(update={"reason": self._mask(delta.reason)}))
            case _:
                self._emit(delta)

    def flush(self) -> None:
        """Pass on what waits: nothing more comes to it."""
        held, self._held = self._held, ""
        self._pass(held)

    def _say(self, delta: TextDelta | ReasoningDelta) -> None:
        if type(delta) is not self._kind:
            self.flush()
            self._before = ""
            self._kind = type(delta)
        text = self._held + delta.text
        whole = _whole_words(text)
        self._held = text[whole:]
        self._pass(text[:whole])

    def _pass(self, text: str) -> None:
        if text:
            self._emit(self._kind(text=self._masked(text) if _LONG_WORD.search(text) else text))
            self._before = (self._before + text)[-AROUND:]

    def _masked(self, text: str) -> str:
        """Masked as it would be behind what came before: "my key is" makes a key of the next word."""
        before = self._mask(self._before)
        whole = self._mask(self._before + text)
        return whole[len(before) :] if whole.startswith(before) else self._mask(text)


def _whole_words(text: str) -> int:
    """How many characters of a text can be judged now."""
    start = len(text.rstrip(_INK))
    return start if len(text) - start <= LONGEST else len(text) - LONGEST // 2
