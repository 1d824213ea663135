"""What a tool puts forward: the file as it would be now, and the draft of an operation on it."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.hiding import NOTHING, Hide, Hider, carried, outputs, require_whole
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
from orange_jupyter.core.shapes import merged

Look = Callable[[Spot], Awaitable[TextNow]]
"""Reads a text file of the disk as it is now. Raises PathError, ReadError."""


@dataclass(frozen=True, slots=True)
class TextView:
    """A file with its pending operations done: `text` as it would be; `pending` are those on this text, in order.

    `base` and `now` are the disk's; of a file that is still to be created they are its proposed content's.
    """

    standing: Standing
    text: str = field(repr=False)
    base: TextBase
    now: TextNow = field(repr=False)
    pending: tuple[Proposal, ...] = ()

    def hidden(self, hide: Hide) -> tuple[Span, ...]:
        """The values that the disk's text hides, where they lie in this one; `hide` is for the name on the disk."""
        spans = tuple(hide(self.now.text))
        for one in self.pending:
            spans = carried(spans, one.splices)
        return spans

    def changed(self) -> tuple[Span, ...]:
        """Where the pending operations put something, or took something out."""
        spans: tuple[Span, ...] = ()
        for one in self.pending:
            spans = merged([*carried(spans, one.splices), *outputs(one.splices)])
        return spans

    @property
    def overlaid(self) -> bool:
        """Whether it differs from the disk (`pendingView`)."""
        return bool(self.pending) or self.standing.created is not None or bool(self.standing.through)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked of a text: exact edits, or whole content to append or rewrite with.

    An edit finds no place that touches a hidden value, and none that would let it be seen (R-READ-15, R-EDIT-6);
    `below` are those of the disk's text, where they lie now, and `changed` is where the text differs from the disk's.
    """

    kind: Kind
    edits: tuple[Edit, ...] = ()
    content: str = ""
    hide: Hider = NOTHING
    below: tuple[Span, ...] = ()
    changed: tuple[Span, ...] = ()

    def splices(self, text: str) -> Splices:
        """What it means in a text. Raises ChangeError no_match, not_unique, masked_text, nothing_to_do …"""
        hidden = merged([*self.hide.near(text, self.changed, self.below), *self.below])
        found = self._found(text, hidden)
        if hidden:
            values, places = carried(hidden, found), outputs(found)
            require_whole(spliced(text, found), values, lambda after: self.hide.near(after, places, values))
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
    size: int | None = None
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
