"""The lines of a Markdown note as blocks: headings with their path, code, tables, prose; and what is code in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from orange_jupyter.documents.chunks import Span, paragraphs

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r"(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|[ \t>]*)(`{3,}(?=[^`]*$)|~{3,})")
_DELIMITER = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_NOT_PROSE = re.compile(r"\s*(?:[-*+>|]|\d{1,9}[.)]\s|$)")
_TICKS = re.compile(r"(?<!`)(?<!\\)`+")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*#[^{}]*\}[ \t]*$")
_LONGEST_HEADING = 300
_EMPHASIS = re.compile(r"(\*{1,3}|~~|`+)(?=\S)(.+?)(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it up to the next heading; `level` 0 is the text above the first one."""

    level: int
    title: str
    path: tuple[str, ...]
    heading: Span | None
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    kind: str
    level: int = 0
    title: str = ""


def sections(text: str, start: int = 0) -> list[Section]:
    """The sections of a note's text from `start` (the end of its front matter) on."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    heading: _Block | None = None
    spans: list[Span] = []
    for block in [*blocks(text, start), None]:
        if block is None or block.kind == "heading":
            found.append(_section(heading, path, spans))
            if block is not None:
                path = [*(step for step in path if step[0] < block.level), (block.level, block.title)]
            heading, spans = block, []
        elif block.kind == "prose":
            spans += paragraphs(text, block.start, block.end)
        else:
            spans.append(Span(block.start, block.end, solid=True))
    return [section for section in found if section.heading or section.spans]


def _section(heading: _Block | None, path: list[tuple[int, str]], spans: list[Span]) -> Section:
    names = tuple(title for _, title in path)
    if heading is None:
        return Section(0, "", names, None, tuple(spans))
    return Section(heading.level, heading.title, names, Span(heading.start, heading.end), tuple(spans))


def code_masked(text: str, start: int = 0) -> str:
    """The text with front matter, fenced and inline code and comments blanked out; every offset stays."""
    pieces = [" " * start]
    for block in blocks(text, start):
        piece = text[block.start : block.end]
        pieces.append(_blank(piece) if block.kind == "code" else piece)
    return _without_comments(_without_ticks("".join(pieces)))


def plain_heading(source: str) -> str:
    """A heading's text, at most 300 characters, without emphasis, code ticks, link targets and a trailing `{#id}`."""
    plain = _LINK.sub(r"\1", _ATTRIBUTES.sub("", source[:_LONGEST_HEADING]))
    for _ in range(3):
        plain = _EMPHASIS.sub(r"\2", plain)
    return " ".join(plain.split())


def _atx_title(content: str | None) -> str:
    """What stands between a heading's opening and its closing `#`s."""
    inner = (content or "").strip()
    open_end = inner.rstrip("#")
    closed = open_end != inner and (not open_end or open_end[-1] in " \t")
    return plain_heading(open_end if closed else inner)


def blocks(text: str, start: int = 0) -> Iterator[_Block]:
    """Headings, fenced code, tables and the prose between them; together they cover the text from `start` on."""
    lines = [match.span() for match in _LINES.finditer(text, start) if match.end() > match.start()]
    position = 0
    prose_start = start
    while position < len(lines):
        block, used = _block_at(text, lines, position)
        if block is None:
            position += 1
            continue
        if block.start > prose_start:
            yield _Block(prose_start, block.start, "prose")
        yield block
        position += used
        prose_start = block.end
    if prose_start < len(text):
        yield _Block(prose_start, len(text), "prose")


def _block_at(text: str, lines: list[tuple[int, int]], at: int) -> tuple[_Block | None, int]:
    """The heading, code or table that begins at a line, and how many lines it takes."""
    start, end = lines[at]
    line = text[start:end].rstrip("\r\n")
    following = text[slice(*lines[at + 1])].rstrip("\r\n") if at + 1 < len(lines) else ""
    if fence := _FENCE.match(line):
        used = _fence_lines(text, lines, at, fence[1])
        return _Block(start, lines[at + used - 1][1], "code"), used
    if atx := _ATX.match(line):
        return _Block(start, end, "heading", len(atx[1]), _atx_title(atx[2])), 1
    if "|" in line and "|" in following and _DELIMITER.match(following):
        used = _table_lines(text, lines, at)
        return _Block(start, lines[at + used - 1][1], "table"), used
    if (under := _SETEXT.match(following)) and not _NOT_PROSE.match(line) and _fresh(text, lines, at):
        level = 1 if under[1][0] == "=" else 2
        return _Block(start, lines[at + 1][1], "heading", level, plain_heading(line)), 2
    return None, 1


def _fresh(text: str, lines: list[tuple[int, int]], at: int) -> bool:
    """Whether a line begins a paragraph, so that an underline makes it, and only it, a heading."""
    return at == 0 or not text[slice(*lines[at - 1])].strip() or bool(_ATX.match(text[slice(*lines[at - 1])].rstrip()))


def _fence_lines(text: str, lines: list[tuple[int, int]], at: int, fence: str) -> int:
    closing = re.compile(rf"[ \t>]*{re.escape(fence[0])}{{{len(fence)},}}[ \t]*$")
    for used in range(1, len(lines) - at):
        if closing.match(text[slice(*lines[at + used])].rstrip("\r\n")):
            return used + 1
    return len(lines) - at


def _table_lines(text: str, lines: list[tuple[int, int]], at: int) -> int:
    used = 2
    while at + used < len(lines) and "|" in text[slice(*lines[at + used])]:
        used += 1
    return used


def _without_ticks(text: str) -> str:
    """Blank inline code: a run of ticks up to the next run of the same length in the paragraph."""
    pieces: list[str] = []
    done = 0
    for span in paragraphs(text, 0, len(text)):
        runs = [(match.start(), match.end()) for match in _TICKS.finditer(text, span.start, span.end)]
        for start, end in _code_spans(runs):
            pieces += [text[done:start], _blank(text[start:end])]
            done = end
    return "".join([*pieces, text[done:]])


def _code_spans(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    later: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[index][1] - runs[index][0], []).append(index)
    index = 0
    while index < len(runs):
        same = later[runs[index][1] - runs[index][0]]
        while same and same[-1] <= index:
            same.pop()
        if same:
            yield runs[index][0], runs[same[-1]][1]
            index = same[-1] + 1
        else:
            index += 1


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    done = 0
    while (start := text.find("<!--", done)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        pieces += [text[done:start], _blank(text[start : end + 3])]
        done = end + 3
    return "".join([*pieces, text[done:]])


def _blank(piece: str) -> str:
    return "".join(character if character in "\r\n" else " " for character in piece)
