"""Takes control sequences out of what a command writes, whole, also when they come in pieces (E06). Pure."""

from __future__ import annotations

import re
from typing import Final

_CONTROL: Final = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""All controls but those that `settled` answers: backspace, tab, newline, carriage return."""
_CSI: Final = re.compile(r"[0-?]*[ -/]*")
_SELECTING: Final = re.compile(r"[ -/]*")
"""The middle of a sequence that selects something, as ESC ( B."""
_STRING_END: Final = re.compile(r"[\x07\x18\x1a\x1b\x9c\n]")
_BLOCK_END: Final = re.compile(r"[\x18\x1a\x1b\x9c]")
_C1: Final = {"\x90": "P", "\x98": "X", "\x9b": "[", "\x9d": "]", "\x9e": "^", "\x9f": "_"}
"""One-character introducers and what stands after ESC for the same."""
_LONGEST_STRING: Final = 65_536
"""Characters of a control string without an end; then it counts as none, or it would swallow all that follows."""
_LONGEST_CSI: Final = 256


class Controls:
    """Takes text piece by piece, gives it without sequences of ECMA-48: CSI, OSC, DCS, APC, PM, SOS, C0 and C1."""

    def __init__(self) -> None:
        self._held = ""
        self._string = ""
        """The kind of control string that was begun: `]` (OSC), another letter, or nothing."""
        self._length = 0

    def feed(self, text: str) -> str:
        """What of the text so far is text; the beginning of a sequence is held back."""
        text, self._held = self._held + text, ""
        pieces: list[str] = []
        at = 0
        while at < len(text):
            if self._string:
                at = self._through_string(text, at)
                continue
            found = _CONTROL.search(text, at)
            if found is None:
                pieces.append(text[at:])
                break
            pieces.append(text[at : found.start()])
            at = self._after(text, found.start(), pieces)
        return "".join(pieces)

    def _after(self, text: str, at: int, pieces: list[str]) -> int:
        """Where text goes on after the control at `at`."""
        kind = _C1.get(text[at])
        start = at + 1
        if text[at] == "\x1b":
            if start == len(text):
                self._held = text[at:]
                return start
            kind, start = text[start], start + 1
        if kind is None:
            if text[at] in "\x0b\x0c\x85":
                pieces.append("\n")
            return start
        return self._after_introducer(text, at, kind, start)

    def _after_introducer(self, text: str, at: int, kind: str, start: int) -> int:
        """Where text goes on after an introducer that ends at `start`; `kind` is what stands after ESC."""
        if kind in "]PX^_":
            self._string, self._length = kind, 0
            return start
        if kind == "[" or " " <= kind <= "/":
            found = (_CSI if kind == "[" else _SELECTING).match(text, start)
            end = found.end() if found else start
            if end == len(text):
                if end - at <= _LONGEST_CSI:
                    self._held = text[at:]
                return end
            return end + 1 if "0" <= text[end] <= "~" else end
        return start if "0" <= kind <= "~" else start - 1

    def _through_string(self, text: str, at: int) -> int:
        """Skip a control string; where it ends or the text does."""
        found = (_STRING_END if self._string == "]" else _BLOCK_END).search(text, at)
        end = len(text) if found is None else found.start()
        left = _LONGEST_STRING - self._length
        if end - at > left:
            self._string = ""
            return at + left
        self._length += end - at
        if found is None:
            return end
        if found.group() == "\x1b" and end + 1 == len(text):
            self._held = "\x1b"
            return end + 1
        self._string = ""
        if found.group() == "\n":
            return end
        if found.group() == "\x1b":  # ESC \ ends it; another sequence does too, and is read as one
            return end + 2 if text[end + 1] == "\\" else end
        return end + 1


def settled(line: str) -> str:
    """A line as a person sees it in the end: after its last carriage return, with backspaces done."""
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if part), "")
    if "\b" not in line:
        return line
    kept: list[str] = []
    for character in line:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


def plain(text: str) -> str:
    """A whole text without control sequences, each line in its last state."""
    text = Controls().feed(text)
    if "\r" not in text and "\b" not in text:
        return text
    return "\n".join(map(settled, text.split("\n")))
