r"""Exact matching: what `oldText` means in a file, and the replacement in the file's own line endings (R-EDIT-1, -2).

A `\n` that was given matches `\n` and `\r\n`; everything else is compared code point by code point. There is no
approximate match: a miss is an error with hints (`near`), never an edit somewhere near.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from orange_jupyter.core.changes.near import near_misses
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError
from orange_jupyter.core.masking import Masked, Span
from orange_jupyter.core.messages import Value

_LINE_END = re.compile(r"\r\n|\n")
_GIVEN_END = re.compile(r"(?<!\r)(?:\r\n|\n)")  # a CR before a CRLF is none of its own: it would become one
_LF = re.compile(r"((?<!\r)\n)")
_ENDING = r"(?:\r\n|(?<!\r)\n)"


class Edit(Value):
    """One exact replacement; `occurrence` counts from 1, None means that it must be the only one."""

    old_text: str
    new_text: str
    occurrence: int | None = None


def replacement(text: str, edit: Edit, hidden: Sequence[Span] = ()) -> Splice:
    """The splice of one edit.

    Raises ChangeError no_match, not_unique, occurrence_out_of_range, nothing_to_do, invalid_argument (no oldText).
    """
    if not edit.old_text:
        raise ChangeError(
            Code.INVALID_ARGUMENT,
            "oldText is empty; nothing was changed.",
            hint="Give the text to replace exactly as it stands, or use append or rewrite.",
        )
    if edit.old_text == edit.new_text:
        raise ChangeError(Code.NOTHING_TO_DO, "oldText and newText are the same; nothing would change.")
    found = [one for one in occurrences(text, edit.old_text) if not _touches(one, hidden)]
    start, end = _chosen(Masked(text, tuple(hidden)).covered if hidden else text, edit, found)
    new = fitted(text, (start, end), edit.new_text)
    if new == text[start:end]:
        raise ChangeError(Code.NOTHING_TO_DO, "The file already says that; nothing would change.")
    return Splice(start=start, end=end, text=new)


def replacements(text: str, edits: Sequence[Edit], hidden: Sequence[Span] = ()) -> tuple[Splice, ...]:
    """All of them, each matched against `text` itself, or none. Raises as `replacement`, and overlapping_edits."""
    found: list[tuple[Splice, int]] = []
    for number, edit in enumerate(edits, 1):
        try:
            found.append((replacement(text, edit, hidden), number))
        except ChangeError as error:
            details = {**error.details, "edit": number}
            raise ChangeError(error.code, f"Edit {number}: {error.message}", hint=error.hint, details=details) from None
    found.sort(key=lambda one: (one[0].start, one[0].end))
    for (one, first), (other, second) in pairwise(found):
        if other.start < one.end:
            low, high = sorted((first, second))
            raise ChangeError(
                Code.OVERLAPPING_EDITS,
                f"Edits {low} and {high} replace the same text in line {line_of(text, other.start)}; nothing changed.",
                hint="Make one edit of the two.",
                details={"edits": [low, high]},
            )
    return tuple(one for one, _ in found)


def appended(text: str, content: str) -> Splice:
    """`content` at the end in the file's line endings, with no newline added. Raises ChangeError nothing_to_do."""
    if not content:
        raise ChangeError(Code.NOTHING_TO_DO, "content is empty; nothing would change.")
    return Splice(start=len(text), end=len(text), text=fitted(text, (len(text), len(text)), content))


def occurrences(text: str, old: str) -> list[tuple[int, int]]:
    """Where `old` stands, as [start, end), overlapping ones too."""
    if "\r\n" not in text or not _LF.search(old):
        return [(at, at + len(old)) for at in _places(text, old)]
    if "\r" in old:
        units = [_ENDING if one == "\n" else re.escape(one) for one in _LF.split(old) if one]
        return [found.span(1) for found in re.finditer(f"(?=({''.join(units)}))", text)]
    shorter = _places(text.replace("\r\n", "\n"), old)
    if not shorter:
        return []
    # Where the CRLFs stand in the text with one character for each: the n-th one has moved by n.
    moved = [found.start() - number for number, found in enumerate(re.finditer("\r\n", text))]
    return [(at + bisect_left(moved, at), at + len(old) + bisect_left(moved, at + len(old))) for at in shorter]


def _places(text: str, old: str) -> list[int]:
    found: list[int] = []
    at = text.find(old)
    while at >= 0:
        found.append(at)
        at = text.find(old, at + 1)
    return found


def _touches(span: Span, hidden: Sequence[Span]) -> bool:
    """Whether a place reaches into a hidden value: for a model that is no place at all, and no guess tells it more."""
    number = bisect_right(hidden, span[0], key=lambda one: one[1])
    return number < len(hidden) and hidden[number][0] < span[1]


def fitted(text: str, span: tuple[int, int], new: str) -> str:
    r"""`new` with line endings as the file has them there: the replaced lines' own, then the nearest one's (C09)."""
    start, end = span
    own = _LINE_END.findall(text[start:end])
    nearest = own[-1] if own else _nearest(text, start)
    given = iter(own)
    return _GIVEN_END.sub(lambda _: next(given, nearest), new)


def line_of(text: str, offset: int) -> int:
    """The line of an offset, from 1."""
    return text.count("\n", 0, offset) + 1


def _nearest(text: str, at: int) -> str:
    """The ending of the line that holds `at`, else of the one before, else a plain newline."""
    following = text.find("\n", at)
    if following < 0:
        following = text.rfind("\n", 0, at)
    return "\r\n" if following > 0 and text[following - 1] == "\r" else "\n"


def _chosen(text: str, edit: Edit, found: list[tuple[int, int]]) -> tuple[int, int]:
    if not found:
        hints = near_misses(text, edit.old_text)
        said = "; ".join(f"line {one.line}: {one.shown} ({one.why})" for one in hints)
        raise ChangeError(
            Code.NO_MATCH,
            "oldText does not stand in the file; nothing was changed.",
            hint=f"Nearest: {said}" if said else "Read the file again and copy the text exactly.",
            details={"count": 0, "near": [{"line": one.line, "text": one.shown, "why": one.why} for one in hints]},
        )
    lines = [line_of(text, start) for start, _ in found[:20]]
    if edit.occurrence is None and len(found) > 1:
        raise ChangeError(
            Code.NOT_UNIQUE,
            f"oldText stands {len(found):,} times in the file; nothing was changed.",
            hint="Give more of the text around it, or occurrence (from 1).",
            details={"count": len(found), "lines": lines},
        )
    number = 1 if edit.occurrence is None else edit.occurrence
    if not 1 <= number <= len(found):
        raise ChangeError(
            Code.OCCURRENCE_OUT_OF_RANGE,
            f"oldText stands {len(found):,} times; there is no occurrence {number}, they count from 1.",
            details={"count": len(found), "lines": lines},
        )
    return found[number - 1]
