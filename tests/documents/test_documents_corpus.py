"""Real files that nobody here wrote."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import DocumentText, Picture, PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import file_type
from orange_jupyter.core.ports import Documents
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.markdown import extract
from orange_jupyter.documents.text import decode
from tests.documents import samples

pytestmark = pytest.mark.corpus
EXPECTED_ERRORS = {
    "pdfminer.six_samples_encryption_aes-256.pdf": Code.ENCRYPTED,
    "pdf.js_test_pdfs_issue9418.pdf": Code.DAMAGED,
    "pdfplumber_tests_pdfs_empty.pdf": Code.DAMAGED,
}


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    """The real port."""
    documents = LocalDocuments()
    yield documents
    await documents.close()


async def _outcome(documents: Documents, data: bytes, kind: str) -> tuple[tuple[str, ...], Code | None]:
    try:
        return await _read(documents, data, kind), None
    except ReadError as error:
        return (), error.code


async def _read(documents: Documents, data: bytes, kind: str) -> tuple[str, ...]:
    """Everything there is to get from a file: the text of its pages or blocks, nothing for a picture."""
    if kind == "image":
        _within(await documents.picture(data, PictureLimits()))
        return ()
    found = await documents.text(data, kind)
    extracted = await documents.extract(data, kind, name="n")
    blocks = {block.number: block for block in found.blocks}
    for chunk in extracted.chunks:
        source = found.pages[chunk.page - 1] if chunk.page is not None else blocks[chunk.block or 0].text
        assert source[chunk.start : chunk.end] == chunk.text
        if chunk.page is not None and chunk.block is not None:
            assert blocks[chunk.block].page == chunk.page
    if kind == "pdf":
        await _pages(documents, data, found)
    return found.pages or tuple(block.text for block in found.blocks)


async def _pages(documents: Documents, data: bytes, found: DocumentText) -> None:
    """The first page as a picture, it and the last as a person looks at them."""
    _within(await documents.page_picture(data, 1, PictureLimits()))
    for page in sorted({1, len(found.pages)}):
        looked = await documents.page_text(data, page)
        assert (looked.page, looked.page_count, looked.text) == (page, len(found.pages), found.pages[page - 1])
        assert min(looked.width, looked.height) > 0


def _within(picture: Picture) -> None:
    limits = PictureLimits()
    assert 0 < max(picture.width, picture.height) <= limits.max_width
    assert 0 < len(picture.data) <= limits.max_bytes


async def test_every_public_file_gives_text_a_picture_or_a_typed_error(documents: Documents, data: Path) -> None:
    """D02, R-READ-1, R-READ-9: and the pool is alive afterwards; page counts and first words are those of INDEX.tsv."""
    rows = [line.split("\t") for line in (data / "documents" / "INDEX.tsv").read_text("utf-8").splitlines()[1:]]
    assert len(rows) >= 33
    for row in rows:
        name, facts = row[0], row[5]
        content = (data / "documents" / name).read_bytes()
        texts, code = await _outcome(documents, content, file_type(name))
        assert (name, code) == (name, EXPECTED_ERRORS.get(name))
        if code is not None:
            continue
        if count := re.search(r"pageCount\(pymupdf\)=(\d+)", facts):
            assert len(texts) == int(count[1])
        if first := re.search(r"p1_starts\([^)]*\)=([A-Za-z]+)", facts):
            assert first[1] in texts[0]
    assert (await documents.text(samples.pdf(samples.words("alive")), "pdf")).pages == ("alive",)


def test_public_notes_are_cut_exactly_and_survive_legacy_encodings(data: Path) -> None:
    """R-READ-13, R-SRCH-4: real Chinese notes in GB18030 read right; their chunks' offsets are exact."""
    notes = sorted((data / "notes" / "zh").rglob("*.md"))[:60]
    wrong = []
    for path in notes:
        text = path.read_bytes().decode("utf-8")
        for chunk in extract(text, name="n").chunks:
            assert text[chunk.start : chunk.end] == chunk.text
        if len(text) >= 300 and decode(text.encode("gb18030")).text != text:
            wrong.append(path.name)
    assert len(notes) == 60
    assert wrong == []
