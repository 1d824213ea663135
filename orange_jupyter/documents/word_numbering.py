"""The numbers that Word prints before headings and list items: numbering.xml, counted along the document."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lxml import etree

from orange_jupyter.documents.word_styles import Numbered, Styles
from orange_jupyter.documents.word_xml import attribute, child, local, number, on, value

BULLET = "- "
"""What stands before an item of a list without numbers."""

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"))
_SMALL_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
_HAN = "〇一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list counts and prints; `restart` is the level (from 1) below which it starts anew, or 0."""

    start: int = 1
    shape: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    style_id: str | None = None
    gap: str = " "


@dataclass(frozen=True, slots=True)
class _List:
    """A numbering as paragraphs name it: the abstract list that it counts in, and what it changes of that."""

    abstract: str
    levels: dict[int, _Level]
    starts: dict[int, int]

    def start(self, at: int) -> int:
        """Where a level begins, and what stands for it where no paragraph of it came yet."""
        return self.starts.get(at, self.levels.get(at, _Level()).start)


@dataclass(slots=True)
class Numbering:
    """The lists of a document and how far each has counted. `label` must be called once a paragraph, in order."""

    lists: dict[str, _List]
    counts: dict[str, list[int | None]] = field(default_factory=dict)
    begun: set[tuple[str, int]] = field(default_factory=set)

    def level(self, numbered: Numbered) -> int:
        """The level of a paragraph, 0 … 8: its own, else the one that its list links to its style."""
        found = self.lists.get(numbered.num_id)
        if numbered.level is not None or found is None:
            return numbered.level or 0
        linked = (at for at, level in found.levels.items() if level.style_id in numbered.style_ids)
        return next(linked, 0)

    def label(self, numbered: Numbered) -> str | None:
        """Count one paragraph and give what stands before it: `2.1 `, `b) `, `- ` for a bullet, "" for nothing.

        None where the file does not describe the list.
        """
        found, at = self.lists.get(numbered.num_id), self.level(numbered)
        if found is None:
            return None
        counts = self.counts.setdefault(found.abstract, [None] * LEVELS)
        self._count(numbered.num_id, found, (counts, at))
        level = found.levels.get(at)
        if level is None:
            return None
        if level.shape == "bullet":
            return BULLET
        text = _PLACE.sub(lambda match: _printed(found, counts, (int(match[1]) - 1, level.legal)), level.text).strip()
        return text + level.gap if text else ""

    def _count(self, num_id: str, found: _List, where: tuple[list[int | None], int]) -> None:
        counts, at = where
        fresh = at in found.starts and (num_id, at) not in self.begun
        self.begun.add((num_id, at))
        before = None if fresh else counts[at]
        counts[at] = found.start(at) if before is None else min(before + 1, _MOST)
        for below in range(at + 1, LEVELS):
            restart = found.levels.get(below, _Level()).restart
            if restart is None or (restart and at < restart):
                counts[below] = None


def read_numbering(root: etree._Element | None, styles: Styles) -> Numbering:
    """The numbering part; a document without one has no lists."""
    abstracts: dict[str, etree._Element] = {}
    numbers: dict[str, etree._Element] = {}
    for element in () if root is None else root.iterchildren(etree.Element):
        if local(element) == "abstractNum":
            abstracts[attribute(element, "abstractNumId") or ""] = element
        elif local(element) == "num":
            numbers[attribute(element, "numId") or ""] = element
    lists = {}
    for num_id, element in numbers.items():
        abstract = _followed(value(element, "abstractNumId") or "", abstracts, (numbers, styles))
        if abstract in abstracts:
            lists[num_id] = _list(abstract, _levels(abstracts[abstract]), element)
    return Numbering(lists)


def _followed(
    abstract: str, abstracts: dict[str, etree._Element], where: tuple[dict[str, etree._Element], Styles]
) -> str:
    """The abstract list that really has the levels: one may be only a link to a list style."""
    numbers, styles = where
    for _ in range(5):
        link = value(abstracts.get(abstract), "numStyleLink")
        num_id = styles.num_id(link) if link else None
        if num_id is None or num_id not in numbers:
            break
        abstract = value(numbers[num_id], "abstractNumId") or ""
    return abstract


