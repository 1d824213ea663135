"""How much of a Word file comes back: its characters counted in the XML by a walk that knows nothing of the reader."""

from __future__ import annotations

import random
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orange_jupyter.core.document import DocumentText
from orange_jupyter.documents import word
from tests.documents.word_samples import (
    box,
    control,
    field,
    heading_styles,
    inserted,
    levels,
    note,
    old_box,
    para,
    reference,
    run,
    word_file,
)

KINDS = {
    "sdtContent": "content control",
    "ins": "insertion",
    "moveTo": "insertion",
    "txbxContent": "text box",
    "footnote": "footnote",
    "endnote": "endnote",
}
GONE = {"del", "moveFrom", "Fallback"}
PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml")


def _name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _runs(element: ElementTree.Element, around: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """Each `w:t` that counts, with the kinds of constructs around it."""
    name = _name(element)
    kind = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == "type"), "normal")
    if name in GONE or (name in ("footnote", "endnote") and kind != "normal"):
        return
    around |= {KINDS[name]} if name in KINDS else set()
    if name == "t" and element.text and "math" not in element.tag and "drawingml" not in element.tag:
        yield element.text, around
    for inner in element:
        yield from _runs(inner, around)


def _inside(data: bytes) -> Counter[tuple[str, str]]:
    """How often each text stands in each kind of construct, by the XML; blanks aside."""
    there: Counter[tuple[str, str]] = Counter()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for part in set(PARTS) & set(archive.namelist()):
            for text, around in _runs(ElementTree.fromstring(archive.read(part)), frozenset()):
                for kind in around | {"all"}:
                    there[kind, "".join(text.split())] += 1
    return there


def _counted(data: bytes, found: DocumentText) -> dict[str, tuple[int, int]]:
    """For each kind of construct: the characters that came back and those in the XML."""
    shown = "\n".join("".join(block.text.split()) for block in found.blocks)
    counted: dict[str, tuple[int, int]] = {}
    for (kind, text), times in _inside(data).items():
        back, whole = counted.get(kind, (0, 0))
        come = min(times, shown.count(text)) if text else 0
        counted[kind] = (back + come * len(text), whole + times * len(text))
    return counted


class _Maker:
    """Writes a random Word file whose every word occurs once: `gone…` must not come back, all others must."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.words = 0
        self.notes: dict[str, list[str]] = {"footnote": [], "endnote": [], "comment": []}

    def word(self, prefix: str = "w") -> str:
        self.words += 1
        return f"{prefix}{self.words}q"

    def file(self) -> bytes:
        body = "".join(self.block(3) for _ in range(8))
        parts = {"styles": heading_styles(1), "numbering": levels(("decimal", "%1."), ("lowerRoman", "%2)"))}
        parts |= {f"{kind}s": "".join(notes) for kind, notes in self.notes.items() if notes}
        return word_file(body, parts=parts, strict=self.dice.random() < 0.3)

    def block(self, depth: int) -> str:
        if depth <= 0 or (choice := self.dice.randrange(8)) < 4:
            style = self.dice.choice(["", "", "H1", "H2"])
            place = (1, self.dice.randrange(2)) if not style and self.dice.random() < 0.3 else None
            inner = [self.inline(depth) for _ in range(self.dice.randint(1, 4))]
            return para(*inner, style=style, numbered=place)
        if choice < 6:
            return self.wrapped("".join(self.block(depth - 1) for _ in range(self.dice.randint(1, 3))))
        return self.table(depth)

    def wrapped(self, inner: str) -> str:
        shapes = [control(inner), f"<w:customXml>{inner}</w:customXml>", control(control(inner))]
        return self.dice.choice(shapes)

    def table(self, depth: int) -> str:
        rows = []
        for _ in range(self.dice.randint(1, 3)):
            cells = []
            for _ in range(self.dice.randint(1, 3)):
                cell = f"<w:tc><w:tcPr/>{self.block(depth - 1)}{para(self.word())}</w:tc>"
                cells.append(control(cell) if self.dice.random() < 0.3 else cell)
            row = f"<w:tr>{''.join(cells)}</w:tr>"
            rows.append(control(row) if self.dice.random() < 0.3 else row)
        return f"<w:tbl><w:tblPr/>{''.join(rows)}</w:tbl>"

    def inline(self, depth: int) -> str:
        plain = run(self.word() + " ")
        if depth <= 0:
            return plain
        inner = self.inline(depth - 1)
        match self.dice.randrange(12):
            case 0:
                return control(inner)
            case 1:
                return inserted(inner)
            case 2:
                return f"<w:moveTo>{inner}</w:moveTo>"
            case 3:
                gone = f"<w:r><w:delText>{self.word('gone')}</w:delText><w:t>{self.word('gone')}</w:t></w:r>"
                return f"<w:del>{gone}</w:del><w:moveFrom>{run(self.word('gone'))}</w:moveFrom>"
            case 4:
                return box(self.block(depth - 1) + para(self.word()))
            case 5:
                return old_box(self.block(depth - 1))
            case 6 | 7:
                return self.note(depth)
            case 8:
                return field(self.word("gone"), self.word())
            case 9:
                return f"<w:hyperlink>{inner}</w:hyperlink>"
            case 10:
                return f'<w:smartTag>{inner}</w:smartTag><w:fldSimple w:instr="gone">{plain}</w:fldSimple>'
            case _:
                return plain

    def note(self, depth: int) -> str:
        kind = self.dice.choice(["footnote", "endnote", "comment"])
        number = len(self.notes[kind]) + 1
        self.notes[kind].append("")
        content = para(self.inline(depth - 1), self.word()) + self.block(depth - 2)
        self.notes[kind][number - 1] = note(kind, number, content)
        return reference(kind, number)


@pytest.mark.parametrize("seed", range(60))
def test_of_generated_files_every_word_comes_back_once(seed: int) -> None:
    """R-READ-1: content controls, insertions, boxes and notes inside each other; deleted words stay away."""
    maker = _Maker(seed)
    data = maker.file()
    found = word.text(data)
    shown = "\n".join(block.text for block in found.blocks)
    for kind, (back, whole) in _counted(data, found).items():
        assert back == whole, kind
    assert "gone" not in shown
    doubled = [
        text for text, times in Counter(word_ for word_ in shown.split() if word_.endswith("q")).items() if times > 1
    ]
    assert doubled == []
    assert [block.number for block in found.blocks] == list(range(1, len(found.blocks) + 1))


def test_the_generator_makes_every_construct() -> None:
    """The count above is no empty promise: each kind has thousands of characters over the sixty files."""
    total: Counter[str] = Counter()
    for seed in range(60):
        for (kind, text), times in _inside(_Maker(seed).file()).items():
            total[kind] += len(text) * times
    assert min(total[kind] for kind in {*KINDS.values()}) > 1500, total


@pytest.mark.corpus
def test_of_public_files_the_characters_come_back(data: Path) -> None:
    """R-READ-1: at least 99 % in each kind of construct of each file."""
    kinds: Counter[str] = Counter()
    for path in sorted((data / "documents").glob("*.docx")):
        content = path.read_bytes()
        for kind, (back, whole) in _counted(content, word.text(content)).items():
            assert back >= 0.99 * whole, (path.name, kind, back, whole)
            kinds[kind] += whole
    assert {"content control", "insertion", "text box", "footnote"} <= set(kinds)
