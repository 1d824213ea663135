"""Pages with a known order of reading, drawn in that order, row by row across the columns, or shuffled."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pymupdf

SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "zu")
SIGNS = "春夏秋冬山川草木天地日月星辰风雨雷电花鸟鱼虫金石书画诗词歌赋东西南北上下左右前后高低远近明暗冷暖"


@dataclass(frozen=True)
class Stroke:
    """One line of text at a place, in points; `turned` in degrees."""

    x: float
    y: float
    text: str
    size: float = 10.0
    font: str = "tiro"
    turned: int = 0


Part = list[Stroke]
"""The lines of one part of a page (a title, a column's paragraph, a row of a table), in order."""


@dataclass(frozen=True)
class Layout:
    """A page's parts in the order in which a person reads them."""

    parts: list[Part]
    width: float = 612.0
    height: float = 792.0
    rotation: int = 0

    def drawn(self, variant: str, seed: int = 1) -> bytes:
        """The page as a file: `native` (in order), `rows` (by rows across), `shuffle`, `parts` (parts shuffled)."""
        chance = random.Random(seed)
        parts = list(self.parts)
        if variant == "parts":
            chance.shuffle(parts)
        lines = [line for part in parts for line in part]
        if variant == "rows":
            lines.sort(key=lambda line: (round(line.y / 2), line.x))
        elif variant == "shuffle":
            chance.shuffle(lines)
        with pymupdf.open() as document:
            page = document.new_page(width=self.width, height=self.height)
            for line in lines:
                page.insert_text(
                    (line.x, line.y), line.text, fontsize=line.size, fontname=line.font, rotate=line.turned
                )
            page.set_rotation(self.rotation)
            return bytes(document.tobytes(garbage=3))

    @property
    def words(self) -> list[list[str]]:
        """The first word of each line, by part; every one is unique on its page."""
        return [[line.text.split()[0] for line in part] for part in self.parts]


class Writer:
    """Makes paragraphs of words that occur once."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._count = 0

    def word(self) -> str:
        """A new word."""
        self._count += 1
        number, out = self._count * 7 + 11, ""
        while number:
            number, rest = divmod(number, len(SYLLABLES))
            out += SYLLABLES[rest]
        return out + "x"

    def column(self, box: tuple[float, float, float, float], *, size: float = 10.0, indent: float = 12.0) -> list[Part]:
        """Paragraphs that fill a box, one part each."""
        x0, y0, x1, y1 = box
        parts: list[Part] = []
        y, step = y0 + size, size * 1.2
        while y < y1:
            rows = self._chance.randint(4, 9)
            part: Part = []
            for row in range(rows):
                if y >= y1:
                    break
                shift = indent if row == 0 else 0.0
                room = (x1 - x0 - shift) * (1.0 if row < rows - 1 else self._chance.uniform(0.2, 0.9))
                part.append(Stroke(x0 + shift, y, self.line(room, size), size))
                y += step
            if part:
                parts.append(part)
        return parts

    def line(self, room: float, size: float, font: str = "tiro") -> str:
        """Words that fill a width, at least one."""
        text = self.word()
        width = pymupdf.get_text_length(text, font, size)
        while True:
            more = f" {self.word()}"
            width += pymupdf.get_text_length(more, font, size)
            if width > room:
                return text
            text += more

    def chinese(self, box: tuple[float, float, float, float], size: float = 10.0) -> list[Part]:
        """Lines of Chinese signs; each begins with a word of its own."""
        x0, y0, x1, y1 = box
        part: Part = []
        y = y0 + size
        while y < y1:
            word = self.word()
            count = int((x1 - x0 - len(word) * size * 0.5) / size) - 3
            signs = "".join(self._chance.choice(SIGNS) for _ in range(count))
            part.append(Stroke(x0, y, f"{word} {signs}", size, "china-s"))
            y += size * 1.5
        return [part]


def centred(writer: Writer, y: float, size: float, share: float = 0.7) -> Part:
    """One centred line."""
    text = writer.line(612 * share, size)
    return [Stroke(306 - pymupdf.get_text_length(text, "tiro", size) / 2, y, text, size)]


def two_columns(seed: int) -> Layout:
    """A title and an abstract over two columns, a page number below."""
    pen = Writer(seed)
    top = [centred(pen, 70, 18), [*centred(pen, 90, 10, 0.4)]]
    abstract = pen.column((90, 110, 522, 175), size=9, indent=0)
    columns = pen.column((54, 200, 300, 720)) + pen.column((316, 200, 560, 720))
    return Layout([*top, *abstract, *columns, [Stroke(300, 760, pen.word())]])


def three_columns(seed: int) -> Layout:
    """Three columns with narrow gutters under a running head of two parts."""
    pen = Writer(seed)
    head = [[Stroke(46, 40, pen.line(100, 9), 9), Stroke(420, 40, pen.line(120, 9), 9)]]
    boxes = ((46, 70, 212, 740), (226, 70, 392, 740), (406, 70, 572, 700))
    return Layout(head + [part for box in boxes for part in pen.column(box, size=9)])


def figure_in_column(seed: int) -> Layout:
    """Two columns; in the right one a picture's labels and a caption stand between paragraphs."""
    pen = Writer(seed)
    left = pen.column((54, 70, 300, 730))
    right = pen.column((316, 70, 560, 260))
    labels = [[Stroke(340 + 60 * number, 330 + 17 * number, pen.word(), 7)] for number in range(3)]
    caption = [[Stroke(316, 410, pen.line(240, 8), 8), Stroke(316, 420, pen.line(150, 8), 8)]]
    return Layout(left + right + labels + caption + pen.column((316, 450, 560, 730)))


def footnotes(seed: int) -> Layout:
    """Two columns, each with its footnote in small print."""
    pen = Writer(seed)
    parts: list[Part] = []
    for x0, x1 in ((54, 300), (316, 560)):
        parts += pen.column((x0, 70, x1, 640))
        parts += pen.column((x0, 665, x1, 720), size=7.5, indent=6)
    return Layout(parts)


def band_between(seed: int) -> Layout:
    """Columns above and below a heading that runs over both."""
    pen = Writer(seed)
    above = pen.column((54, 60, 300, 330)) + pen.column((316, 60, 560, 330))
    below = pen.column((54, 400, 300, 730)) + pen.column((316, 400, 560, 730))
    return Layout([*above, centred(pen, 368, 14, 0.8), *below])


def table_in_text(seed: int) -> Layout:
    """One column of text with a table of five columns in the middle, a row a part."""
    pen = Writer(seed)
    rows = [[Stroke(70 + 95 * cell, 330 + 14 * row, pen.word()) for cell in range(5)] for row in range(9)]
    return Layout([*pen.column((54, 60, 560, 300)), *rows, *pen.column((54, 480, 560, 700))])


def side_note(seed: int) -> Layout:
    """A wide column with a narrow note on its right, on other baselines."""
    pen = Writer(seed)
    return Layout(pen.column((54, 60, 400, 730)) + pen.column((430, 143, 560, 260), size=8, indent=0))


def chinese(seed: int) -> Layout:
    """Chinese in two columns under a title."""
    pen = Writer(seed)
    return Layout([centred(pen, 60, 16), *pen.chinese((54, 90, 296, 730)), *pen.chinese((318, 90, 560, 730))])


def rotated(seed: int) -> Layout:
    """Two columns drawn sideways on a page that a viewer turns upright, and a stamp in its margin."""
    upright = two_columns(seed)
    parts = [[replace(line, x=line.y, y=612 - line.x, turned=90) for line in part] for part in upright.parts]
    return Layout(parts, 792, 612, 90)


LAYOUTS: Sequence[Callable[[int], Layout]] = (
    two_columns,
    three_columns,
    figure_in_column,
    footnotes,
    band_between,
    table_in_text,
    side_note,
    chinese,
    rotated,
)


def scores(text: str, parts: Sequence[Sequence[str]]) -> tuple[float, float]:
    """The shares of pairs of parts in order, and of lines that follow their part's line before at once."""
    places = {word: at for at, word in enumerate(text.split())}
    firsts = [places.get(part[0], -1) for part in parts]
    pairs = [0 <= one < other for at, one in enumerate(firsts) for other in firsts[at + 1 :]]
    starts = sorted(places[word] for part in parts for word in part if word in places)
    rank = {at: number for number, at in enumerate(starts)}
    steps = [
        one in places and other in places and rank[places[other]] == rank[places[one]] + 1
        for part in parts
        for one, other in pairwise(part)
    ]
    return sum(pairs) / len(pairs), sum(steps) / max(1, len(steps))
