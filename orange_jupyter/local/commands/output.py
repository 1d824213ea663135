"""What a command wrote as text: the whole at its end, and pieces while it runs. Pure."""

from __future__ import annotations

import codecs
from typing import Final

from orange_jupyter.local.commands.controls import Controls, plain, settled

_LONGEST_LINE: Final = 16_384
"""Characters of an unfinished line that are kept to be overwritten; a longer one counts as finished."""
_CHANGE_SECONDS: Final = 1.0
"""A line that overwrites itself (a progress bar) is shown anew at most so often."""


def whole(head: bytes, tail: bytes, count: int) -> str:
    """The text of a stream of `count` bytes of which head and tail were kept; a line says how many are left out."""
    if count <= len(head) + len(tail):
        return plain((head + tail).decode("utf-8", "replace"))
    head, tail = _whole_end(head), _whole_start(tail)
    left_out = f"[… {count - len(head) - len(tail):,} bytes left out …]"
    first, last = (plain(part.decode("utf-8", "replace")) for part in (head, tail))
    return f"{first}{_break_after(first)}{left_out}\n{last}"


class LivePieces:
    """Pieces of one stream as they are shown while the command runs: what was said stays, an overwritten line follows.

    A line that overwrites itself is shown first, at most once a second while it changes, and in its last state.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._controls = Controls()
        self._line = ""
        self._shown = ""
        """The part of the current line that was said."""
        self._shown_at = float("-inf")

    def feed(self, skipped: int, data: bytes, now: float) -> str:
        """The text to show for a piece; `skipped` bytes before it were not sent. `now` in seconds of any clock."""
        before = ""
        if skipped:
            rest = data.partition(b"\n")[2] or data  # the line was cut, perhaps in a sequence
            left_out = skipped + len(data) - len(rest)
            before = ("\n" if self._shown else "") + f"[… {left_out:,} bytes not shown while it runs …]\n"
            self._decoder.reset()
            self._controls = Controls()
            self._line = self._shown = ""
            data = rest
        return before + self._said(self._controls.feed(self._decoder.decode(data)), now)

    def finish(self, now: float) -> str:
        """What of the last line was held back."""
        self._shown_at = float("-inf")
        return self._said(self._decoder.decode(b"", final=True), now)

    def _said(self, text: str, now: float) -> str:
        *lines, self._line = (self._line + text).split("\n")
        pieces: list[str] = []
        for line in lines:
            pieces += [self._more(settled(line)), "\n"]
            self._shown = ""
        current = settled(self._line)
        if current.startswith(self._shown) or now >= self._shown_at + _CHANGE_SECONDS:
            pieces.append(self._more(current))
            self._shown, self._shown_at = current, now
        if len(self._line) > _LONGEST_LINE:
            self._line = self._shown = ""
        return "".join(pieces)

    def _more(self, line: str) -> str:
        """What is to be said of a line after what was said of it."""
        if line.startswith(self._shown):
            return line[len(self._shown) :]
        return "\n" + line


def _break_after(text: str) -> str:
    return "\n" if text and not text.endswith("\n") else ""


def _whole_end(data: bytes) -> bytes:
    """Without the first bytes of a character that is cut off at the end."""
    for length in range(1, min(4, len(data) + 1)):
        if data[-length] >= 0xC0:
            needed = 2 if data[-length] < 0xE0 else 3 if data[-length] < 0xF0 else 4
            return data[:-length] if length < needed else data
        if data[-length] < 0x80:
            return data
    return data


def _whole_start(data: bytes) -> bytes:
    """Without the last bytes of a character that is cut off at the start."""
    at = 0
    while at < min(3, len(data)) and 0x80 <= data[at] < 0xC0:
        at += 1
    return data[at:]
