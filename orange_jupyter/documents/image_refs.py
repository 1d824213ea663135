"""The `![…](…)` references of a Markdown note as values; nothing here looks at a disk (R-READ-10)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from orange_jupyter.documents.chunks import paragraphs
from orange_jupyter.documents.frontmatter import read_front_matter
from orange_jupyter.documents.structure import code_masked

_SPACE = r"[ \t]*(?:\r\n|\n|\r)?[ \t]*"
_TITLE = r"(?:\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\((?:[^()\\]|\\.)*\))"
_ANGLED = re.compile(r"<((?:[^<>\\\r\n]|\\.)*)>")
_AFTER = re.compile(rf"(?:{_SPACE}(?<=\s){_TITLE})?{_SPACE}\)", re.DOTALL)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_DEFINITION = re.compile(r"^ {0,3}\[((?:[^\[\]\\]|\\.){1,999})\]:" + _SPACE, re.MULTILINE | re.DOTALL)
_AFTER_DEFINITION = re.compile(rf"[ \t]*(?:$|{_SPACE}(?<=\s){_TITLE}[ \t]*$)", re.MULTILINE | re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_BRACKET = re.compile(r"\\.|!\[|\[|\]", re.DOTALL)
_STEP = re.compile(r"\\[^\s]|\\|[()]|[^\s()\\\x00-\x1f]+")
_MAX_DESTINATION = 4096
_DEEPEST = 32
"""Parentheses in parentheses; what nests deeper is no file name, and the search stays linear."""


@dataclass(frozen=True, slots=True)
class ImageRef:
    """One picture that a note refers to. `start`/`end` are the reference's place in the note's text.

    `path` is the target with escapes and, unless it is a URL, percent codes resolved; `destination` is the target
    with only the escapes resolved, for a file whose very name holds a `%`. Neither was compared with a disk.
    """

    path: str
    alt: str
    start: int
    end: int
    destination: str


def image_refs(text: str, start: int = 0, end: int | None = None) -> tuple[ImageRef, ...]:
    """The picture references that begin in `[start, end)` of a whole note's text, in order."""
    end = len(text) if end is None else end
    masked = code_masked(text, read_front_matter(text).end)
    definitions: dict[str, str] | None = None
    found: list[ImageRef] = []
    for opening, closing in _brackets(masked):
        if not start <= opening < end:
            continue
        target = _inline(masked, text, closing + 1)
        if target is None:
            definitions = _definitions(masked, text) if definitions is None else definitions
            target = _by_label(masked, text, (opening, closing), definitions)
        if target is not None:
            destination = _unescape(target[0])
            alt = " ".join(_unescape(text[opening + 2 : closing]).split())
            found.append(ImageRef(_decoded(destination), alt, opening, target[1], destination))
    return tuple(found)


def _brackets(masked: str) -> Iterator[tuple[int, int]]:
    """Where each `![` begins and its `]` stands; brackets nest, and none reaches over a blank line."""
    pairs: list[tuple[int, int]] = []
    for span in paragraphs(masked, 0, len(masked)):
        open_at: list[tuple[int, bool]] = []
        for mark in _BRACKET.finditer(masked, span.start, span.end):
            if mark[0] == "]" and open_at:
                opening, is_image = open_at.pop()
                if is_image:
                    pairs.append((opening, mark.start()))
            elif mark[0] in ("[", "!["):
                open_at.append((mark.start(), mark[0] == "!["))
    yield from sorted(pairs)


def _inline(masked: str, text: str, at: int) -> tuple[str, int] | None:
    """The target and the end of `(target "title")` at a place, or None."""
    if masked[at : at + 1] != "(":
        return None
    spaces = re.compile(_SPACE).match(masked, at + 1)
    target = _target(masked, text, spaces.end() if spaces else at + 1)
    after = _AFTER.match(masked, target[1]) if target else None
    return (target[0], after.end()) if target and after else None


def _target(masked: str, text: str, at: int) -> tuple[str, int] | None:
    """`<with blanks>` or a word with balanced parentheses; the mask is only asked where code begins."""
    if text.startswith("<", at):
        angled = _ANGLED.match(text, at)
        return (angled[1], angled.end()) if angled else None
    depth, place = 0, at
    while 0 <= depth <= _DEEPEST and place - at < _MAX_DESTINATION and (step := _STEP.match(masked, place)):
        depth += (step[0] == "(") - (step[0] == ")")
        if depth >= 0:
            place = step.end()
    return (text[at:place], place) if depth <= 0 else None


def _definitions(masked: str, text: str) -> dict[str, str]:
    """`[label]: target` lines; the first of a label counts."""
    known: dict[str, str] = {}
    for match in _DEFINITION.finditer(masked):
        target = _target(masked, text, match.end())
        if target and target[1] > match.end() and _AFTER_DEFINITION.match(masked, target[1]):
            known.setdefault(_label(match[1]), target[0])
    return known


def _by_label(masked: str, text: str, bracket: tuple[int, int], definitions: dict[str, str]) -> tuple[str, int] | None:
    """The target of `![alt][label]`, `![label][]` or `![label]`."""
    opening, closing = bracket
    label = _LABEL.match(masked, closing + 1)
    name = label[1] if label and label[1].strip() else text[opening + 2 : closing]
    target = definitions.get(_label(name))
    return (target, label.end() if label else closing + 1) if target is not None else None


def _label(name: str) -> str:
    return " ".join(name.split()).casefold()


def _unescape(source: str) -> str:
    return _ESCAPED.sub(r"\1", source)


def _decoded(destination: str) -> str:
    """Percent codes resolved where they are UTF-8 and leave no NUL; a URL stays as written."""
    if _REMOTE.match(destination) or "%" not in destination:
        return destination
    try:
        decoded = unquote_to_bytes(destination).decode("utf-8")
    except UnicodeDecodeError:
        return destination
    return destination if "\0" in decoded else decoded
