"""Word files that are broken, in the ZIP and in the XML: text or a typed error, never anything else."""

from __future__ import annotations

import random
import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from orange_jupyter.core.codes import Code
from orange_jupyter.core.document import PictureLimits
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents import ooxml, word
from tests.documents import samples
from tests.documents.word_samples import control, heading_styles, levels, note, para, reference, run, table, word_file

ALLOWED = {Code.DAMAGED, Code.TYPE_MISMATCH, Code.PARSER_LIMIT, Code.ENCRYPTED, Code.UNSUPPORTED_TYPE, Code.TOO_LARGE}


def _typed(error: ReadError) -> Code:
    """Its code, one that a document may end with; it says what to do."""
    assert error.hint
    assert error.code in ALLOWED
    return error.code


def _outcome(data: bytes) -> Code | None:
    """The code of the error, or None where there is text; every picture of it is asked for too."""
    try:
        found = word.text(data)
    except ReadError as error:
        return _typed(error)
    for block in found.blocks:
        if block.kind == "image":
            try:
                word.block_picture(data, block.number, PictureLimits(200, 200))
            except ReadError as error:
                _typed(error)
    for chunk in word.extract(data, name="n").chunks:
        assert found.blocks[(chunk.block or 0) - 1].text[chunk.start : chunk.end] == chunk.text
    return None


def _flipped(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice([1, 5, 50, 500])):
        changed[dice.randrange(len(changed))] = dice.randrange(256)
    return bytes(changed[: dice.randrange(len(changed))] if dice.random() < 0.3 else changed)


def _parts(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _packed(parts: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def _swapped(data: bytes, dice: random.Random) -> bytes:
    """Two parts change places, or one is gone, empty, or cut."""
    parts = _parts(data)
    one, other = dice.choice(list(parts)), dice.choice(list(parts))
    match dice.randrange(4):
        case 0:
            parts[one], parts[other] = parts[other], parts[one]
        case 1:
            del parts[one]
        case 2:
            parts[one] = b""
        case _:
            parts[one] = parts[one][: dice.randrange(len(parts[one]) + 1)]
    return _packed(parts)


def _rewritten(data: bytes, dice: random.Random) -> bytes:
    """Well-formed XML that means something else: names and values of one part exchanged at random."""
    parts = _parts(data)
    name = dice.choice([name for name in parts if name.endswith((".xml", ".rels"))])
    content = parts[name].decode("utf-8", "replace")
    for _ in range(dice.choice([1, 3, 10])):
        names = sorted(set(re.findall(r"</(\w+:\w+)>", content)))
        values = sorted(set(re.findall(r'="([^"<]{1,12})"', content)))
        if len(names) > 1 and dice.random() < 0.5:
            old, new = dice.sample(names, 2)
            content = re.sub(rf"(</?){old}(?=[\s/>])", rf"\g<1>{new}", content)
        elif values:
            new = dice.choice([*values, "-1", "99999999999999", "x" * 9999, ""])
            content = content.replace(f'="{dice.choice(values)}"', f'="{new}"')
    parts[name] = content.encode()
    return _packed(parts)


@pytest.mark.corpus
def test_public_files_and_a_hundred_broken_copies_give_text_or_a_typed_error(data: Path) -> None:
    """D02, R-READ-1: bytes flipped, files cut, parts swapped, names and values of the XML exchanged."""
    files = [path.read_bytes() for path in sorted((data / "documents").glob("*.docx"))]
    assert [_outcome(content) for content in files] == [None] * len(files)
    dice = random.Random(20_261_201)
    outcomes = []
    for turn in range(120):
        spoil = (_flipped, _swapped, _rewritten)[turn % 3]
        outcomes.append(_outcome(spoil(files[turn % len(files)], dice)))
    assert outcomes.count(None) > 30
    assert outcomes.count(Code.DAMAGED) > 10


def test_a_hundred_broken_copies_of_an_own_file_too() -> None:
    """D02: notes, numbers, tables and pictures of which every name and value may be wrong."""
    body = (
        para("T", style="H1")
        + para(
            "a", reference("footnote", 1), reference("comment", 1), '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'
        )
        + table(("a", control(para("b"))), ("c", para(run("hidden", "<w:vanish/>"))))
        + "".join(para("item", numbered=(1, level)) for level in (0, 1, 2, 1, 0))
    )
    shapes = (("decimal", "%1."), ("upperRoman", "%1.%2"), ("chineseCounting", "%3"))
    parts = {
        "styles": heading_styles(1),
        "numbering": levels(*shapes),
        "footnotes": note("footnote", 1, "n"),
        "comments": note("comment", 1, "c"),
        "header1": para("head"),
    }
    content = word_file(body, parts=parts)
    dice = random.Random(7)
    outcomes = [_outcome((_swapped, _rewritten)[turn % 2](content, dice)) for turn in range(100)]
    assert outcomes.count(None) > 50


def test_parts_beside_the_document_are_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """D04: many parts below the limit of one are still refused together."""
    monkeypatch.setattr(ooxml, "MAX_PARTS", 300_000)
    filler = para("x" * 1000) * 100
    data = word_file(para("t"), parts={"header1": filler, "header2": filler, "footer1": filler})
    with pytest.raises(ReadError) as caught:
        word.text(data)
    assert caught.value.code is Code.PARSER_LIMIT


def test_spans_paths_and_marks_do_not_multiply() -> None:
    """D04: a cell that spans a million columns, a heading of a megabyte over many blocks, marks by the thousand."""
    wide = '<w:tc><w:tcPr><w:gridSpan w:val="999999"/></w:tcPr>' + para("x") + "</w:tc>"
    rows = "".join(("<w:tbl>", f"<w:tr>{wide}<w:tc>{para('y')}</w:tc></w:tr>" * 20, "</w:tbl>"))
    ranges = "".join(f'<w:commentRangeStart w:id="{at}"/>' for at in range(3000))
    body = para("h" * 1_000_000, style="H1") + para("under it") * 300 + rows + para(ranges, *(["word "] * 3000))
    found = word.text(word_file(body, parts={"styles": heading_styles()}))
    assert sum(len(name) for block in found.blocks for name in block.heading_path) < 300_000
    assert len(found.blocks[301].text) < 5000
    assert found.blocks[0].text == "h" * 1_000_000


def test_depth_is_bounded_by_the_parser() -> None:
    """D04: tables in tables as deep as XML may be are read or refused, never a crash."""
    for depth, code in ((10, None), (80, None), (90, Code.DAMAGED), (500, Code.DAMAGED)):
        body = "<w:tbl><w:tr><w:tc>" * depth + para("deep") + "</w:tc></w:tr></w:tbl>" * depth
        assert _outcome(samples.docx(body)) is code
