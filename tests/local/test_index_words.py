"""Words that a line end, a ligature or a soft hyphen parts: found whole, shown as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from orange_jupyter.local.index.tokens import normalised, tokens, unbroken
from tests.documents import samples
from tests.local.indexed import Indexed


@pytest.mark.parametrize(
    ("text", "joined", "parted"),
    [
        ("an algo-\nrithm", "an algorithm", "an algo rithm"),
        ("an algo\u2010 \r\n  rithm runs", "an algorithm runs", "an algo rithm runs"),
        ("THE ALGO-\nRITHM", "THE ALGORITHM", "THE ALGO RITHM"),
        ("Anglo-\nSaxon", "Anglo-\nSaxon", ""),
        ("state-of-the-\nart work", "state-of-the-\nart work", ""),
        ("on-\nthe-fly", "on-\nthe-fly", ""),
        ("pages 12-\n14", "pages 12-\n14", ""),
        ("well -\nknown", "well -\nknown", ""),
        ("- one\n- two", "- one\n- two", ""),
        ("ends evapo-\n\ntranspiration", "ends evapotranspiration", "ends evapo transpiration"),
        ("a-\n\n\nb", "a-\n\n\nb", ""),
        ("水文-\n观测", "水文-\n观测", ""),
        ("no break", "no break", ""),
    ],
)
def test_a_word_is_put_together_only_where_it_is_one(text: str, joined: str, parted: str) -> None:
    """R-SRCH-5, issue 6 item 1."""
    assert unbroken(text) == (joined, parted)


def test_ligatures_soft_hyphens_and_wrapped_chinese_meet_what_is_typed() -> None:
    """R-SRCH-5: for search only."""
    assert normalised("the ﬁnding of eﬄux") == "the finding of efflux"
    assert normalised("algo\u00ad\nrithm, know\u00adledge") == "algorithm, knowledge"
    assert tokens("水\n文") == tokens("水 \r\n 文") == tokens("水文")
    assert tokens("水\n\n文") != tokens("水文")


PASSAGE = "We propose a robust algo-\nrithm for well-\nknown data. The ﬁnding is know\u00ad\nledge.\n长期水 \n文观测"


@pytest.mark.parametrize("kind", ["docx", "md"])
async def test_broken_words_are_found_and_shown_as_they_stand(tmp_path: Path, kind: str) -> None:
    """R-SRCH-4, R-SRCH-5: words, phrases over a line end, compounds in either form; the passage keeps its text."""
    async with Indexed(tmp_path) as desk:
        if kind == "docx":
            broken = PASSAGE.replace("\u00ad\n", "\u00ad").replace("\n", "</w:t><w:br/><w:t>")
            desk.write("paper.docx", samples.docx(samples.paragraph(broken)))
        else:
            desk.write("note.md", PASSAGE)
        for query in (
            "algorithm", '"robust algorithm for"', '"well known data"', "well-known", "known", "wellknown", "finding",
            "knowledge", '"finding is knowledge"', "水文", '"长期水文观测"', '"robust algo-\nrithm"',
        ):  # fmt: skip
            (hit,) = (await desk.search(query)).hits
            assert "algo-\nrithm" in hit.passage
            assert "ﬁnding" in hit.passage
        assert (await desk.search('"robust rithm"')).hits == ()


async def test_what_was_put_together_is_taken_out_again(tmp_path: Path) -> None:
    """R-SRCH-6: deletes replay the words exactly; the index stays sound."""
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.md", PASSAGE)
        assert (await desk.search("algorithm")).hits
        note.write_text("another text\n", encoding="utf-8")
        for query in ("algorithm", "known", "finding", "水文"):
            assert (await desk.search(query)).hits == ()
        database = desk.library._shelves["kb_notes"].database
        database.read(lambda connection: connection.execute("INSERT INTO words (words) VALUES ('integrity-check')"))
        count = database.read(lambda c: c.execute("SELECT count(*) FROM frequency WHERE term = 'algorithm'").fetchone())
        assert count == (0,)


async def test_a_passage_of_a_document_says_where_it_stands(tmp_path: Path) -> None:
    """R-SRCH-2, R-SRCH-4: page and block of a PDF, block of a DOCX; the passage is there in what `read` gives."""
    async with Indexed(tmp_path) as desk:
        pdf = samples.pdf(samples.words("The first page."), samples.words("A walrus on the second page."))
        docx = samples.docx(samples.paragraph("Nothing here.") + samples.paragraph("An otter in the second block."))
        desk.write("a.pdf", pdf)
        desk.write("b.docx", docx)
        (hit,) = (await desk.search("walrus")).hits
        text = (await desk.documents.text(pdf, "pdf")).pages[1]
        assert (hit.page, hit.block, hit.info.page_count) == (2, 2, 2)
        assert text[hit.start : hit.end] == hit.passage
        (hit,) = (await desk.search("otter")).hits
        blocks = {block.number: block.text for block in (await desk.documents.text(docx, "docx")).blocks}
        assert hit.page is None
        assert hit.block is not None
        assert blocks[hit.block][hit.start : hit.end] == hit.passage


async def test_a_word_that_goes_on_in_the_next_passage_is_found_and_taken_out_again(tmp_path: Path) -> None:
    """R-SRCH-5, R-SRCH-6: a word parted at the end of a column whose passage ends there."""
    filler = "words about the flow of melt water\n" * 25
    async with Indexed(tmp_path) as desk:
        note = desk.write("note.txt", f"{filler}ends with evapo-\n\ntranspiration goes on\n{filler}")
        (hit,) = (await desk.search("evapotranspiration")).hits
        assert hit.passage.endswith("evapo-")
        note.write_text("another text\n", encoding="utf-8")
        assert (await desk.search("evapotranspiration")).hits == ()
        database = desk.library._shelves["kb_notes"].database
        database.read(lambda connection: connection.execute("INSERT INTO words (words) VALUES ('integrity-check')"))
        terms = database.read(lambda c: c.execute("SELECT term FROM frequency ORDER BY term").fetchall())
        assert terms == [("anoth",), ("filenamenotetxt",), ("note",), ("text",)]
