"""Word files that nobody here wrote: what INDEX.tsv says of them is found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from orange_jupyter.core.document import DocumentText, PictureLimits
from orange_jupyter.documents import word

pytestmark = pytest.mark.corpus


def _kinds(found: DocumentText) -> Counter[str]:
    return Counter(block.kind for block in found.blocks)


def test_the_hard_thing_of_each_file_is_read(data: Path) -> None:
    """R-READ-1: the column `hard` of INDEX.tsv: boxes, controls, changes, notes, strict, equations, VML pictures."""
    rows = [line.split("\t") for line in (data / "documents" / "INDEX.tsv").read_text("utf-8").splitlines()[1:]]
    seen = set()
    for name, hard in ((row[0], row[4].partition(":")[0]) for row in rows if row[0].endswith(".docx")):
        content = (data / "documents" / name).read_bytes()
        found = word.text(content)
        texts = "\n".join(block.text for block in found.blocks)
        match hard:
            case "text boxes":
                assert _kinds(found)["textbox"] == 16
                assert texts.count("Case closed.") == 1
            case "content controls":
                assert "Body copy" in texts
            case "tracked changes":
                assert "51 insertions" in found.warnings[0]
                assert "Order of injection:" in texts
            case "footnotes":
                assert [block.text for block in found.blocks][:2] == [
                    "Ouch[^1].[^2]",
                    "[^1] A tachyon walks into a bar.",
                ]
            case "strict OOXML":
                assert texts == "Test"
            case "equations":
                assert _kinds(found)["equation"] >= 18
                assert r"\sum_{n=1}^{\infty}" in texts
            case "VML image":
                number = next(block.number for block in found.blocks if block.kind == "image")
                picture = word.block_picture(content, number, PictureLimits())
                assert (picture.width, picture.height) == (193, 287)
            case "nested tables":  # all cells of this file are empty
                assert found.blocks == ()
            case _:
                pytest.fail(f"{name}: what is {hard}?")
        seen.add(hard)
    assert len(seen) == 8
