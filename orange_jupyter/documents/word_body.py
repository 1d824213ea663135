"""Builds the blocks of a Word file: walks the body, then the notes, comments and page headers that belong to it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml import etree

from orange_jupyter.core.document import Block
from orange_jupyter.documents.ooxml import Package
from orange_jupyter.documents.word_floats import Float, PictureRef, TextBox, drawn_paragraphs
from orange_jupyter.documents.word_inline import Content, only_equation
from orange_jupyter.documents.word_lines import Lines
from orange_jupyter.documents.word_story import Story, open_story, part_root, related
from orange_jupyter.documents.word_styles import Look
from orange_jupyter.documents.word_xml import attribute, child, local, unwrapped

NAMELESS = ("Picture", "Chart")
"""The text of an image block that has neither alternative text nor caption."""

VECTOR = (".emf", ".wmf", ".emz", ".wmz", ".svg", ".tif", ".tiff", ".wdp", ".eps", ".pict")
"""Endings of pictures that are not shown."""

_LONGEST_LIST = 2000
"""Characters from which the next item of a list begins a new block."""

_LONGEST_STEP = 500
"""Characters of a heading that stand in the path of the blocks below it."""

_MOST_HEADERS = 60
_NOTES = ("footnote", "endnote", "comment")


@dataclass(frozen=True, slots=True)
class PicturePlace:
    """Where the picture of an image block lies: relation `relation` of the part `part`."""

    part: str
    relation: str
    chart: bool


class Body:
    """The blocks found so far and the headings above the place that is being read."""

    def __init__(self, package: Package) -> None:
        self.story: Story = open_story(package)
        self.blocks: list[Block] = []
        self.pictures: dict[int, PicturePlace] = {}
        self.title = ""
        self._lines = Lines(self.story)
        self._path: list[tuple[int, str]] = []
        self._uncaptioned: list[int] = []
        self._notes = {kind: _notes(related(package, kind + "s", self.story.tally), kind) for kind in _NOTES}

    def read(self, root: etree._Element | None) -> None:
        """Read a whole document: its body, what is left of the notes, headers and footers."""
        body = child(root, "body")
        if body is not None:
            self._container(body)
        self._due()
        self._path = []
        for kind, notes in self._notes.items():
            for note in notes:
                self.story.refer(kind, note)
        self._due()
        self._headers()

    def _container(self, container: etree._Element) -> None:
        for element in unwrapped(container):
            name = local(element)
            if name == "p":
                self._paragraph(element)
                continue
            self._add("paragraph", self._lines.carried())
            if name == "tbl":
                self._add("table", "\n".join(self._lines.rows(element)))
            else:
                self._prose(self._lines.stray(element))
            self._floats()
        self._add("paragraph", self._lines.carried())

    def _paragraph(self, paragraph: etree._Element) -> None:
        look = self.story.styles.look(paragraph)
        if look.heading is not None:
            self._due()
        if (read := self._lines.paragraph(paragraph, look)) is None:
            return
        label, content = read
        if look.title and not self.title:
            self.title = " ".join(content.text.split())
        self._caption(look, content.text)
        text = self._lines.item(look, label, content.text)
        if look.heading is not None and content.text.strip():
            self._add("heading", text, look.heading)
        elif look.numbered is not None and label != "":
            self._add("list", text)
        else:
            self._prose(content)
        self._floats()

    def _prose(self, content: Content) -> None:
        """A paragraph, parted where a display equation stands in it."""
        if (alone := only_equation(content)) is not None:
            self._add("equation", alone)
            return
        self._add("paragraph", content.texts[0])
        for math, text in zip(content.equations, content.texts[1:], strict=True):
            self._add("equation", math)
            self._add("paragraph", text)

    def _add(self, kind: str, text: str, level: int | None = None) -> None:
        """Append a block unless it is empty; list items one after another become one block."""
        text = text.strip("\n")
        if not text.strip():
            return
        if kind == "heading" and level is not None:
            text = " ".join(text.split())
            self._path = [*(step for step in self._path if step[0] < level), (level, text[:_LONGEST_STEP])]
        last = self.blocks[-1] if self.blocks else None
        if kind == "list" and last is not None and last.kind == "list" and len(last.text) < _LONGEST_LIST:
            self.blocks[-1] = replace(last, text=f"{last.text}\n{text}")
            return
        names = tuple(name for _, name in self._path)
        self.blocks.append(Block(len(self.blocks) + 1, kind, text, level=level, heading_path=names))

    def _floats(self) -> None:
        """Text boxes and pictures of what was just read, each with what floats in it."""
        found, self._lines.floats = self._lines.floats, []
        for one in found:
            self._float(one)

    def _float(self, found: Float) -> None:
        if isinstance(found, TextBox):
            self._add("textbox", "\n".join(self._lines.container(found.content)))
            self._floats()
        elif isinstance(found, PictureRef):
            self._picture(found)
        else:
            self._add("textbox", found.text or self._smart_art(found.relation))

    def _smart_art(self, relation: str) -> str:
        known = self.story.package.relations(self.story.part).get(relation)
        if known is None or known.external:
            return ""
        root = part_root(self.story.package, known.target, self.story.tally)
        return "" if root is None else "\n".join(filter(None, drawn_paragraphs(root)))

    def _picture(self, found: PictureRef) -> None:
        tally, package = self.story.tally, self.story.package
        known = package.relations(self.story.part).get(found.relation)
        if found.chart:
            tally.charts += 1
        elif known is None:
            tally.missing.append(f"the picture {found.relation}")
        elif known.external:
            tally.linked += 1
        elif not package.has(known.target):
            tally.missing.append(known.target)
        elif known.target.lower().endswith(VECTOR):
            tally.vector.append(known.target)
        self._add("image", found.alt or NAMELESS[found.chart])
        self.pictures[len(self.blocks)] = PicturePlace(self.story.part, found.relation, found.chart)
        if not found.alt:
            self._uncaptioned.append(len(self.blocks))

    def _caption(self, look: Look, text: str) -> None:
        """A caption right below a picture without alternative text is the text of its block."""
        if not text.strip():
            return
        if look.caption:
            for number in self._uncaptioned:
                self.blocks[number - 1] = replace(self.blocks[number - 1], text=" ".join(text.split()))
        self._uncaptioned = []

    def _due(self) -> None:
        """The notes and comments that the section above refers to, in order."""
        while self.story.due:
            due, self.story.due = self.story.due, []
            for kind, note in due:
                element = self._notes[kind].get(note)
                if element is None:
                    self.story.tally.missing.append(f"the {kind} {note}")
                else:
                    self._note(kind, note, element)

    def _note(self, kind: str, note: str, element: etree._Element) -> None:
        with self.story.inside(self.story.package.related(kind + "s") or ""):
            text = "\n".join(self._lines.container(element)).strip()
            mark = self.story.marks[kind, note]
            if kind == "comment" and text:
                self._add("comment", _said(element, self.story.anchor(note)) + text)
            elif text:
                self._add("footnote", f"{mark} {text}")
            self._floats()

    def _headers(self) -> None:
        """Page headers and footers, each kind of them once; one with nothing but a page number gives no text."""
        seen: set[tuple[str, ...]] = set()
        known = self.story.package.relations(self.story.package.main).values()
        parts = [found for found in known if found.kind in ("header", "footer") and not found.external]
        for found in parts[:_MOST_HEADERS]:
            root = part_root(self.story.package, found.target, self.story.tally)
            if root is None:
                continue
            with self.story.inside(found.target):
                text = "\n".join(self._lines.container(root))
                key = (text, *map(_key, self._lines.floats))
                if key in seen:
                    self._lines.floats = []
                elif any(sign.isalpha() for sign in text):
                    self._add("paragraph", f"Page {found.kind}: {text}")
                seen.add(key)
                self._floats()


def _notes(root: etree._Element | None, kind: str) -> dict[str, etree._Element]:
    """The notes of a part by id, without the separators that Word keeps among them."""
    found: dict[str, etree._Element] = {}
    for note in () if root is None else root.iterchildren(etree.Element):
        if local(note) == kind and attribute(note, "type") in (None, "normal"):
            found.setdefault(attribute(note, "id") or "", note)
    return found


def _said(comment: etree._Element, anchor: str) -> str:
    """Who comments on what, before a comment's text."""
    author = " ".join((attribute(comment, "author") or "").split())[:100] or "Comment"
    return f"{author} on “{anchor}”: " if anchor else f"{author}: "


def _key(found: Float) -> str:
    """What makes a float of one page header the same as that of another."""
    if isinstance(found, TextBox):
        return "".join(str(text) for text in found.content.itertext())
    return found.alt if isinstance(found, PictureRef) else found.text
