"""Containers of a Word file as lines of text: table cells, text boxes, notes, comments, headers."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from orange_jupyter.documents.word_floats import Float
from orange_jupyter.documents.word_inline import Content, Inline
from orange_jupyter.documents.word_numbering import BULLET
from orange_jupyter.documents.word_story import Story
from orange_jupyter.documents.word_styles import Look
from orange_jupyter.documents.word_xml import attribute, child, local, number, unwrapped, value

_WIDEST = 63
"""Columns of a Word table at most."""

_INDENT = "    "


class Lines:
    """Reads the containers of a story; `floats` are those met since they were last taken away."""

    def __init__(self, story: Story) -> None:
        self.story = story
        self.floats: list[Float] = []
        self._inline = Inline(story)
        self._carried = ""

    def paragraph(self, paragraph: etree._Element, look: Look) -> tuple[str | None, Content] | None:
        """What stands before a paragraph (`2.1 `, `- `; None for no number) and its content.

        None where its end was deleted by a tracked change: its text is then part of the next paragraph.
        """
        content = self._inline.read(paragraph)
        self.floats += content.floats
        marks = child(paragraph, "pPr", "rPr")
        if marks is not None and (child(marks, "del") is not None or child(marks, "moveFrom") is not None):
            self._carried += content.text
            return None
        content.texts[0] = self.carried() + content.texts[0]
        return self.story.numbering.label(look.numbered) if look.numbered else None, content

    def carried(self) -> str:
        """The text that waits for the paragraph that follows it; taken away."""
        text, self._carried = self._carried, ""
        return text

    def stray(self, element: etree._Element) -> Content:
        """What stands beside paragraphs: markers, and text of files that are not quite right."""
        name = local(element)
        if name in ("altChunk", "subDoc"):
            relation = self.story.package.relations(self.story.part).get(attribute(element, "id") or "")
            self.story.tally.embedded.append(relation.target if relation else name)
        content = self._inline.stray(element)
        self.floats += content.floats
        return content

    def container(self, element: etree._Element) -> list[str]:
        """The paragraphs and table rows in it, a line each; list items with their numbers and indentation."""
        waiting, self._carried = self._carried, ""
        lines: list[str] = []
        for inner in unwrapped(element):
            name = local(inner)
            if name == "p":
                lines.append(self._line(inner))
            elif name == "tbl":
                lines += [self.carried(), *self.rows(inner)]
            else:
                lines.append(self.stray(inner).text)
        lines.append(self.carried())
        self._carried = waiting
        return [line for line in lines if line.strip()]

    def rows(self, table: etree._Element) -> list[str]:
        """A line for each row, cells parted by ` | `; the rows of a table in a cell stand indented below its row.

        A cell that spans columns is followed by empty ones. A table of one cell gives the cell's lines.
        """
        rows = [row for row in unwrapped(table) if local(row) == "tr"]
        if len(rows) == 1:
            cells = [cell for cell in unwrapped(rows[0]) if local(cell) == "tc"]
            if len(cells) == 1:
                return self.container(cells[0])
        return [line for row in rows for line in self._row(row)]

    def _row(self, row: etree._Element) -> Iterator[str]:
        cells: list[str] = [""] * _span(child(row, "trPr"), "gridBefore", 0)
        nested: list[str] = []
        for cell in unwrapped(row):
            if local(cell) != "tc":
                continue
            words: list[str] = []
            for inner in unwrapped(cell):
                if local(inner) == "tbl":
                    nested += self.rows(inner)
                else:
                    words.append(self._line(inner) if local(inner) == "p" else self.stray(inner).text)
            words.append(self.carried())
            cells.append(" ".join(" ".join(words).split()))
            cells += [""] * (_span(child(cell, "tcPr"), "gridSpan", 1) - 1)
        if any(cells):
            yield " | ".join(cells)
        for line in nested:
            yield _INDENT + line

    def _line(self, paragraph: etree._Element) -> str:
        look = self.story.styles.look(paragraph)
        read = self.paragraph(paragraph, look)
        if read is None:
            return ""
        label, content = read
        return self.item(look, label, content.text) if look.numbered else content.text

    def item(self, look: Look, label: str | None, text: str) -> str:
        """A numbered paragraph as a line: indented by its level, its number or a `-` before it."""
        if look.numbered is None or label == "" or not text.strip():
            return text
        if look.heading is not None:
            return text if label in (None, BULLET) else f"{label}{text.strip()}"
        return f"{'  ' * self.story.numbering.level(look.numbered)}{label or BULLET}{text.strip()}"


def _span(properties: etree._Element | None, name: str, default: int) -> int:
    return min(number(value(properties, name), default) or default, _WIDEST)
