"""A text change cut into what is drawn of it: hunks with their rows, bounded however long the note is (R-CHG-12)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from orange_jupyter.core.changes.hunks import Hunk, hunks, taken
from orange_jupyter.core.changes.lines import bounds, lines_of
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.rows import Row, rows
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.values import HunkChoice, Kind
from orange_jupyter.core.changes.words import Run, Runs
from orange_jupyter.core.masking import FindSecrets, mask_file

FOLD_LINES = 400
"""A diff of more lines is folded at first, and Show all shows at most ten times as many at once."""
FOLD_CHARACTERS = 60_000
FIRST_HUNKS = 5
LINE_CHARACTERS = 20_000

Hide = Callable[[Row], Runs]
"""What of a row may be shown."""


@dataclass(frozen=True, slots=True)
class Part:
    """One hunk as far as it is drawn; `cut` counts the rows left out. `edited`: its after-text is the person's."""

    hunk: Hunk
    rows: tuple[Row, ...]
    cut: int = 0
    edited: bool = False

    @property
    def lines(self) -> tuple[int, int]:
        """The first and last line number that it shows, after the change where there is one."""
        numbers = [row.new if row.new is not None else row.old or 0 for row in self.rows]
        return (numbers[0], max(numbers)) if numbers else self.hunk.new

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
    """Cuts operations into pages and keeps what it made, for as long as the operations stand as they are."""

    _rows: dict[tuple[str, str, int, str | None], tuple[Hunk, tuple[Row, ...]]] = field(default_factory=dict)

    def page(self, shown: Shown, limit: int, edits: Mapping[int, str]) -> Page:
        """The hunks of an operation until `limit` rows are drawn, at least one. Slow for large ones: off the loop."""
        parts: list[Part] = []
        left = limit
        every = hunks_of(shown)
        for hunk in every:
            if left <= 0:
                break
            one, drawn = self._of(shown, hunk, edits.get(hunk.number))
            parts.append(Part(one, drawn[:left], max(0, len(drawn) - left), hunk.number in edits))
            left -= len(drawn)
        behind = sum(sum(counts_of(hunk)) for hunk in every[len(parts) :])
        return Page(tuple(parts), behind + sum(part.cut for part in parts))

    def part(self, shown: Shown, number: int, text: str | None) -> Part:
        """One hunk, with the person's after-text in place of the proposed one. Raises ChangeError out_of_range."""
        hunk, drawn = self._of(shown, hunks_of(shown)[number - 1], text)
        most = 10 * FOLD_LINES
        return Part(hunk, drawn[:most], max(0, len(drawn) - most), text is not None)

    def keep(self, everything: Mapping[str, str]) -> None:
        """Forget the rows of operations that are not these any more, by id and digest."""
        for key in [key for key in self._rows if everything.get(key[0]) != key[1]]:
            del self._rows[key]

    def _of(self, shown: Shown, hunk: Hunk, text: str | None) -> tuple[Hunk, tuple[Row, ...]]:
        key = (shown.proposal.id, shown.digest, hunk.number, text)
        if key not in self._rows:
            one = hunk if text is None else edited(shown, hunk, text)
            self._rows[key] = one, rows(shown.below or "", one)
        return self._rows[key]


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


def first_rows(shown: Shown) -> int:
    """Rows that the first hunks need, bounded."""
    return min(FOLD_LINES, sum(sum(counts_of(one)) + 4 for one in hunks_of(shown)[:FIRST_HUNKS]))


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


def veiled(shown: Shown, find: FindSecrets) -> Hide:
    """What may stay in a notebook of an operation's rows: masked values are tokens (R-READ-15)."""
    path = shown.proposal.operation.path
    below = shown.below or ""
    splices = shown.proposal.splices or tuple(
        Splice(start=0, end=0, text=text) for text in (shown.proposal.content,) if text and shown.below == ""
    )
    sides = [mask_file(path, text, find) for text in (below, spliced(below, splices))]
    begins = [bounds(side.text) for side in sides]

    def hide(row: Row) -> Runs:
        side, number = (0, row.old) if row.new is None else (1, row.new)
        if not sides[side].spans or number is None or number >= len(begins[side]):
            return row.runs
        start = begins[side][number - 1]
        words = sides[side].masked_slice(start, start + len(row.text))
        return row.runs if words == row.text else (Run(words, row.kind != "same"),)

    return hide


def clipped(runs: Runs) -> tuple[Runs, int]:
    """Runs of at most LINE_CHARACTERS, and how many characters are left out."""
    length = sum(len(run.text) for run in runs)
    if length <= LINE_CHARACTERS:
        return runs, 0
    return tuple(_first(runs, LINE_CHARACTERS)), length - LINE_CHARACTERS


def _first(runs: Runs, left: int) -> Iterator[Run]:
    for run in runs:
        if left <= 0:
            return
        yield Run(run.text[:left], run.changed)
        left -= len(run.text)
