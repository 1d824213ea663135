"""A command's Markdown as a person reads it in a terminal."""

from __future__ import annotations

import html
import re
import unicodedata

_CELL = re.compile(r"(?<!\\)\|")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+!|~>$-])")
_MARKS = re.compile(r"(?<!\\)(?:\*\*|`)")


def as_terminal(markdown: str) -> str:
    """A command's Markdown as a person reads it in a terminal: no escapes, no marks, tables in columns."""
    lines: list[str] = []
    rows: list[list[str]] = []
    for line in [*markdown.split("\n"), ""]:
        if line.startswith("|"):
            if set(line) - set("|- "):
                rows.append([_unmarked(cell.strip()) for cell in _CELL.split(line.strip("|"))])
            continue
        lines += _columns(rows)
        rows = []
        lines.append(_unmarked(line))
    return "\n".join(lines).strip("\n")


def _columns(rows: list[list[str]]) -> list[str]:
    count = max(map(len, rows), default=0)
    widths = [max(_width(row[column]) for row in rows if column < len(row)) for column in range(count)]
    padded = ([cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=False)] for row in rows)
    return ["  ".join(cells).rstrip() for cells in padded]


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _unmarked(text: str) -> str:
    plain = html.unescape(_ESCAPED.sub(r"\1", _MARKS.sub("", text)))
    return plain.replace("%orange", "orange-jupyter")
