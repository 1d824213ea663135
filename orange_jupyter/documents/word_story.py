"""What is known while a Word file is read: its styles, numbers of notes, open fields, and what the reader must say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lxml import etree

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ReadError
from orange_jupyter.documents.ooxml import Package
from orange_jupyter.documents.word_numbering import Numbering, read_numbering
from orange_jupyter.documents.word_styles import Styles, read_styles
from orange_jupyter.documents.word_xml import attribute, local

_ANCHOR = 120
"""Characters of the text that a comment is on which are repeated before the comment."""

_MOST_RANGES = 50
_DEEPEST_FIELD = 64
_MOST_NAMES = 5


@dataclass(slots=True)
class Tally:
    """What is counted on the way, for the warnings."""

    inserted: int = 0
    removed: int = 0
    moved: int = 0
    removed_characters: int = 0
    hidden: int = 0
    linked: int = 0
    charts: int = 0
    embedded: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    vector: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def gone(self, element: etree._Element) -> None:
        """Count a deletion or what was moved away."""
        if local(element) == "moveFrom":
            self.moved += 1
        else:
            self.removed += 1
        texts = (inner for inner in element.iter(etree.Element) if local(inner) in ("delText", "t"))
        self.removed_characters += sum(len(text.text or "") for text in texts)

    def warnings(self) -> tuple[str, ...]:
        """One sentence for each kind of thing that a reader should know."""
        found = [self._changes()] if self.inserted or self.removed or self.moved else []
        if self.hidden:
            found.append(f"Hidden text ({self.hidden:,} characters) is included.")
        for names, what in (
            (self.embedded, "embedded and not read"),
            (self.missing, "missing from the file"),
            (self.broken, "damaged and left out"),
            (self.vector, "of a kind that cannot be shown as a picture"),
        ):
            if names:
                found.append(f"{_listed(names)} {'is' if len(set(names)) == 1 else 'are'} {what}.")
        if self.linked:
            found.append(f"Pictures that are only linked, not stored in the file: {self.linked}.")
        if self.charts:
            found.append(f"Charts of which only the alternative text is read: {self.charts}.")
        return tuple(found)

    def _changes(self) -> str:
        return (
            f"The file has tracked changes: {self.inserted:,} insertions are in the text; {self.removed:,} deletions "
            f"and {self.moved:,} passages moved away ({self.removed_characters:,} characters) are left out."
        )


@dataclass(slots=True)
class Story:
    """The state of one reading. `part` is the part that is being read; `due` the notes that its section still owes."""

    package: Package
    styles: Styles
    numbering: Numbering
    part: str
    tally: Tally
    due: list[tuple[str, str]] = field(default_factory=list)
    marks: dict[tuple[str, str], str] = field(default_factory=dict)
    anchors: dict[str, str] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)
    _fields: list[bool] = field(default_factory=list)
    _codes: int = 0
    _counts: Counter[str] = field(default_factory=Counter)

    @contextmanager
    def inside(self, part: str) -> Iterator[None]:
        """Read another part for a while."""
        before, self.part = self.part, part
        try:
            yield
        finally:
            self.part = before

    @property
    def in_code(self) -> bool:
        """Whether the place is in a field's code, which is not text."""
        return self._codes > 0

    def field(self, kind: str) -> None:
        """A field begins, its result begins (`separate`), or it ends."""
        if kind == "begin":
            self._fields.append(True)
            self._codes += 1
        elif self._fields:
            self._codes -= self._fields.pop()
            if kind == "separate":
                self._fields.append(False)

    def end_of_paragraph(self) -> None:
        """A code that does not end in its paragraph hides nothing of the next one."""
        if self._codes:
            self._fields = [False] * min(len(self._fields), _DEEPEST_FIELD)
            self._codes = 0

    def refer(self, kind: str, note: str) -> str:
        """The mark of a footnote, endnote or comment: `[^2]`, `[^e1]`, "" for a comment; it is due from now on."""
        if (kind, note) not in self.marks:
            self._counts[kind] += 1
            count = self._counts[kind]
            self.marks[kind, note] = {"footnote": f"[^{count}]", "endnote": f"[^e{count}]"}.get(kind, "")
            self.due.append((kind, note))
        return self.marks[kind, note]

    def comment_range(self, element: etree._Element) -> None:
        """The text that a comment is on begins or ends."""
        note = attribute(element, "id") or ""
        if local(element) == "commentRangeEnd":
            self._open.discard(note)
        elif len(self._open) < _MOST_RANGES:
            self._open.add(note)

    def heard(self, text: str) -> None:
        """Text of the document goes by; what a comment is on is remembered."""
        if self.part == self.package.main:
            for note in self._open:
                self.anchors[note] = (self.anchors.get(note, "") + text)[: _ANCHOR + 1]

    def anchor(self, note: str) -> str:
        """The text that a comment is on, shortened."""
        text = " ".join(self.anchors.get(note, "").split())
        return text if len(text) <= _ANCHOR else text[:_ANCHOR].rstrip() + "…"


def open_story(package: Package) -> Story:
    """The state at the start of a document. Raises ReadError parser_limit."""
    tally = Tally()
    styles = read_styles(related(package, "styles", tally))
    numbering = read_numbering(related(package, "numbering", tally), styles)
    return Story(package, styles, numbering, package.main, tally)


def related(package: Package, kind: str, tally: Tally) -> etree._Element | None:
    """A part beside the document by its kind; one that is missing or damaged is counted and left out."""
    name = package.related(kind)
    return None if name is None else part_root(package, name, tally)


def part_root(package: Package, name: str, tally: Tally) -> etree._Element | None:
    """The root of a part that the document can do without. Raises ReadError parser_limit."""
    try:
        root = package.xml(name)
    except ReadError as error:
        if error.code is not Code.DAMAGED:
            raise
        tally.broken.append(name)
        return None
    if root is None:
        tally.missing.append(name)
    return root


def _listed(found: list[str]) -> str:
    names = list(dict.fromkeys(found))
    few = ", ".join(names[:_MOST_NAMES])
    return few if len(names) <= _MOST_NAMES else f"{few} and {len(names) - _MOST_NAMES} more"
