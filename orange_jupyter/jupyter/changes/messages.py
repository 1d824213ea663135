"""What a person does in a review, parsed once from the front end's message; anything else is None (R-APPR-3)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from orange_jupyter.core.changes.values import Choice, HunkChoice

MOST_OPERATIONS = 10_000
MOST_CHARACTERS = 20_000_000
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,100}", re.ASCII)
WAYS = frozenset({"again", "overwrite", "drop", "elsewhere"})
_UNFOLD = frozenset({"first", "all", "more", "open", "fold"})


@dataclass(frozen=True, slots=True)
class Rendered:
    """A view was drawn and knows nothing yet."""


@dataclass(frozen=True, slots=True)
class Selected:
    """What is ticked now, kept for a view that is drawn anew; nothing else follows from it."""

    state: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unfold:
    """More or less of a diff was asked for."""

    operation_id: str
    how: str


@dataclass(frozen=True, slots=True)
class Form:
    """Unified or side by side."""

    split: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """Edit was pressed on a hunk: its after-text is wanted."""

    operation_id: str
    digest: str
    hunk: int


@dataclass(frozen=True, slots=True)
class Keep:
    """A person's after-text of a hunk, None for the proposal's again."""

    operation_id: str
    digest: str
    hunk: int
    text: str | None


@dataclass(frozen=True, slots=True)
class Apply:
    """Apply these, as they were shown."""

    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Reject:
    """Reject these; (id, digest)."""

    operations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo these; (id, digest)."""

    operations: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class WayOut:
    """A way out of a conflict: again, overwrite, drop, elsewhere (with `name`)."""

    operation_id: str
    digest: str
    way: str
    name: str = ""


Decision = Apply | Reject | Undo | WayOut
Message = Rendered | Selected | Unfold | Form | Edit | Keep | Decision


def parse(content: Mapping[str, Any]) -> Message | None:
    """The message in what the front end sent, or None."""
    match content:
        case {"type": "rendered" | "selected"}:
            kept = content.get("state")
            return Selected(kept) if isinstance(kept, dict) else Rendered()
        case {"type": "unfold", "op": str() as name, "how": str() as how} if _ID.fullmatch(name) and how in _UNFOLD:
            return Unfold(name, how)
        case {"type": "form", "split": bool() as split}:
            return Form(split)
        case {"type": "edit" | "keep"}:
            return _hunk(content)
        case {"type": "apply" | "reject" | "undo", "operations": list() as some}:
            return _decision(str(content["type"]), some)
        case {"type": "way", "op": str() as name, "digest": str() as digest, "way": str() as way}:
            return _way(content, (name, digest, way))
        case _:
            return None


def _hunk(content: Mapping[str, Any]) -> Edit | Keep | None:
    match content:
        case {"op": str() as name, "digest": str() as digest, "hunk": int() as hunk} if _ID.fullmatch(name):
            if content["type"] == "edit":
                return Edit(name, digest, hunk)
            words = content.get("text")
            if words is None or (isinstance(words, str) and len(words) <= MOST_CHARACTERS):
                return Keep(name, digest, hunk, words)
    return None


def _way(content: Mapping[str, Any], what: tuple[str, str, str]) -> WayOut | None:
    name, digest, way = what
    where = content.get("name", "")
    if way not in WAYS or not _ID.fullmatch(name) or not isinstance(where, str) or len(where) > 4096:
        return None
    return WayOut(name, digest, way, where)


def _decision(kind: str, some: list[Any]) -> Apply | Reject | Undo | None:
    choices = [_choice(one) for one in some[:MOST_OPERATIONS]]
    names = {one.operation_id for one in choices if one is not None}
    whole = [one for one in choices if one is not None]
    if not whole or len(names) != len(some):
        return None  # one that is not understood, or named twice: none of it counts
    if kind == "apply":
        return Apply(tuple(whole))
    pairs = tuple((one.operation_id, one.digest) for one in whole)
    return Reject(pairs) if kind == "reject" else Undo(pairs)


def _choice(one: object) -> Choice | None:
    match one:
        case {"op": str() as name, "digest": str() as digest, "hunks": list() as hunks} if _ID.fullmatch(name):
            found = hunks
        case _:
            return None
    try:
        read = tuple(HunkChoice.model_validate(each, strict=True) for each in found)
    except ValidationError:
        return None
    return Choice(operation_id=name, digest=digest, hunks=read)
