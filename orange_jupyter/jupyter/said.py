"""Text of one step as a view keeps it: it grows by pieces, so that a long answer is never copied as a whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

PIECE = 65_536
"""Characters of a piece that does not change any more."""


@dataclass(frozen=True, slots=True)
class Said:
    """Text of one step. `done` is False while it streams; `head` are its full pieces, `before` their length."""

    step: int
    tail: str
    done: bool = False
    head: tuple[str, ...] = ()
    before: int = 0

    def __len__(self) -> int:
        """Characters of the whole."""
        return self.before + len(self.tail)

    def __bool__(self) -> bool:
        """A text is a text also when nothing was said yet."""
        return True

    @property
    def text(self) -> str:
        """The whole text; a copy while it streams."""
        return "".join((*self.head, self.tail)) if self.head else self.tail

    def grown(self, more: str) -> Said:
        """The text with more at its end."""
        tail = self.tail + more
        if len(tail) < PIECE:
            return replace(self, tail=tail)
        return replace(self, tail="", head=(*self.head, tail), before=self.before + len(tail))

    def between(self, start: int, end: int) -> str:
        """The characters from `start` to `end`, without a copy of the rest."""
        found = [self.tail[max(0, start - self.before) : max(0, end - self.before)]]
        place = self.before
        for piece in reversed(self.head):
            if place <= start:
                break
            place -= len(piece)
            if place < end:
                found.append(piece[max(0, start - place) : end - place])
        return "".join(reversed(found))

    def continues(self, earlier: Said) -> bool:
        """Whether this is the earlier text, with more at its end or nothing."""
        if self.head[: len(earlier.head)] == earlier.head and self.tail.startswith(earlier.tail):
            return True
        if self.head or len(self) < len(earlier):
            return self.between(0, len(earlier)) == earlier.text
        place = 0
        for piece in (*earlier.head, earlier.tail):
            if not self.tail.startswith(piece, place):
                return False
            place += len(piece)
        return True
