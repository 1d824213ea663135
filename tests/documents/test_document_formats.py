"""The port `Documents` over all formats, and the rules of its room."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import orange_jupyter.documents
from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.core.paths import FILE_TYPES, SEARCHABLE
from orange_jupyter.core.ports import Documents
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.documents.formats import FORMATS
from tests.documents import samples

ROOM = Path(orange_jupyter.documents.__file__).parent
SUPPORT = {
    "__init__",
    "chunks",
    "extract",
    "formats",
    "frames",
    "frontmatter",
    "guess",
    "heads",
    "hiding",
    "ooxml",
    "pool",
    "process",
    "queue",
    "pixels",
    "raster",
    "structure",
    "worker",
}


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    """The real port."""
    documents: Documents = LocalDocuments()
    yield documents
    await documents.close()


def test_every_file_of_the_room_is_named_by_a_list() -> None:
    """Architecture: a file that neither FORMATS nor this list of shared parts names is a mistake.

    A format's own parts bear its name, as `word_lines` does.
    """
    formats = {entry.module for entry in FORMATS}
    files = {path.stem for path in ROOM.glob("*.py")}
    own = {name for name in files - formats if name.partition("_")[0] in formats}
    assert files - own == SUPPORT | formats


def test_formats_cover_what_is_scanned() -> None:
    """R-SRCH-10: every scanned type has a format; every searchable one can be extracted. HTML comes from the web only."""
    known = {entry.file_type: entry for entry in FORMATS}
    assert set(known) == set(FILE_TYPES.values()) - {"svg"} | {"html"}
    assert all("extract" in known[file_type].operations for file_type in SEARCHABLE)


def test_importing_the_port_imports_no_parser() -> None:
    """R-NB-1, decision 9: pymupdf, docx, lxml and PIL are only imported in workers."""
    code = (
        "import asyncio, sys\n"
        "from orange_jupyter.documents.extract import LocalDocuments\n"
        "from orange_jupyter.documents import image_refs, text\n"
        "async def main():\n"
        "    documents = LocalDocuments()\n"
        "    await documents.extract(b'# T', 'markdown', name='a.md')\n"
        "    await documents.text(bytes.fromhex(sys.argv[1]), 'pdf')\n"
        "    await documents.close()\n"
        "asyncio.run(main())\n"
        "print(sorted({'pymupdf', 'fitz', 'docx', 'lxml', 'PIL', 'markdown_it'} & set(sys.modules)))\n"
    )
    root = str(Path(__file__).parents[2])
    data = samples.pdf(samples.words("hi")).hex()
    done = subprocess.run([sys.executable, "-c", code, data], capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == "[]"


async def test_every_searchable_type_is_extracted(documents: Documents) -> None:
    """R-SRCH-2, R-SRCH-5: one port for Markdown, text, Word and PDF; the name is the title's last resort."""
    word = samples.docx(samples.paragraph("第一段 first"))
    for data, file_type, passage in (
        ("正文 body #标签".encode(), "markdown", "正文 body #标签"),
        ("正文 body #标签".encode(), "txt", "正文 body #标签"),
        (word, "docx", "第一段 first"),
        (samples.pdf(samples.words("hello")), "pdf", "hello"),
    ):
        found = await documents.extract(data, file_type, name="dir/我的 note.x")
        assert (found.title, found.chunks[0].text) == ("我的 note", passage)
        assert found.tags == (("标签",) if file_type == "markdown" else ())


async def test_extract_uses_the_encoding_and_passes_the_warning_on(documents: Documents) -> None:
    """R-READ-13: the knowledge base's encoding at any length; without it a short guess carries its warning."""
    data = "会议记录".encode("gb18030")
    sure = await documents.extract(data, "txt", name="n.txt", encoding="gb18030")
    assert (sure.chunks[0].text, sure.warnings) == ("会议记录", ())
    (warning,) = (await documents.extract(data, "txt", name="n.txt")).warnings
    assert warning.startswith("encoding_uncertain")


async def test_pictures_and_pages_come_back_within_limits(documents: Documents) -> None:
    """R-READ-6, R-READ-9: through the worker, with their facts."""
    page = await documents.page_picture(samples.pdf(samples.words("hi")), 1, PictureLimits(400, 400))
    picture = await documents.picture(samples.bare_png(900, 300), PictureLimits(300, 300))
    assert page.height == 400
    assert (picture.width, picture.height, picture.original_width) == (300, 100, 900)


@pytest.mark.parametrize("file_type", ["svg", "other", "image", "folder", "markdown"])
async def test_a_type_without_text_is_unsupported(documents: Documents, file_type: str) -> None:
    """R-READ-1: the error names the type and a way on; no worker starts."""
    with pytest.raises(ReadError) as caught:
        await documents.text(b"x", file_type)
    assert caught.value.code is Code.UNSUPPORTED_TYPE
    assert caught.value.hint


async def test_a_note_over_twenty_megabytes_is_not_opened(documents: Documents) -> None:
    """D11, R-SRCH-10: a bounded read."""
    with pytest.raises(ReadError) as caught:
        await documents.extract(b"a" * (20 * 1_048_576 + 1), "markdown", name="n.md")
    assert caught.value.code is Code.TOO_LARGE


async def test_typed_errors_of_a_worker_keep_their_details(documents: Documents) -> None:
    """R-READ-4: code, message, hint and the valid range cross the process."""
    with pytest.raises(ReadError) as caught:
        await documents.page_picture(samples.pdf(samples.words("hi")), 9, PictureLimits())
    assert (caught.value.code, caught.value.details) == (Code.OUT_OF_RANGE, {"first": 1, "last": 1})
