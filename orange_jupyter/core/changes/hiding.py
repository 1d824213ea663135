"""Hidden values through changes: they keep their place and stay hidden, whatever is around (R-READ-15, R-EDIT-6)."""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from orange_jupyter.core.changes.pieces import BASE, Pieces, Placed
from orange_jupyter.core.changes.splices import Splices, whole
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.masking import FindSecrets, Span, mask_file
from orange_jupyter.core.shapes import merged

Hide = Callable[[str], Sequence[Span]]
"""Finds the values in a file's whole text that are never shown to a model, as [start, end), in order."""

LONG = 200_000
_NEAR = 4_000
"""No shape but a private key's reaches farther (characters)."""


@dataclass(frozen=True, slots=True)
class Sourced:
    """A text, and where its characters come from."""

    text: str = field(repr=False)
    pieces: Pieces

    @classmethod
    def base(cls, text: str) -> Sourced:
        """A base text: it comes from itself."""
        return cls(text, whole(text))


@dataclass(frozen=True, slots=True)
class Hider:
    """What these names hide of a whole text, together, and what `find` finds: a link and its target may have different
    names."""

    find: FindSecrets
    names: tuple[str, ...] = ()

    def __call__(self, text: str) -> Sequence[Span]:
        """The stretches that a model is never shown, in order."""
        return merged([*self.find(text), *self._by_name(text)])

    def near(self, text: str, places: Sequence[Span], known: Sequence[Span]) -> Sequence[Span]:
        """The same for a text of which only `places` differ from one whose hidden stretches, now at `known`, are known.

        Of a long text only what is near those places is looked at, by lines; what is applied is looked at as a whole.
        """
        if len(text) <= LONG:
            return self(text)
        windows = _windows(text, places, known)
        far = (one for one in known if not any(start <= one[0] and one[1] <= end for start, end in windows))
        found = [(start + low, start + high) for start, end in windows for low, high in self.find(text[start:end])]
        return merged([*far, *found, *self._by_name(text)])

    def _by_name(self, text: str) -> list[Span]:
        return [span for name in self.names for span in mask_file(name, text, _no_shapes).spans]


def _windows(text: str, places: Sequence[Span], known: Sequence[Span]) -> list[Span]:
    """The lines around places, no hidden value cut; a line too long for that ends somewhere."""
    done: list[Span] = []
    for place in sorted(places):
        start, end = _widened(text, place, known)
        if done and start <= done[-1][1]:
            done[-1] = done[-1][0], max(done[-1][1], end)
        else:
            done.append((start, end))
    return done


def _widened(text: str, place: Span, known: Sequence[Span]) -> Span:
    low, high = place[0] - _NEAR, place[1] + _NEAR
    for start, end in known[bisect_right(known, low, key=lambda one: one[1]) :]:
        if start >= high:
            break
        low, high = min(low, start - _NEAR), max(high, end + _NEAR)
    low, high = max(low, 0), min(high, len(text))
    begin, stop = max(low - _NEAR, 0), min(high + _NEAR, len(text))
    line, after = text.rfind("\n", begin, low) + 1, text.find("\n", high, stop)
    return line or begin, stop if after < 0 else after


def _no_shapes(_: str) -> tuple[Span, ...]:
    return ()


NOTHING = Hider(_no_shapes)
"""For a text that nobody hides anything of."""


def hider(find: FindSecrets, *paths: str) -> Hider:
    """What is hidden in a text that goes by these paths."""
    return Hider(find, tuple(dict.fromkeys(posixpath.basename(path) for path in paths)))


def outputs(splices: Splices) -> list[Span]:
    """Where the splices' texts lie in the text after them, with the characters beside them."""
    grown = [0, *accumulate(len(one.text) - (one.end - one.start) for one in splices)]
    return [(max(one.start + by - 1, 0), one.start + by + len(one.text) + 1)
            for one, by in zip(splices, grown, strict=False)]  # fmt: skip


def carried(spans: Sequence[Span], splices: Splices) -> tuple[Span, ...]:
    """Where spans of a text lie after splices; one that a splice touches covers what came in its place."""
    return merged(_carried(one, splices) for one in spans)


def _carried(span: Span, splices: Splices) -> Span:
    start, end = span
    before = sum(len(one.text) - (one.end - one.start) for one in splices if one.end <= start)
    within = 0
    for one in splices:
        if one.start < end and one.end > start:
            start, end = min(start, one.start), max(end, one.end)
            within += len(one.text) - (one.end - one.start)
    return start + before, end + before + within


def require_whole(after: str, values: Sequence[Span], hide: Hide) -> None:
    """Raises ChangeError masked_text where a hidden value would stand open, or joined with other text."""
    now = set(hide(after))
    if not now.issuperset(values):
        raise opened()


def require_closed(before: Sourced, after: Sourced, hide: Hide, then: Hide | None = None) -> None:
    """The same for what is taken of several changes, wherever they put it: what is left of a value that was hidden
    before must be hidden after, by `then` (a new name's), and a whole one not joined with other text.

    Only its own characters count: the same ones elsewhere tell nobody anything, and what somebody writes is theirs.
    """
    values = tuple(hide(before.text))
    now = tuple((then or hide)(after.text)) if values else ()
    old, new = Placed(before.pieces), Placed(after.pieces)
    for value in values:
        left = _left(value, old, new)
        is_whole = len(left) == 1 and left[0][1] - left[0][0] == value[1] - value[0]
        if is_whole and left[0] not in now:
            raise opened()
        if not all(_covers(now, one) or after.text[slice(*one)].isspace() for one in left):
            raise opened()


def require_written_closed(before: Sourced, after: Sourced, hide: Hide) -> None:
    """That what changes had brought in, and was hidden with them, does not stand open when some are taken back.

    What the base text brought is `require_closed`'s: there it may have stood open all the time.
    """
    values = tuple(hide(before.text))
    now = tuple(hide(after.text)) if values else ()
    old, new = Placed(before.pieces), Placed(after.pieces)
    for value in values:
        left = [span for piece in old.between(*value) if piece.source != BASE for span in new.left(piece)]
        if not all(_covers(now, one) or after.text[slice(*one)].isspace() for one in left):
            raise opened()


def _left(value: Span, old: Placed, new: Placed) -> list[Span]:
    """Where what is left of a value lies in another text of the same sources; neighbours joined."""
    found: list[Span] = []
    for start, end in (span for piece in old.between(*value) for span in new.left(piece)):
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _covers(spans: Sequence[Span], one: Span) -> bool:
    number = bisect_right(spans, one[0], key=lambda span: span[0]) - 1
    return number >= 0 and spans[number][1] >= one[1]


def opened() -> ChangeError:
    """A change after which a model could read what is hidden from it."""
    return ChangeError(
        Code.MASKED_TEXT,
        "After this change a value that is hidden from the model would stand open, or be changed; it is not made.",
        hint="Leave the words right before and after the hidden value as they are; or edit the file yourself.",
    )