def _list(abstract: str, levels: dict[int, _Level], element: etree._Element) -> _List:
    starts: dict[int, int] = {}
    levels = dict(levels)
    for override in element.iterchildren(etree.Element):
        at = number(attribute(override, "ilvl"), most=LEVELS)
        if local(override) != "lvlOverride" or at is None or at >= LEVELS:
            continue
        own = child(override, "lvl")
        if own is not None:
            levels[at] = _level(own)
        start = number(value(override, "startOverride"), most=_MOST)
        if start is not None:
            starts[at] = start
    return _List(abstract, levels, starts)


def _levels(abstract: etree._Element) -> dict[int, _Level]:
    found = {}
    for element in abstract.iterchildren(etree.Element):
        at = number(attribute(element, "ilvl"), most=LEVELS)
        if local(element) == "lvl" and at is not None and at < LEVELS:
            found[at] = _level(element)
    return found


def _level(element: etree._Element) -> _Level:
    shape = child(element, "numFmt")
    if shape is None:  # a format of a newer Word stands in alternatives
        shape = child(element, "AlternateContent", "Fallback", "numFmt")
    return _Level(
        start=number(value(element, "start"), most=_MOST) or 0,
        shape=(attribute(shape, "val") if shape is not None else None) or "decimal",
        text=(value(element, "lvlText") or "")[:200],
        restart=number(value(element, "lvlRestart"), most=LEVELS),
        legal=on(element, "isLgl"),
        style_id=value(element, "pStyle"),
        gap="" if value(element, "suff") == "nothing" else " ",
    )


def _printed(found: _List, counts: list[int | None], which: tuple[int, bool]) -> str:
    at, legal = which
    level = found.levels.get(at, _Level())
    if level.shape in ("bullet", "none"):
        return ""
    count = found.start(at) if (known := counts[at]) is None else known
    return str(count) if legal else spelled(count, level.shape)


def spelled(count: int, shape: str) -> str:
    """A number in one of Word's formats, `2` as `ii`, `b`, `②` …; decimal where the format is not known."""
    write = _SHAPES.get(shape)
    return (write(count) if write and count > 0 else None) or str(count)


def _roman(count: int) -> str | None:
    if count >= 4000:
        return None
    out = ""
    for size, sign in (*_ROMAN, *_SMALL_ROMAN):
        while count >= size:
            out, count = out + sign, count - size
    return out


def _letter(count: int) -> str | None:
    times, at = divmod(count - 1, 26)
    return chr(97 + at) * (times + 1) if times < 30 else None


def _han(count: int) -> str | None:
    if count >= 100:
        return "".join(_HAN[int(digit)] for digit in str(count))
    tens, ones = divmod(count, 10)
    return ("" if tens == 0 else "十" if tens == 1 else _HAN[tens] + "十") + (_HAN[ones] if ones else "")


def _circled(count: int) -> str | None:
    return chr(0x2460 + count - 1) if count <= 20 else chr(0x3251 + count - 21) if count <= 35 else None


def _ordinal(count: int) -> str:
    ending = "th" if count % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{ending}"


def _upper(write: Callable[[int], str | None]) -> Callable[[int], str | None]:
    return lambda count: (write(count) or "").upper() or None


_SHAPES: dict[str, Callable[[int], str | None]] = {
    "lowerRoman": _roman,
    "upperRoman": _upper(_roman),
    "lowerLetter": _letter,
    "upperLetter": _upper(_letter),
    "decimalZero": lambda count: f"{count:02}",
    "ordinal": _ordinal,
    "decimalFullWidth": lambda count: "".join(chr(ord(digit) + 0xFEE0) for digit in str(count)),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "ideographTraditional": lambda count: _STEMS[(count - 1) % 10],
    "ideographZodiac": lambda count: _BRANCHES[(count - 1) % 12],
    **dict.fromkeys(
        ("chineseCounting", "chineseCountingThousand", "japaneseCounting", "taiwaneseCounting", "ideographDigital"),
        _han,
    ),
    **dict.fromkeys(("taiwaneseCountingThousand", "koreanDigital2", "koreanCounting", "taiwaneseDigital"), _han),
}
