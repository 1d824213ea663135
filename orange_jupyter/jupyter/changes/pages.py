"""A text change cut into what is drawn of it: hunks with their rows, bounded however long the note is (R-CHG-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar, cast

from orange_jupyter.core.changes.hunks import Hunk, hunks, taken
from orange_jupyter.core.changes.lines import lines_of
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rows import Row, rows
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.values import HunkChoice, Kind
from orange_jupyter.core.changes.words import Run, Runs

FOLD_LINES = 400
"""A diff of more lines is folded at first; Show all shows MORE_LINES at once, and as many more at each press."""
FOLD_CHARACTERS = 60_000
FIRST_HUNKS = 5
LINE_CHARACTERS = 20_000
RECORD_CHARACTERS = 2_000
MORE_LINES = 3 * FOLD_LINES

Kept = TypeVar("Kept")
Hide = Callable[[Row], Runs]
"""What of a row may be shown."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How much of an operation is drawn: about so many rows, at most so many hunks (None: any number)."""

    rows: int = FOLD_LINES
    hunks: int | None = None


FOLDED = Extent(0, 0)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows that make one table, at most about FOLD_LINES of them; `key` names them for what is kept."""

    rows: tuple[Row, ...]
    key: tuple[object, ...] = ()

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line number that it shows, after the change where there is one."""
        numbers = [row.new if row.new is not None else row.old or 0 for row in self.rows]
        return (numbers[0], max(numbers)) if numbers else (0, 0)


@dataclass(frozen=True, slots=True)
class Part:
    """One hunk as far as it is drawn; `cut` counts the lines left out. `edited`: its after-text is the person's."""

    hunk: Hunk
    chunks: tuple[Chunk, ...]
    cut: int = 0
    edited: bool = False

    @property
    def rows(self) -> tuple[Row, ...]:
        """All of its rows that are drawn."""
        return tuple(row for chunk in self.chunks for row in chunk.rows)

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line number that it shows."""
        return (self.chunks[0].lines[0], self.chunks[-1].lines[1]) if self.chunks else self.hunk.new

    @property
    def counts(self) -> tuple[int, int]:
        """Lines added and removed by it."""
        return counts_of(self.hunk)


@dataclass(frozen=True, slots=True)
class Page:
    """What is drawn of one operation; `rest` counts the lines of its hunks that are not."""

    parts: tuple[Part, ...] = ()
    rest: int = 0


@dataclass(slots=True)
class Pages:
    """Cuts operations into pages and keeps what it made, for as long as the operations stand as they are.

    A hunk of more than `most` lines is cut into tables of so many.
    """

    most: int = FOLD_LINES
    _cut: dict[tuple[str, str, int, str | None], tuple[Hunk, tuple[Hunk, ...]]] = field(default_factory=dict)
    _made: dict[tuple[object, ...], tuple[str, str, object]] = field(default_factory=dict)

    def page(self, shown: Shown, extent: Extent, edits: Mapping[int, str]) -> Page:
        """The first hunks of an operation, as far as the extent goes. Slow for large ones: off the loop."""
        parts: list[Part] = []
        left = extent.rows
        every = hunks_of(shown)
        for hunk in every[: extent.hunks]:
            if left <= 0:
                break
            part = self._part(shown, hunk, edits.get(hunk.number), left)
            parts.append(part)
            left -= sum(len(chunk.rows) for chunk in part.chunks)
        behind = sum(sum(counts_of(hunk)) for hunk in every[len(parts) :])
        return Page(tuple(parts), behind + sum(part.cut for part in parts))

    def part(self, shown: Shown, number: int, text: str | None) -> Part:
        """One hunk, with the person's after-text in place of the proposed one. Raises ChangeError out_of_range."""
        return self._part(shown, hunks_of(shown)[number - 1], text, MORE_LINES)

    def kept(self, shown: Shown, key: tuple[object, ...], make: Callable[[], Kept]) -> Kept:
        """What was made of an operation under a key, made now where it was not."""
        if key not in self._made:
            self._made[key] = shown.proposal.id, shown.digest, make()
        return cast("Kept", self._made[key][2])

    def keep(self, everything: Mapping[str, str]) -> None:
        """Forget what was made of operations that are not these any more, by id and digest."""
        for cut in [cut for cut in self._cut if everything.get(cut[0]) != cut[1]]:
            del self._cut[cut]
        for key in [key for key, (name, digest, _) in self._made.items() if everything.get(name) != digest]:
            del self._made[key]

    def _part(self, shown: Shown, hunk: Hunk, text: str | None, limit: int) -> Part:
        name = (shown.proposal.id, shown.digest, hunk.number, text)
        if name not in self._cut:
            whole = hunk if text is None else edited(shown, hunk, text)
            self._cut[name] = whole, tuple(_chunked(whole, self.most))
        whole, pieces = self._cut[name]
        chunks: list[Chunk] = []
        cut = 0
        for number, piece in enumerate(pieces):
            if limit <= 0:
                cut += sum(counts_of(piece))
                continue
            key = (*name, number)
            drawn = self.kept(shown, key, partial(rows, shown.below or "", piece))
            chunks.append(Chunk(drawn, key))
            limit -= len(drawn)
        return Part(whole, tuple(chunks), cut, text is not None)


