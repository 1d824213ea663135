"""Changes of long notes: CPU seconds of proposing an edit, and of the first drawing of a large review.

The note has 5 MB, Chinese in each of its lines. Edits are timed after one `read`, as a model does it: the first, and
the median of five that build on each other; and one of a note that was never looked at. The review has 200 operations:
12 hunks in the long note, one edit each in 199 short ones. Drawing is reading the proposals, cutting hunks, the
widget's HTML and the record that stays in the notebook.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from pathlib import Path
from time import process_time

from benchmarks import Row, at_most
from orange_jupyter.core.changes.drafting import Asked
from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.values import Kind
from orange_jupyter.jupyter.changes.board import Board
from orange_jupyter.jupyter.changes.record import Kept, change_record
from orange_jupyter.reviewing import SessionReview, review_of
from tests.tools.changing import Desk, desk, proposed

EDIT_S, DRAW_S = 0.4, 1.0
LINES = 180_000
EDITS = 5
NOTES = 199
HUNKS = 12
LONG = "".join(f"line {number} 内容 of a note\n" for number in range(LINES))
SHORT = "# Note\n\nsome text 内容\nmore\n" * 5 + "end\n"


def rows() -> list[Row]:
    """The table's rows."""
    first, later = asyncio.run(_in_a_desk(_edits))
    drawn = asyncio.run(_in_a_desk(_drawing))
    cold = asyncio.run(_in_a_desk(_cold))
    size = f"{len(LONG.encode()) / 1_048_576:.1f} MB"
    return [
        at_most(f"an edit of a {size} note, first", first, "CPU s", EDIT_S),
        at_most(f"an edit of a {size} note, later ones", later, "CPU s", EDIT_S),
        at_most(f"an edit of a {size} note, not read before", cold, "CPU s", EDIT_S),
        at_most(f"first drawing of {NOTES + 1} operations, {HUNKS} hunks in {size}", drawn, "CPU s", DRAW_S),
    ]


async def _in_a_desk(work):  # type: ignore[no-untyped-def]  # any of the measurements below
    with tempfile.TemporaryDirectory() as folder:
        async with desk(Path(folder)) as here:
            (here.root / "long.md").write_text(LONG, encoding="utf-8")
            assert (await here("read", path="long.md"))["ok"]
            return await work(here)


async def _edits(here: Desk) -> tuple[float, float]:
    spent = []
    for number in range(EDITS + 1):
        began = process_time()
        await here.replace("long.md", f"line {number * 4_000 + 1} 内容", f"LINE {number}")
        spent.append(process_time() - began)
    return spent[0], statistics.median(spent[1:])


async def _cold(here: Desk) -> float:
    (here.root / "other.md").write_text(LONG.replace("note", "text"), encoding="utf-8")
    began = process_time()
    await here.replace("other.md", "line 4001 内容", "LINE")
    return process_time() - began


async def _drawing(here: Desk) -> float:
    edits = [{"oldText": f"line {n * 14_000 + 1} 内容", "newText": f"LINE {n}"} for n in range(HUNKS)]
    assert (await here.edit("multi_replace", "long.md", edits=edits))["ok"]
    for number in range(NOTES):
        (here.root / f"n{number}.md").write_text(SHORT, encoding="utf-8")
        await proposed(here, f"n{number}.md", Asked(Kind.REPLACE, (Edit(old_text="end", new_text="END"),)))
    began = process_time()
    await _drawn(review_of(here.app, here.opened))
    return process_time() - began


async def _drawn(review: SessionReview) -> None:
    found, older = await review.look()
    assert len(found) == NOTES + 1
    board = Board("en")
    board.take(found, older)
    assert board.draw().pieces
    change_record(Kept(found, {}, "en", review.find_secrets, "2026-12-01T00:00:00Z"))
