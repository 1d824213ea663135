"""The text of one Word paragraph: runs, fields, notes' marks, equations; what floats in it is handed on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lxml import etree

from orange_jupyter.documents.word_floats import FLOATS, Float, floats
from orange_jupyter.documents.word_math import equation
from orange_jupyter.documents.word_story import Story
from orange_jupyter.documents.word_symbols import plain, symbol
from orange_jupyter.documents.word_xml import alternatives, attribute, child, local, number, on, value

_MARKS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_LEFT_OUT = frozenset({"instrText", "delText", "delInstrText", "rt", "txbxContent", "softHyphen"})
_SOFT_HYPHEN = "\u00ad"


@dataclass(slots=True)
class Content:
    """What a paragraph holds: its text with inline equations, cut where a display equation stands (`equations`)."""

    texts: list[str] = field(default_factory=list)
    equations: list[str] = field(default_factory=list)
    floats: list[Float] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it as one text, display equations among the words."""
        out = self.texts[0]
        for math, following in zip(self.equations, self.texts[1:], strict=True):
            out += f"${math}${following}" if not out or out[-1].isspace() else f" ${math}${following}"
        return out


class Inline:
    """Reads paragraphs of a story, one after another; fields may run over several."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._content = Content()
        self._pieces: list[str] = []
        self._reading = ""
        self._font: str | None = None
        self._hidden = False
        self._readers: dict[str, Callable[[etree._Element], None]] = {
            "r": self._run,
            "t": self._plain,
            "sym": self._symbol,
            "fldChar": self._field,
            "oMath": self._equation,
            "oMathPara": self._display,
            "ruby": self._ruby,
            "AlternateContent": self._alternatives,
            "ins": self._inserted,
            "moveTo": self._inserted,
            "del": story.tally.gone,
            "moveFrom": story.tally.gone,
            "footnoteReference": self._note,
            "endnoteReference": self._note,
            "commentReference": self._comment,
            "commentRangeStart": story.comment_range,
            "commentRangeEnd": story.comment_range,
        }

    def read(self, paragraph: etree._Element) -> Content:
        """The content of a paragraph."""
        return self._read(paragraph.iterchildren(etree.Element))

    def stray(self, element: etree._Element) -> Content:
        """The content of something that stands where only paragraphs should."""
        return self._read(iter((element,)))

    def _read(self, elements: Iterator[etree._Element]) -> Content:
        self._content, self._pieces = Content(), []
        for element in elements:
            self._one(element)
        self._cut()
        self._story.end_of_paragraph()
        return self._content

    def _one(self, element: etree._Element) -> None:
        name = local(element)
        if reader := self._readers.get(name):
            reader(element)
        elif name in FLOATS:
            self._content.floats.extend(floats(element))
        elif name in _MARKS:
            self._say(_MARKS[name])
        elif name not in _LEFT_OUT and not name.endswith("Pr"):
            self._walk(element)

    def _walk(self, element: etree._Element) -> None:
        for inner in element.iterchildren(etree.Element):
            self._one(inner)

    def _say(self, text: str) -> None:
        """Add to the text, unless it is a field's code; how ruby is read goes before what follows it."""
        if self._reading:
            text, self._reading = f"({self._reading}){text}", ""
        if text and not self._story.in_code:
            self._pieces.append(text)
            self._story.heard(text)
            if self._hidden:
                self._story.tally.hidden += len(text)

    def _cut(self) -> None:
        """End a stretch of text: at the paragraph's end or before a display equation."""
        self._say("")
        self._content.texts.append("".join(self._pieces))
        self._pieces = []

    def _run(self, run: etree._Element) -> None:
        around = self._font, self._hidden
        properties = child(run, "rPr")
        if properties is not None:
            fonts = child(properties, "rFonts")
            self._font = attribute(fonts, "ascii") if fonts is not None else None
            self._hidden = self._story.styles.hides(properties)
        self._walk(run)
        self._font, self._hidden = around

    def _plain(self, element: etree._Element) -> None:
        if element.text:
            self._say(plain(element.text, self._font).replace(_SOFT_HYPHEN, ""))

    def _symbol(self, element: etree._Element) -> None:
        self._say(symbol(attribute(element, "font"), attribute(element, "char")))

    def _field(self, element: etree._Element) -> None:
        self._say(_form(element))
        self._story.field(attribute(element, "fldCharType") or "")

    def _equation(self, element: etree._Element) -> None:
        if math := equation(element):
            self._say(f"${math}$")

    def _display(self, element: etree._Element) -> None:
        if math := equation(element):
            self._cut()
            self._content.equations.append(math)

    def _ruby(self, element: etree._Element) -> None:
        """The base, then in brackets how it is read; neighbouring pairs are joined, so that the word stays whole."""
        before, self._reading = self._reading, ""
        base, above = child(element, "rubyBase"), child(element, "rt")
        if base is not None:
            self._walk(base)
        spoken = () if above is None else above.iter(etree.Element)
        self._reading = before + "".join(part.text or "" for part in spoken if local(part) == "t")

    def _alternatives(self, element: etree._Element) -> None:
        for chosen in alternatives(element):
            self._walk(chosen)

    def _inserted(self, element: etree._Element) -> None:
        self._story.tally.inserted += 1
        self._walk(element)

    def _note(self, element: etree._Element) -> None:
        self._say(self._story.refer(local(element).removesuffix("Reference"), attribute(element, "id") or ""))

    def _comment(self, element: etree._Element) -> None:
        self._story.refer("comment", attribute(element, "id") or "")


def _form(element: etree._Element) -> str:
    """What an old form field shows that has no result: a check box, or the entry chosen from a list."""
    box, choice = child(element, "ffData", "checkBox"), child(element, "ffData", "ddList")
    if box is not None:
        return "☒" if on(box, "checked" if child(box, "checked") is not None else "default") else "☐"
    if choice is None:
        return ""
    entries = [attribute(entry, "val") or "" for entry in choice if local(entry) == "listEntry"]
    chosen = number(value(choice, "result") or value(choice, "default"), 0) or 0
    return entries[chosen] if chosen < len(entries) else ""


def only_equation(content: Content) -> str | None:
    """The equation of a paragraph that holds one inline equation and nothing else, which Word sets as a display."""
    text = content.texts[0].strip()
    if content.equations or len(text) < 3 or not text[0] == text[-1] == "$":
        return None
    return None if "$" in text[1:-1].replace("\\$", "") else text[1:-1]
