"""What a tool puts forward: the file as it would be now, and the draft of an operation on it."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.matching import Edit, appended, replacement, replacements
from orange_jupyter.core.changes.overlay import Standing
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.ports import TextNow
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.splices import Splices, spliced
from orange_jupyter.core.changes.values import Kind, Proposal, Spot, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.masking import Span

Look = Callable[[Spot], Awaitable[TextNow]]
"""Reads a text file of the disk as it is now. Raises PathError, ReadError."""


@dataclass(frozen=True, slots=True)
class TextView:
    """A file with its pending operations done: `text` as it would be; `pending` are those on this text, in order.

    `base` and `data` are the disk's; of a file that is still to be created they are its proposed content's.
    """

    standing: Standing
    text: str = field(repr=False)
    base: TextBase
    data: bytes = field(repr=False)
    pending: tuple[Proposal, ...] = ()

    @property
    def overlaid(self) -> bool:
        """Whether it differs from the disk (`pendingView`)."""
        return bool(self.pending) or self.standing.created is not None or bool(self.standing.through)


Hide = Callable[[str], Sequence[Span]]
"""Finds the values in a file's whole text that are never shown to a model, as [start, end)."""


def nothing_hidden(_: str) -> Sequence[Span]:
    """For what a person does themselves."""
    return ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a text: exact edits, or whole content to append or rewrite with.

    An edit finds no place that touches a hidden value, and none that would let it be seen (R-READ-15, R-EDIT-6).
    """

    kind: Kind
    edits: tuple[Edit, ...] = ()
    content: str = ""
    hide: Hide = nothing_hidden

    def splices(self, text: str) -> Splices:
        """What it means in a text. Raises ChangeError no_match, not_unique, masked_text, nothing_to_do …"""
        hidden = self.hide(text)
        found = self._found(text, hidden)
        if hidden:
            _require_hidden(spliced(text, found), [_shifted(one, found) for one in hidden], self.hide)
        return found

    def _found(self, text: str, hidden: Sequence[Span]) -> Splices:
        match self.kind:
            case Kind.REPLACE:
                return (replacement(text, self.edits[0], hidden),)
            case Kind.MULTI_REPLACE:
                return replacements(text, self.edits, hidden)
            case Kind.APPEND:
                return (appended(text, self.content),)
            case _ if hidden:
                raise ChangeError(
                    Code.MASKED_TEXT,
                    "The file holds values that are hidden from you, so it is not rewritten as a whole.",
                    hint="Use replace or multi_replace beside them; the values stay.",
                )
            case _:
                return rewritten(text, self.content)


def _shifted(span: Span, splices: Splices) -> Span:
    by = sum(len(one.text) - (one.end - one.start) for one in splices if one.end <= span[0])
    return span[0] + by, span[1] + by


def _require_hidden(after: str, values: Sequence[Span], hide: Hide) -> None:
    """Raises ChangeError masked_text where a hidden value would stand open in the text after the change."""
    now = hide(after)
    for start, end in values:
        number = bisect_right(now, start, key=lambda one: one[0]) - 1
        if number < 0 or now[number][1] < end:
            raise ChangeError(
                Code.MASKED_TEXT,
                "After this change a value that is hidden from you would stand open; it is not made.",
                hint="Leave the words right before and after the hidden value as they are.",
            )


@dataclass(frozen=True, slots=True)
class Draft:
    """An operation before it has an id. `path` and `destination` are as shown to people."""

    kind: Kind
    knowledge_base_id: str
    path: str
    spot: Spot
    summary: str
    destination: str | None = None
    target: Spot | None = None
    chars: tuple[int, int] = (0, 0)
    affected_files: int = 1
    warnings: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    content: str | None = None
    fingerprint: str = ""
    turn_id: str = ""
    child: str | None = None
    change_set_id: str | None = None


def base_of(now: TextNow) -> TextBase:
    """The base that splices are written against. Raises ChangeError encoding_unknown if it cannot be written back."""
    fits = not now.uncertain and now.bom + now.text.encode(now.encoding, "surrogatepass") == now.data
    if not fits:
        raise ChangeError(
            Code.ENCODING_UNKNOWN,
            f"The file was read as {now.encoding}, which is a guess or not exact; it is not edited.",
            hint="The person can set the knowledge base's `encoding`, or save the file as UTF-8.",
        )
    return TextBase(sha256=hashlib.sha256(now.data).hexdigest(), encoding=now.encoding, bom=now.bom.hex())


def summary_of(kind: Kind, splices: tuple[Splice, ...], text: str) -> str:
    """A text operation in a few words: how much goes and comes. It holds no text of the file."""
    gone = sum(one.end - one.start for one in splices)
    come = sum(len(one.text) for one in splices)
    where = f"line {text.count(chr(10), 0, splices[0].start) + 1}" if splices else "nowhere"
    places = f"{len(splices)} places from {where}" if len(splices) > 1 else where
    return f"{str(kind).replace('_', ' ')}: {places}, {gone:,} characters out, {come:,} in"
