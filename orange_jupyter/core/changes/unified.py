"""A text change as a unified diff, and how many lines it adds and removes (R-CHG-2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orange_jupyter.core.changes.hunks import Hunk, hunks
from orange_jupyter.core.changes.lines import bounds, changed, lines_of
from orange_jupyter.core.changes.pieces import Splice


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines `[old, old_end)`, from 0, that become the lines `added`, the first of which is `new`."""

    old: int
    old_end: int
    new: int
    added: tuple[str, ...]


def unified(text: str, splices: Sequence[Splice], path: str, *, context: int = 3) -> str:
    """The diff that `patch -p1` and `git apply` take; lines keep their endings. "" where nothing changes."""
    groups: list[list[_Change]] = []
    for one in _changes(hunks(text, splices)):
        if groups and one.old - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(one)
        else:
            groups.append([one])
    begins = bounds(text)
    tab = "\t" if " " in path else ""
    head = [f"--- a/{path}{tab}\n", f"+++ b/{path}{tab}\n"] if groups else []
    return "".join(head + [part for group in groups for part in _part(text, begins, group, context)])


def counts(found: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines hunks add and how many they remove; a changed line counts as both."""
    changes = list(_changes(found))
    return sum(len(one.added) for one in changes), sum(one.old_end - one.old for one in changes)


def _changes(found: Sequence[Hunk]) -> Iterator[_Change]:
    for hunk in found:
        new = lines_of(hunk.after)
        for one in changed(lines_of(hunk.before), new):
            first = hunk.old[0] - 1
            added = tuple(new[one.new : one.new_end])
            yield _Change(first + one.old, first + one.old_end, hunk.new[0] - 1 + one.new, added)


def _part(text: str, begins: list[int], group: list[_Change], context: int) -> list[str]:
    first = max(group[0].old - context, 0)
    last = min(group[-1].old_end + context, len(begins) - 1)
    lines: list[str] = []
    at = first
    for one in [*group, _Change(last, last, 0, ())]:
        lines += [_line(" ", text[begins[n] : begins[n + 1]]) for n in range(at, one.old)]
        lines += [_line("-", text[begins[n] : begins[n + 1]]) for n in range(one.old, one.old_end)]
        lines += [_line("+", line) for line in one.added]
        at = one.old_end
    grown = sum(len(one.added) - (one.old_end - one.old) for one in group)
    new = group[0].new - (group[0].old - first)
    return [f"@@ -{_range(first, last - first)} +{_range(new, last - first + grown)} @@\n", *lines]


def _range(first: int, size: int) -> str:
    """`first` counts from 0. An empty range names the line before it."""
    begin = first + 1 if size else first
    return f"{begin}" if size == 1 else f"{begin},{size}"


def _line(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
