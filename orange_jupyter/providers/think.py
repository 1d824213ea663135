"""Reasoning that a server leaves in the text as `<think>…</think>`, also when the tags are split (wire row 17)."""

from __future__ import annotations

from typing import Literal

_OPEN = "<think>"
_CLOSE = "</think>"


class ThinkSplitter:
    """Parts streamed text into (reasoning, visible). Only a tag at the very beginning counts."""

    def __init__(self) -> None:
        self._state: Literal["start", "inside", "after", "visible"] = "start"
        self._held = ""

    @property
    def over(self) -> bool:
        """Whether all further text is visible."""
        return self._state == "visible"

    def feed(self, text: str) -> tuple[str, str]:
        """Reasoning and visible text that are certain now."""
        if self.over:
            return "", text
        text = self._held + text
        self._held = ""
        if self._state == "start":
            return self._start(text)
        return self._inside(text)

    def end(self) -> tuple[str, str]:
        """What was held back."""
        held, self._held = self._held, ""
        return (held, "") if self._state == "inside" else ("", held)

    def _start(self, text: str) -> tuple[str, str]:
        begun = text.lstrip()
        if begun.startswith(_OPEN):
            self._state = "inside"
            return self._inside(begun[len(_OPEN) :])
        if _OPEN.startswith(begun):
            self._held = text
            return "", ""
        self._state = "visible"
        return "", text

    def _inside(self, text: str) -> tuple[str, str]:
        reasoning, mark, rest = text.partition(_CLOSE)
        if mark:
            self._state = "after"
            return reasoning, self._after(rest)
        if self._state == "after":
            return "", self._after(text)
        keep = _overlap(text)
        self._held = text[len(text) - keep :] if keep else ""
        return text[: len(text) - keep], ""

    def _after(self, text: str) -> str:
        """The answer without the blank lines that follow the closing tag."""
        text = text.lstrip()
        if text:
            self._state = "visible"
        return text


def _overlap(text: str) -> int:
    """How many characters at the end may be the beginning of the closing tag."""
    for length in range(min(len(_CLOSE) - 1, len(text)), 0, -1):
        if _CLOSE.startswith(text[-length:]):
            return length
    return 0
