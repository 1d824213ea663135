"""What a command writes, on its way to the person while it runs: the newest lines, masked, a few times a second."""

from __future__ import annotations

import asyncio
from typing import Final

from orange_jupyter.core.masking import MASK, FindSecrets
from orange_jupyter.core.running import Stream
from orange_jupyter.core.tool import ShowOutput

INTERVAL: Final = 0.1
"""Seconds between two showings: at most ten a second (R-EXEC-11 asks for at most twenty)."""
QUIET: Final = 0.6
"""Seconds without output after which an unfinished word is shown too: until then it may become a key."""
LINES: Final = 100
CHARACTERS: Final = 8_000
KEPT: Final = 32_000
"""Characters that are looked at for secrets: one that began above what is shown is found too."""
_WORD: Final = 400


class LiveOutput:
    """Takes pieces as they come and shows the newest. Used on one loop; `close` shows nothing more."""

    def __init__(self, show: ShowOutput, find_secrets: FindSecrets) -> None:
        self._show = show
        self._find = find_secrets
        self._texts = dict.fromkeys(Stream, "")
        self._dropped = dict.fromkeys(Stream, 0)
        self._merged = ""
        self._lines = 0
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, stream: Stream, piece: str) -> None:
        """Take a piece."""
        whole = self._texts[stream] + piece
        self._dropped[stream] += max(0, len(whole) - KEPT)
        self._texts[stream] = whole[-KEPT:]
        self._merged += piece
        gone = len(self._merged) - 2 * KEPT
        if gone > 0:
            gone += KEPT
            self._lines += self._merged.count("\n", 0, gone)
            self._merged = self._merged[gone:]
        if self._timer is None or self._timer.when() - asyncio.get_running_loop().time() > INTERVAL:
            self._later(INTERVAL, quiet=False)

    def close(self) -> None:
        """Show nothing more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def so_far(self) -> dict[str, object]:
        """What was heard, as the envelope of a command that was stopped has it: of much only the newest."""
        return {
            "stdout": self._texts[Stream.STDOUT],
            "stderr": self._texts[Stream.STDERR],
            "truncated": any(self._dropped.values()),
        }

    def _later(self, seconds: float, *, quiet: bool) -> None:
        self.close()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._flush, quiet)

    def _flush(self, quiet: bool) -> None:
        self._timer = None
        text = self._merged[-KEPT:]
        shown = text if quiet else _whole_words(text)
        self._show(*_newest(_masked(shown, self._find), self._lines + self._merged.count("\n", 0, -KEPT)))
        if shown != text:
            self._later(QUIET, quiet=True)


def _masked(text: str, find: FindSecrets) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in find(text):
        pieces += [text[at:start], MASK]
        at = end
    return "".join([*pieces, text[at:]])


def _newest(text: str, before: int) -> tuple[str, int]:
    """The last lines, and how many stand before them."""
    lines = text[-CHARACTERS:].split("\n")[-LINES:]
    shown = "\n".join(lines)
    return shown, before + text.count("\n", 0, len(text) - len(shown))


def _whole_words(text: str) -> str:
    cut = len(text.rstrip("".join(map(chr, range(0x21, 0x7F)))))
    return text[:cut] if len(text) - cut <= _WORD else text
