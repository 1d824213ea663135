"""What a Word paragraph is by its style: a heading of some level, a numbered item, the title, or plain text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lxml import etree

from orange_jupyter.documents.word_xml import attribute, child, local, number, on, value

_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titulo|encabezado|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|"
    r"címsor|başlık|заголовок|标题|標題|見出し|제목)\s*([1-9])$",
    re.IGNORECASE,
)
_TITLES = frozenset({"title", "titel", "titre", "título", "titolo", "标题", "標題", "表題", "제목"})
_CAPTIONS = frozenset({"caption", "beschriftung", "légende", "题注", "題注", "標號", "図表番号", "캡션"})
_DEEPEST_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Numbered:
    """Which numbering a paragraph has: `level` counts from 0, None where the numbering's own link says it."""

    num_id: str
    level: int | None
    style_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """What a paragraph looks like; `heading` counts from 1."""

    heading: int | None = None
    numbered: Numbered | None = None
    title: bool = False
    caption: bool = False


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    outline: int | None
    num_id: str | None
    level: int | None
    hidden: bool


@dataclass(frozen=True, slots=True)
class Styles:
    """A document's styles by id."""

    known: dict[str, _Style]
    default: str | None = None

    def look(self, paragraph: etree._Element) -> Look:
        """The paragraph's own outline level and numbering, else those of its style and the styles it is based on."""
        properties = child(paragraph, "pPr")
        style_id = value(properties, "pStyle") or self.default
        chain = self._chain(style_id)
        names = {style.name.strip().casefold() for _, style in chain}
        outline = number(value(properties, "outlineLvl"))
        if outline is None:
            outline = _first([_level_of(style) for _, style in chain])
        if outline is None and not chain and style_id:
            outline = _named_level(style_id)
        return Look(
            heading=outline + 1 if outline is not None and outline < 9 else None,
            numbered=_numbered(properties, chain),
            title=not names.isdisjoint(_TITLES),
            caption=not names.isdisjoint(_CAPTIONS),
        )

    def hides(self, run_properties: etree._Element) -> bool:
        """Whether a run is hidden text, by itself or by its character style."""
        if child(run_properties, "vanish") is not None:
            return on(run_properties, "vanish")
        return any(style.hidden for _, style in self._chain(value(run_properties, "rStyle")))

    def num_id(self, style_id: str) -> str | None:
        """The numbering of a style, for numberings that are only links to one."""
        return next((style.num_id for _, style in self._chain(style_id) if style.num_id is not None), None)

    def _chain(self, style_id: str | None) -> list[tuple[str, _Style]]:
        chain: list[tuple[str, _Style]] = []
        while style_id in self.known and len(chain) < _DEEPEST_CHAIN:
            chain.append((style_id, self.known[style_id]))
            style_id = chain[-1][1].based_on
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
            name=value(element, "name") or "",
            based_on=value(element, "basedOn"),
            outline=number(value(properties, "outlineLvl")),
            num_id=value(properties, "numPr", "numId"),
            level=number(value(properties, "numPr", "ilvl"), most=8),
            hidden=on(child(element, "rPr"), "vanish"),
        )
        if attribute(element, "type") == "paragraph" and attribute(element, "default") in ("1", "true", "on"):
            default = style_id
    return Styles(known, default)


def _numbered(properties: etree._Element | None, chain: list[tuple[str, _Style]]) -> Numbered | None:
    """The numbering in force; the number 0 switches off what a style says."""
    own = child(properties, "numPr")
    num_id = value(own, "numId")
    level = number(value(own, "ilvl"), most=8)
    if num_id is None:
        num_id = next((style.num_id for _, style in chain if style.num_id is not None), None)
    elif level is None:
        level = 0
    if level is None:
        level = _first([style.level for _, style in chain])
    if num_id is None or num_id == "0":
        return None
    return Numbered(num_id, level, tuple(style_id for style_id, _ in chain))


def _level_of(style: _Style) -> int | None:
    return style.outline if style.outline is not None else _named_level(style.name)


def _named_level(name: str) -> int | None:
    match = _HEADING.match(name.strip())
    return int(match[1]) - 1 if match else None


def _first(values: list[int | None]) -> int | None:
    return next((value for value in values if value is not None), None)
