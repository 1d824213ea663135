"""Cuts a text into the passages that are searched and cited: `text[chunk.start:chunk.end] == chunk.text`, always."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from orange_jupyter.core.document import Chunk

LATIN_LIMIT = 1200
CJK_LIMIT = 600
"""Characters of a passage, mostly Latin and mostly CJK: about the same amount of meaning."""

_CJK = re.compile(r"[⺀-⿿、-〿぀-ヿ㄀-ㄯ㐀-䶿一-鿿가-힣豈-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_LETTER = re.compile(r"[^\W_]")
_BLANK = re.compile(r"\n[ \t\r]*\n\s*|\r[ \t]*\r\s*")
_SENTENCE = re.compile(r"(?:[。！？…]+|[.!?]+(?=\s))[\"'”’」』）)\]]*\s*|\n+|\r+")
_LINE = re.compile(r"\r?\n|\r")
_SOFT = re.compile(r"[，；、：,;:]\s*|\s+")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch `[start, end)` of a text; a `solid` one (code, table) is cut at its lines, not at its sentences."""

    start: int
    end: int
    solid: bool = False


def chunk_plain(
    text: str, *, page: int | None = None, block: int | None = None, heading_path: tuple[str, ...] = ()
) -> tuple[Chunk, ...]:
    """The passages of a text without markup (a txt file, a PDF page, a DOCX block), paragraphs kept where they fit."""
    spans = paragraphs(text, 0, len(text))
    return tuple(
        Chunk(text[start:end], start, end, heading_path=heading_path, page=page, block=block)
        for start, end in pack(text, spans)
    )


def paragraphs(text: str, start: int, end: int) -> list[Span]:
    """The stretches between blank lines in `[start, end)`."""
    spans: list[Span] = []
    for gap in _BLANK.finditer(text, start, end):
        spans.append(Span(start, gap.start()))
        start = gap.end()
    spans.append(Span(start, end))
    return [span for span in spans if text[span.start : span.end].strip()]


def pack(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Join neighbouring spans as long as they fit one passage; cut those that do not fit alone.

    Gives `(start, end)` in order, without white space at the ends; nothing else of the spans is lost.
    """
    room = _Room(text)
    for span in spans:
        for piece in _pieces(text, span):
            if not room.add(piece):
                yield from room.take()
                room.add(piece)
    yield from room.take()


class _Room:
    """The passage that is being filled. Counts each piece once, so that packing is linear."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._start: int | None = None
        self._end = 0
        self._cjk = self._letters = 0

    def add(self, span: Span) -> bool:
        """Take a piece in, unless the passage would grow over its limit; an empty room takes anything."""
        start = span.start if self._start is None else self._start
        cjk, letters = _counts(self._text, span)
        cjk, letters = self._cjk + cjk, self._letters + letters
        if self._start is not None and span.end - start > _limit(cjk, letters):
            return False
        self._start, self._end, self._cjk, self._letters = start, span.end, cjk, letters
        return True

    def take(self) -> Iterator[tuple[int, int]]:
        """The passage so far, trimmed, if there is one; the room is empty afterwards."""
        if self._start is not None:
            start, end = trim(self._text, self._start, self._end)
            if start < end:
                yield start, end
        self._start, self._end, self._cjk, self._letters = None, 0, 0, 0


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends; blank lines go, the first line's indentation stays with its text."""
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return start, end


def mostly_cjk(text: str) -> bool:
    """Whether at least half of a text's letters are Chinese, Japanese or Korean."""
    cjk, letters = _counts(text, Span(0, len(text)))
    return cjk * 2 >= letters and cjk > 0


def _counts(text: str, span: Span) -> tuple[int, int]:
    """How many CJK letters and how many letters and digits of any script stand in a span."""
    piece = text[span.start : span.end]
    if piece.isascii():
        return 0, len(_LETTER.findall(piece))
    rest, cjk = _CJK.subn("", piece)
    return cjk, cjk + len(_LETTER.findall(rest))


def _limit(cjk: int, letters: int) -> int:
    return CJK_LIMIT if cjk * 2 >= letters and cjk > 0 else LATIN_LIMIT


def _fits(text: str, span: Span) -> bool:
    return span.end - span.start <= CJK_LIMIT or span.end - span.start <= _limit(*_counts(text, span))


def _pieces(text: str, span: Span) -> Iterator[Span]:
    """The span itself if it fits, else its lines (code, tables) or sentences, else stretches at soft boundaries."""
    if span.end - span.start <= LATIN_LIMIT and _fits(text, span):
        yield span
        return
    for part in _cut(text, span, _LINE if span.solid else _SENTENCE):
        if part.end - part.start <= LATIN_LIMIT and _fits(text, part):
            yield part
        else:
            yield from _hard(text, part)


def _cut(text: str, span: Span, boundary: re.Pattern[str]) -> Iterator[Span]:
    start = span.start
    for match in boundary.finditer(text, span.start, span.end):
        if match.end() > start:
            yield Span(start, match.end(), span.solid)
            start = match.end()
    if start < span.end:
        yield Span(start, span.end, span.solid)


def _hard(text: str, span: Span) -> Iterator[Span]:
    """A sentence longer than a passage: cut after a comma or blank in its last third, else before a whole character."""
    start = span.start
    while start < span.end:
        end = _stop(text, start, span.end, LATIN_LIMIT)
        if end - start > CJK_LIMIT and mostly_cjk(text[start:end]):
            end = _stop(text, start, span.end, CJK_LIMIT)
        yield Span(start, end)
        start = end


def _stop(text: str, start: int, last: int, size: int) -> int:
    if last - start <= size:
        return last
    soft = [match.end() for match in _SOFT.finditer(text, start + size * 2 // 3, start + size)]
    return soft[-1] if soft else _whole(text, start, start + size)


def _whole(text: str, start: int, end: int) -> int:
    """An end that does not part a character from its accents, variation selector or joiner."""
    best = end
    while best > start + 1 and _joined(text[best - 1], text[best]):
        best -= 1
    return best if end - best < 32 else end


def _joined(left: str, right: str) -> bool:
    return left == "\u200d" or right == "\u200d" or unicodedata.category(right) in ("Mn", "Mc", "Me", "Sk")