def _chunked(hunk: Hunk, most: int) -> Iterator[Hunk]:
    """A hunk, or a long one in pieces with as many lines before as after: the first lines of both are seen at once."""
    if sum(counts_of(hunk)) <= most:
        yield hunk
        return
    before, after = lines_of(hunk.before), lines_of(hunk.after)
    size = most // 2
    last = max(len(before), len(after))
    start = hunk.start
    for at in range(0, last, size):
        old, new = before[at : at + size], after[at : at + size]
        end = start + sum(map(len, old))
        first_old, first_new = hunk.old[0] + min(at, len(before)), hunk.new[0] + min(at, len(after))
        yield replace(
            hunk,
            old=(first_old, first_old + len(old) - 1),
            new=(first_new, first_new + len(new) - 1),
            before="".join(old),
            after="".join(new),
            start=start,
            end=end,
            room=(hunk.room[0] if at == 0 else 0, hunk.room[1] if at + size >= last else 0),
        )
        start = end


def hunks_of(shown: Shown) -> tuple[Hunk, ...]:
    """The hunks of an operation; a new file is one of added lines."""
    content = shown.proposal.content
    if shown.proposal.operation.kind is Kind.CREATE_FILE and content:
        return hunks("", (Splice(start=0, end=0, text=content),))
    return shown.hunks


def counts_of(hunk: Hunk) -> tuple[int, int]:
    """Lines that a hunk adds and removes, untouched ones between its changes counted in."""
    return hunk.new[1] - hunk.new[0] + 1, hunk.old[1] - hunk.old[0] + 1


def weight(shown: Shown) -> tuple[int, int]:
    """Lines and characters of an operation's diff."""
    every = hunks_of(shown)
    return sum(sum(counts_of(one)) for one in every), sum(len(one.before) + len(one.after) for one in every)


def is_large(shown: Shown) -> bool:
    """Whether its diff is folded at first."""
    lines, characters = weight(shown)
    return lines > FOLD_LINES or characters > FOLD_CHARACTERS


def edited(shown: Shown, hunk: Hunk, text: str) -> Hunk:
    """A hunk with the person's after-text as it would be written. Raises ChangeError."""
    below = shown.below or ""
    chosen = taken(below, shown.proposal.splices, [HunkChoice(number=hunk.number, text=text)])
    own = [
        Splice(start=one.start - hunk.start, end=one.end - hunk.start, text=one.text)
        for one in chosen
        if hunk.start <= one.start and one.end <= hunk.end
    ]
    after = spliced(hunk.before, own)
    return replace(hunk, after=after, new=(hunk.new[0], hunk.new[0] + len(lines_of(after)) - 1))


def as_it_is(row: Row) -> Runs:
    """A row with all of its text: for the person who decides."""
    return row.runs


def clipped(runs: Runs, most: int = LINE_CHARACTERS) -> tuple[Runs, int]:
    """Runs of at most so many characters, and how many are left out."""
    length = sum(len(run.text) for run in runs)
    if length <= most:
        return runs, 0
    return tuple(_first(runs, most)), length - most


def _first(runs: Runs, left: int) -> Iterator[Run]:
    for run in runs:
        if left <= 0:
            return
        yield Run(run.text[:left], run.changed)
        left -= len(run.text)
