"""DOCX: structure blocks of honest files, refusal of hostile ones."""

from __future__ import annotations

import struct
import tracemalloc
from io import BytesIO

import docx
import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import word
from tests.documents import samples
from tests.documents.samples import W, paragraph


def _made() -> bytes:
    document = docx.Document()
    document.core_properties.title = "Plan 计划"
    document.add_paragraph("Intro")
    document.add_heading("One 一", 1)
    document.add_paragraph("First paragraph. 第一段。")
    document.add_heading("Deep", 2)
    document.add_paragraph("item a", style="List Bullet")
    document.add_paragraph("item b", style="List Bullet 2")
    table = document.add_table(2, 2)
    for row in range(2):
        for column in range(2):
            table.cell(row, column).text = f"r{row}c{column}"
    document.add_heading("Two", 1)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def test_blocks_have_kind_level_and_heading_path() -> None:
    """R-READ-1, R-READ-4: what python-docx writes is read as blocks numbered from 1."""
    found = word.text(_made())
    assert [(b.number, b.kind, b.text, b.level, b.heading_path) for b in found.blocks] == [
        (1, "paragraph", "Intro", None, ()),
        (2, "heading", "One 一", 1, ("One 一",)),
        (3, "paragraph", "First paragraph. 第一段。", None, ("One 一",)),
        (4, "heading", "Deep", 2, ("One 一", "Deep")),
        (5, "list", "- item a\n- item b", None, ("One 一", "Deep")),
        (6, "table", "r0c0 | r0c1\nr1c0 | r1c1", None, ("One 一", "Deep")),
        (7, "heading", "Two", 1, ("Two",)),
    ]
    assert found.title == "Plan 计划"


def test_passages_lie_in_one_block_each() -> None:
    """R-SRCH-2, R-SRCH-4: offsets count in the block's text; a heading is a passage only where nothing follows it."""
    data = _made()
    blocks = {block.number: block for block in word.text(data).blocks}
    found = word.extract(data, name="n")
    assert [chunk.block for chunk in found.chunks] == [1, 3, 5, 6, 7]
    assert (found.title, found.block_count) == ("Plan 计划", 7)
    for chunk in found.chunks:
        assert chunk.block is not None
        block = blocks[chunk.block]
        assert block.text[chunk.start : chunk.end] == chunk.text
        assert block.heading_path == chunk.heading_path


def test_headings_are_found_by_style_chain_and_outline_level() -> None:
    """R-READ-4: own styles based on a heading, the outline level, localised names; a chain that loops ends."""
    styles = (
        f'<w:styles {W}><w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="H"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Z"><w:name w:val="标题 3"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="L1"><w:name w:val="a"/><w:basedOn w:val="L2"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="L2"><w:name w:val="b"/><w:basedOn w:val="L1"/></w:style></w:styles>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Type="http://x/relationships/styles" Target="styles.xml"/></Relationships>'
    )
    styled = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{s}"/></w:pPr><w:r><w:t>{s}</w:t></w:r></w:p>' for s in ("Mine", "Z", "L1")
    )
    outlined = '<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>O</w:t></w:r></w:p>'
    parts: dict[str, str | bytes] = {
        "word/document.xml": f"<w:document {W}><w:body>{styled}{outlined}</w:body></w:document>",
        "word/styles.xml": styles,
        "word/_rels/document.xml.rels": relations,
    }
    found = word.text(samples.package(parts))
    assert [(b.text, b.level) for b in found.blocks] == [("Mine", 2), ("Z", 3), ("L1", None), ("O", 1)]


def test_content_controls_insertions_and_text_boxes_are_read_deletions_are_not() -> None:
    """R-READ-1: what python-docx's own iteration misses; text boxes once, though Word stores them twice."""
    box = f"<w:txbxContent>{paragraph('boxed')}</w:txbxContent>"
    body = (
        f"<w:sdt><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>"
        "<w:p><w:r><w:t>a </w:t></w:r><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del></w:p>"
        '<w:p><w:r><mc:AlternateContent xmlns:mc="m"><mc:Choice><w:drawing>'
        f"{box}</w:drawing></mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc>{paragraph('x')}<w:tbl><w:tr><w:tc>{paragraph('nested')}</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"
    )
    found = word.text(samples.docx(body))
    assert [block.text for block in found.blocks] == ["in a control", "a new", "boxed", "x\nnested"]
    assert "tracked changes" in found.warnings[0]


def test_a_strict_file_reads_like_any_other() -> None:
    """R-READ-1: names are compared without their namespace."""
    names = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    document = f"<w:document {names}><w:body>{paragraph('strict 严格')}</w:body></w:document>"
    assert word.text(samples.package({"word/document.xml": document})).blocks[0].text == "strict 严格"


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
XXE = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
LAUGHS = (
    '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(12))
    + "]>"
)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", Code.DAMAGED),
        (OLE + b"\0" * 600, Code.TYPE_MISMATCH),
        (OLE + b"\0" * 512 + "EncryptedPackage".encode("utf-16-le"), Code.ENCRYPTED),
        (b"%PDF-1.4", Code.TYPE_MISMATCH),
        (b"PK\x03\x04 and nothing more", Code.DAMAGED),
        (samples.package({"xl/workbook.xml": "<x/>"}, types="<Types/>"), Code.TYPE_MISMATCH),
        (samples.package({"word/styles.xml": "<x/>"}), Code.DAMAGED),
        (samples.package({"word/document.xml": "<open"}), Code.DAMAGED),
        (samples.docx(paragraph("&x;"), head=XXE), Code.DAMAGED),
        (samples.docx(paragraph("&m;"), head=LAUGHS), Code.DAMAGED),
        (samples.docx("<w:sdt>" * 3000 + "</w:sdt>" * 3000), Code.DAMAGED),
    ],
)
def test_what_is_no_readable_word_file_is_a_typed_error(data: bytes, code: Code) -> None:
    """D05, D07: other types by content, missing parts, XXE and entity bombs; no file content, a way on."""
    with pytest.raises(ReadError) as caught:
        word.text(data)
    assert caught.value.code is code
    assert caught.value.hint
    assert "root:" not in caught.value.message


def test_a_bomb_is_refused_by_the_bytes_that_come_out() -> None:
    """D04, D13: 50 MiB in a small file: refused with less than 64 MB of growth; a false size in the directory too."""
    bomb = samples.docx(paragraph("a" * 1000) * 50_000)
    assert len(bomb) < 500_000
    directory = bomb.rindex(b"PK\x01\x02")
    lying = bomb[: directory + 24] + struct.pack("<I", 1000) + bomb[directory + 28 :]
    for data, code in ((bomb, Code.PARSER_LIMIT), (lying, Code.DAMAGED)):
        tracemalloc.start()
        with pytest.raises(ReadError) as caught:
            word.text(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert caught.value.code is code
        assert peak < 64 * 1_048_576


def test_entries_that_overlap_are_refused() -> None:
    """D13: a directory in which many names share one stream is damaged, not read many times."""
    whole = samples.package({"word/document.xml": f"<w:document {W}/>", "word/styles.xml": "<w:styles/>" * 50})
    first, second = whole.index(b"PK\x01\x02"), whole.rindex(b"PK\x01\x02")
    third = whole.index(b"PK\x01\x02", first + 4)
    offset = whole[third + 42 : third + 46]
    moved = whole[: first + 42] + offset + whole[first + 46 :]
    assert second > third
    with pytest.raises(ReadError) as caught:
        word.text(moved)
    assert caught.value.code is Code.DAMAGED
