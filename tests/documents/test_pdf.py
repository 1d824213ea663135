"""PDF: pages, blocks, passages, page pictures, and files that are none."""

from __future__ import annotations

from io import BytesIO

import pymupdf
import pytest
from PIL import Image

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import pdf
from tests.documents import samples


def _made(**options: object) -> bytes:
    with pymupdf.open() as document:
        for number in range(1, 4):
            page = document.new_page()
            page.insert_text((72, 72), f"Page {number} in English")
            page.insert_text((72, 300), f"第 {number} 页的中文", fontname="china-s")
        document.set_metadata({"title": "季度 Report"})
        return bytes(document.tobytes(**options))


def test_text_comes_by_page_with_blocks_that_tile_it() -> None:
    """R-READ-1, R-READ-4: pages in order; a page's text is its blocks joined by a blank line; numbers run through."""
    found = pdf.text(_made())
    assert len(found.pages) == 3
    assert found.pages[1] == "Page 2 in English\n\n第 2 页的中文"
    assert [block.number for block in found.blocks] == [1, 2, 3, 4, 5, 6]
    for number, page in enumerate(found.pages, 1):
        assert page == "\n\n".join(block.text for block in found.blocks if block.page == number)
    assert found.title == "季度 Report"


def test_passages_carry_their_page_and_offsets_in_it() -> None:
    """R-SRCH-2, R-SRCH-4: start and end count in the page's text."""
    data = _made()
    pages = pdf.text(data).pages
    found = pdf.extract(data, name="file")
    assert (found.title, found.page_count, found.block_count) == ("季度 Report", 3, 6)
    for chunk in found.chunks:
        assert chunk.page is not None
        assert pages[chunk.page - 1][chunk.start : chunk.end] == chunk.text


def test_a_pdf_without_title_is_named_by_its_file() -> None:
    """R-SRCH-5: the file name is the title."""
    assert pdf.extract(samples.pdf(samples.words("hi")), name="文件 a").title == "文件 a"


def test_a_pdf_without_text_layer_says_so() -> None:
    """R-READ-6: nothing to read, one warning, no error."""
    found = pdf.text(samples.pdf(b"0 0 100 100 re f"))
    assert found.pages == ("",)
    assert "no text layer" in found.warnings[0]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", Code.DAMAGED),
        (b"%PDF-1.7 and then nothing", Code.DAMAGED),
        (samples.docx(samples.paragraph("hi")), Code.TYPE_MISMATCH),
        (b"<html>%PDF</html>", Code.TYPE_MISMATCH),
        (samples.bare_png(8, 8), Code.TYPE_MISMATCH),
        (samples.pdf(), Code.DAMAGED),
    ],
)
def test_what_is_no_readable_pdf_is_a_typed_error(data: bytes, code: Code) -> None:
    """D07, D08: empty, cut, another type by content, no pages; each says what to do."""
    for call in (pdf.text, lambda data: pdf.page_picture(data, 1, PictureLimits())):
        with pytest.raises(ReadError) as caught:
            call(data)
        assert caught.value.code is code
        assert caught.value.hint


def test_a_pdf_with_a_password_is_encrypted_and_with_an_owner_password_is_read() -> None:
    """D08: a user password is an error of its own; an owner's alone does not hinder reading."""
    encrypted = _made(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="u", owner_pw="o")
    with pytest.raises(ReadError) as caught:
        pdf.text(encrypted)
    assert caught.value.code is Code.ENCRYPTED
    assert len(pdf.text(_made(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="o")).pages) == 3


@pytest.mark.parametrize("page", [0, -1, 4, 10**9])
def test_a_page_out_of_range_gives_the_valid_range(page: int) -> None:
    """R-READ-4: pages count from 1."""
    with pytest.raises(ReadError) as caught:
        pdf.page_picture(_made(), page, PictureLimits())
    assert caught.value.code is Code.OUT_OF_RANGE
    assert caught.value.details == {"first": 1, "last": 3}


@pytest.mark.parametrize("media", [b"0 0 612 792", b"0 0 14400 14400", b"0 0 14400 3", b"0 0 10 10", b"0 0 0 0"])
def test_a_page_is_drawn_within_the_limits_whatever_its_size(media: bytes) -> None:
    """R-READ-8, D08: never over 2,048 px or the model's limits, aspect kept, a 14,400 pt page is no error."""
    for limits in (PictureLimits(), PictureLimits(max_width=9000, max_height=9000), PictureLimits(300, 200, 20_000)):
        found = pdf.page_picture(samples.pdf(samples.words("hi"), media=media), 1, limits)
        with Image.open(BytesIO(found.data)) as image:
            assert image.size == (found.width, found.height)
        assert found.width <= min(limits.max_width, 2048)
        assert found.height <= min(limits.max_height, 2048)
        assert len(found.data) <= limits.max_bytes


def test_a_cyclic_page_tree_is_damaged() -> None:
    """D08: a page tree that contains itself ends."""
    looped = samples.pdf(samples.words("hi")).replace(b"/Kids[4 0 R]", b"/Kids[2 0 R]")
    with pytest.raises(ReadError) as caught:
        pdf.text(looped)
    assert caught.value.code is Code.DAMAGED
