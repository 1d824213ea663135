"""What a Word paragraph is by its style: a heading of some level, a list item, the title, or plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

_HEADING = re.compile(r"(?:heading|überschrift|titre|标题|標題|見出し)\s*([1-9])$", re.IGNORECASE)
_TITLES = frozenset({"title", "titel", "titre", "标题", "標題"})
_DEEPEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph looks like; `heading` counts from 1, `list_level` from 0."""

    heading: int | None = None
    list_level: int | None = None
    title: bool = False


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    outline: int | None
    listed: int | None


@dataclass(frozen=True, slots=True)
class Styles:
    """A document's paragraph styles by id."""

    known: dict[str, _Style]
    default: str | None = None

    def look(self, paragraph: etree._Element) -> Look:
        """The paragraph's own outline level and numbering, else those of its style and the styles it is based on."""
        properties = child(paragraph, "pPr")
        chain = self._chain(_value(properties, "pStyle") or self.default)
        own_outline, own_listed = _outline(properties), _listed(properties)
        outline = own_outline if own_outline is not None else _first([_level_of(style) for style in chain])
        if outline is not None and outline < 9:
            return Look(heading=outline + 1)
        listed = own_listed if own_listed is not None else _first([style.listed for style in chain])
        is_title = any(style.name.casefold() in _TITLES for style in chain)
        return Look(list_level=listed if listed is not None and listed >= 0 else None, title=is_title)

    def _chain(self, style_id: str | None) -> list[_Style]:
        chain: list[_Style] = []
        while style_id in self.known and len(chain) < _DEEPEST_CHAIN:
            chain.append(self.known[style_id])
            style_id = chain[-1].based_on
        return chain


def read_styles(root: etree._Element | None) -> Styles:
    """The styles part; a document without one has none."""
    known: dict[str, _Style] = {}
    default: str | None = None
    for element in () if root is None else root.iterchildren(etree.Element):
        style_id = attribute(element, "styleId")
        if local(element) != "style" or style_id is None:
            continue
        properties = child(element, "pPr")
        known[style_id] = _Style(
            _value(element, "name") or "", _value(element, "basedOn"), _outline(properties), _listed(properties)
        )
        if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true", "on"):
            default = style_id
    return Styles(known, default)


def local(element: etree._Element) -> str:
    """An element's name without its namespace, so that strict and transitional files read alike."""
    name = element.tag
    return name.rpartition("}")[2] if isinstance(name, str) else ""


def child(element: etree._Element, name: str) -> etree._Element | None:
    """The first child of a name."""
    return next((inner for inner in element if local(inner) == name), None)


def attribute(element: etree._Element, name: str) -> str | None:
    """An attribute by its name without namespace."""
    for key, value in element.attrib.items():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return None


def _value(element: etree._Element | None, name: str) -> str | None:
    found = child(element, name) if element is not None else None
    return attribute(found, "val") if found is not None else None


def _outline(properties: etree._Element | None) -> int | None:
    value = _value(properties, "outlineLvl")
    return int(value) if value is not None and value.isascii() and value.isdigit() else None


def _listed(properties: etree._Element | None) -> int | None:
    """The list level of a numbering, -1 where it is switched off (numId 0), None where nothing is said."""
    numbering = child(properties, "numPr") if properties is not None else None
    if numbering is None:
        return None
    if _value(numbering, "numId") == "0":
        return -1
    level = _value(numbering, "ilvl") or "0"
    return min(int(level), 8) if level.isascii() and level.isdigit() else 0


def _level_of(style: _Style) -> int | None:
    if style.outline is not None:
        return style.outline
    match = _HEADING.match(style.name.strip())
    return int(match[1]) - 1 if match else None


def _first(values: list[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)
