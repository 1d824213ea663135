"""The `docx` format: a Word file's structure blocks in reading order. Runs only in a worker process.

The body is walked here, on the XML, because python-docx leaves out content controls and insertions and refuses
strict files (documents-facts.md); names are compared without their namespace, so both dialects are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lxml import etree

from orange_jupyter.core.document import Block, DocumentText, Extract
from orange_jupyter.documents.chunks import chunk_plain
from orange_jupyter.documents.ooxml import Package
from orange_jupyter.documents.word_styles import Look, Styles, attribute, child, local, read_styles

_TRANSPARENT = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "AlternateContent", "Choice"})
_LEFT_OUT = frozenset({"del", "moveFrom", "instrText", "delText", "pPr", "rPr", "sdtPr", "Fallback", "txbxContent"})
_MARKS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}


@dataclass(slots=True)
class _Reader:
    """The blocks found so far and the headings above the place that is being read."""

    styles: Styles
    blocks: list[Block] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    title: str = ""

    def add(self, kind: str, text: str, level: int | None = None) -> None:
        """Append a block unless it is empty; list items one after another become one block."""
        text = text.strip("\n")
        if not text.strip():
            return
        if kind == "heading" and level is not None:
            text = " ".join(text.split())
            self.path = [*(step for step in self.path if step[0] < level), (level, text)]
        last = self.blocks[-1] if self.blocks else None
        if kind == "list" and last is not None and last.kind == "list":
            self.blocks[-1] = replace(last, text=f"{last.text}\n{text}")
            return
        names = tuple(name for _, name in self.path)
        self.blocks.append(Block(len(self.blocks) + 1, kind, text, level=level, heading_path=names))


def text(data: bytes) -> DocumentText:
    """Headings, paragraphs, lists, tables, text boxes and footnotes, numbered from 1.

    A heading's `heading_path` ends with itself. Inserted text is in, deleted text is out.
    Raises ReadError type_mismatch, encrypted, damaged, parser_limit.
    """
    package = Package(data)
    try:
        styles = read_styles(_related(package, "styles"))
        reader = _Reader(styles)
        root = package.xml(package.main)
        body = child(root, "body") if root is not None else None
        for element in () if body is None else body:
            _read(reader, element)
        reader.path = []
        for kind in ("footnotes", "endnotes"):
            _read_notes(reader, _related(package, kind))
        title = _core_title(package) or reader.title
    finally:
        package.close()
    deleted = root is not None and any(local(element) == "del" for element in root.iter(etree.Element))
    warnings = ("The file has tracked changes; deleted text is left out.",) if deleted else ()
    return DocumentText("docx", blocks=tuple(reader.blocks), title=title, warnings=warnings)


def extract(data: bytes, *, name: str) -> Extract:
    """Title (the file's own, else its first top heading, else `name`) and passages; each lies in one block.

    A heading is a passage of its own only where no text follows it; else it is in its blocks' heading path.
    """
    read = text(data)
    first = next((block.text for block in read.blocks if block.kind == "heading" and block.level == 1), "")
    chunks = [
        chunk
        for block, following in pairwise([*read.blocks, None])
        if block and (block.kind != "heading" or following is None or following.kind == "heading")
        for chunk in chunk_plain(block.text, block=block.number, heading_path=block.heading_path)
    ]
    return Extract(
        title=read.title or first or name,
        tags=(),
        chunks=tuple(chunks),
        block_count=len(read.blocks),
        warnings=read.warnings,
    )


def _read(reader: _Reader, element: etree._Element) -> None:
    """One element of the body: a paragraph, a table, or something that only wraps them."""
    name = local(element)
    if name == "p":
        _read_paragraph(reader, element)
    elif name == "tbl":
        reader.add("table", "\n".join(_rows(element)))
    elif name in _TRANSPARENT:
        for inner in element:
            _read(reader, inner)


def _read_paragraph(reader: _Reader, paragraph: etree._Element) -> None:
    look = reader.styles.look(paragraph)
    content = _text(paragraph)
    if look.title and not reader.title:
        reader.title = " ".join(content.split())
    reader.add(*_kind(look, content))
    for box in _boxes(paragraph):
        inner = "\n".join(filter(None, (_text(part) for part in box.iter(etree.Element) if local(part) == "p")))
        reader.add("textbox", inner)


def _kind(look: Look, content: str) -> tuple[str, str, int | None]:
    if look.heading is not None:
        return "heading", content, look.heading
    if look.list_level is not None and content.strip():
        return "list", f"{'  ' * look.list_level}- {content.strip()}", None
    return "paragraph", content, None


def _boxes(paragraph: etree._Element) -> Iterator[etree._Element]:
    """The text boxes anchored in a paragraph, each once: Word repeats them in mc:Fallback."""
    for element in paragraph.iter(etree.Element):
        if local(element) == "txbxContent":
            above = [local(parent) for parent in element.iterancestors()]
            if "Fallback" not in above and "txbxContent" not in above:
                yield element


def _text(element: etree._Element) -> str:
    return "".join(_pieces(element))


def _pieces(element: etree._Element) -> Iterator[str]:
    """The visible text of a paragraph or of what lies in it; equations give their characters."""
    for inner in element.iterchildren(etree.Element):
        name = local(inner)
        if name in _LEFT_OUT and not (name == "Fallback" and len(element) == 1):
            continue
        if name == "t":
            yield inner.text or ""
        elif name in _MARKS:
            yield _MARKS[name]
        else:
            yield from _pieces(inner)


def _rows(table: etree._Element) -> Iterator[str]:
    """A line for each row, cells parted by ` | `; a table in a cell becomes part of the cell's text."""
    for row in _inside(table, "tr"):
        cells = [" ".join(_cell(cell).split()) for cell in _inside(row, "tc")]
        if any(cells):
            yield " | ".join(cells)


def _cell(cell: etree._Element) -> str:
    parts: list[str] = []
    for element in _inside(cell, "p", "tbl"):
        parts.append(_text(element) if local(element) == "p" else "; ".join(_rows(element)))
    return " ".join(part for part in parts if part)


def _inside(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """The children of a name, also those wrapped in content controls or insertions."""
    for inner in element.iterchildren(etree.Element):
        if local(inner) in names:
            yield inner
        elif local(inner) in _TRANSPARENT:
            yield from _inside(inner, *names)


def _read_notes(reader: _Reader, root: etree._Element | None) -> None:
    for note in () if root is None else root.iterchildren(etree.Element):
        if attribute(note, "type") in (None, "normal"):
            paragraphs = (_text(part) for part in note.iter(etree.Element) if local(part) == "p")
            reader.add("footnote", "\n".join(filter(None, paragraphs)).strip())


def _related(package: Package, kind: str) -> etree._Element | None:
    name = package.related(kind)
    return package.xml(name) if name else None


def _core_title(package: Package) -> str:
    root = package.xml("docProps/core.xml")
    found = child(root, "title") if root is not None else None
    return " ".join((found.text or "").split())[:300] if found is not None else ""
