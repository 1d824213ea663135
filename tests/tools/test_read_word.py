"""Word files through the tools: numbered headings by name, notes in their section, notes and comments found."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from tests.documents.word_samples import heading_styles, levels, note, para, picture, reference, word_file


def _report() -> bytes:
    picture_file = BytesIO()
    Image.new("RGB", (64, 48), (200, 40, 40)).save(picture_file, "PNG")
    body = (
        para("Aim", style="H1")
        + para("We count birds", reference("footnote", 1), ".")
        + para("Methods", style="H1")
        + para("Twice a day", reference("comment", 1), ".")
        + para(picture("image1", "a heron at dusk"))
    )
    parts = {
        "styles": heading_styles(1),
        "numbering": levels(("decimal", "%1."), ("decimal", "%1.%2")),
        "footnotes": note("footnote", 1, "Only waders."),
        "comments": note("comment", 1, "Was this enough?", attributes='w:author="Ann"'),
    }
    return word_file(body, parts=parts, media={"image1.png": picture_file.getvalue()})


async def test_a_numbered_section_is_read_by_its_name_with_its_notes(kb):
    """R-READ-4: `heading` with and without Word's number; notes and comments belong to the section."""
    (kb.root / "report.docx").write_bytes(_report())
    for heading in ("1. Aim", "Aim", "aim"):
        section = await kb("read", path="report.docx", heading=heading)
        assert [block["text"] for block in section["blocks"]] == ["1. Aim", "We count birds[^1].", "[^1] Only waders."]
    missing = await kb("read", path="report.docx", heading="Nope")
    assert "1. Aim; 2. Methods" in missing["error"]["hint"]


async def test_notes_comments_and_pictures_are_found(kb):
    """R-SRCH-2, R-SRCH-4: each is a passage with its block and heading path."""
    (kb.root / "report.docx").write_bytes(_report())
    for query, block, path in (
        ("waders", 3, ["1. Aim"]),
        ("enough", 7, ["2. Methods"]),
        ("heron", 6, ["2. Methods"]),
        ("birds", 2, ["1. Aim"]),
    ):
        hit = (await kb("search", query=query))["citations"][0]
        assert (hit["block"], hit["headingPath"]) == (block, path), query
