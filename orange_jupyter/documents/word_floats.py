"""What floats in a Word paragraph: text boxes, pictures, charts, SmartArt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from orange_jupyter.documents.word_xml import alternatives, attribute, child, local

FLOATS = frozenset({"drawing", "pict", "object"})
"""The elements of a run that hold them."""


@dataclass(frozen=True, slots=True)
class TextBox:
    """A box whose `content` has paragraphs and tables."""

    content: etree._Element


@dataclass(frozen=True, slots=True)
class Words:
    """Text that is drawn without paragraphs of its own, such as WordArt, or that lies in the part `relation`."""

    text: str = ""
    relation: str = ""


@dataclass(frozen=True, slots=True)
class PictureRef:
    """A picture by its relation in the part that shows it, or a chart (`chart`), which has no pixels."""

    relation: str
    alt: str = ""
    chart: bool = False


Float = TextBox | Words | PictureRef


def floats(element: etree._Element, alt: str = "") -> Iterator[Float]:
    """The floats in a `drawing`, `pict` or `object`, in order, each once; `alt` is the text said of what is around."""
    alt = _alt(element) or alt
    for inner in element.iterchildren(etree.Element):
        name = local(inner)
        if name == "AlternateContent":
            for chosen in alternatives(inner):
                yield from floats(chosen, alt)
        elif name == "txbxContent":
            yield TextBox(inner)
        elif name == "txBody":
            yield Words(_drawn_text(inner))
        elif name == "textpath":
            yield Words(attribute(inner, "string") or "")
        elif name in ("blip", "imagedata", "chart", "relIds"):
            yield from _referred(inner, alt)
        else:
            yield from floats(inner, alt)


def drawn_paragraphs(element: etree._Element) -> Iterator[str]:
    """The paragraphs of text in DrawingML, as SmartArt and locked drawings have them."""
    for inner in element.iter(etree.Element):
        if local(inner) == "p":
            yield "".join(part.text or "" for part in inner.iter(etree.Element) if local(part) == "t")


def _drawn_text(element: etree._Element) -> str:
    return "\n".join(filter(None, drawn_paragraphs(element)))


def _referred(element: etree._Element, alt: str) -> Iterator[Float]:
    name = local(element)
    if name == "relIds":
        yield Words(relation=attribute(element, "dm") or "")
        return
    relation = _relation(element)
    if not relation and name == "blip":  # a picture that is kept as SVG only
        relation = next((_relation(inner) for inner in element.iter(etree.Element) if local(inner) == "svgBlip"), "")
    if relation or name == "chart":
        yield PictureRef(relation, attribute(element, "title") or alt, chart=name == "chart")


def _relation(element: etree._Element) -> str:
    """The relation that an element names; such attributes always have a namespace."""
    named = {str(key).rpartition("}")[2]: str(said) for key, said in element.attrib.items() if str(key)[0] == "{"}
    return next((named[key] for key in ("embed", "link", "id", "pict", "relid") if named.get(key)), "")


def _alt(element: etree._Element) -> str:
    """The alternative text of a drawing or shape: its description, else its title."""
    named = child(element, "docPr")
    if named is None:
        named = child(element, "nvPicPr", "cNvPr")
    if named is None:
        return " ".join((attribute(element, "alt") or "").split())
    for key in ("descr", "title"):
        if text := " ".join((attribute(named, key) or "").split()):
            return text
    return ""
