"""Generated edits change nothing but what they name, and undo gives back every byte."""

from __future__ import annotations

import random

from tests.tools.changing import desk
from tests.tools.rounds import ENCODINGS, Note, Wanted, edited, exact, holds, note, wanted


def test_500_generated_edits_are_byte_exact_outside_their_spans():
    """R-EDIT-2, C08, C09, C11: UTF-8, UTF-16, UTF-32, GB18030 × line endings × BOM × operations; 500 of 500."""
    chance = random.Random(20261130)
    assert sum(exact(chance) for _ in range(500)) == 500


async def test_applied_and_undone_on_the_disk_every_byte_comes_back(tmp_path):
    """R-CHG-9, R10, C11: the same edits through the store and the disk; 60 of 60 right, 60 of 60 as before."""
    chance = random.Random(20261201)
    (tmp_path / "kb").mkdir()
    async with desk(tmp_path, encoding="gb18030") as kb:
        counted = [await edited(kb, chance, 20) for _ in range(3)]
    assert counted == [(20, 20)] * 3


def test_the_dice_reach_every_encoding_ending_and_operation():
    """R-EDIT-2: the notes are of all encodings, and the count can fail."""
    chance = random.Random(20261130)
    made = [note(chance) for _ in range(200)]
    assert {(one.encoding, bool(one.bom)) for one in made} == set(ENCODINGS)
    asked = [found for one in made if (found := wanted(chance, one.text))]
    assert len({one.asked.kind for one in asked}) == 4
    one = Note("utf-8", b"", "a\r\nb\r\nc")
    asked_one = Wanted(asked[0].asked, ((3, 4, "B"),))
    assert holds(one, asked_one, b"a\r\nB\r\nc")
    assert not any(
        holds(one, asked_one, wrong)
        for wrong in (b"a\nB\r\nc", b"a\r\nB\r\nc\n", b"a\r\nb\r\nc", b"\xef\xbb\xbfa\r\nB\r\nc")
    )
