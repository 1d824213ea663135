"""The `markdown` format: title, tags and passages of a note (R-SRCH-5)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from orange_jupyter.core.document import Chunk, Extract
from orange_jupyter.documents.chunks import Span, pack
from orange_jupyter.documents.frontmatter import read_front_matter
from orange_jupyter.documents.structure import Section, blocks, code_masked, sections

_EAST = "⺀-〿぀-ヿ㐀-鿿가-힣豈-\ufaff\uff00-\uffef"
_TAG = re.compile(rf"(?:(?<=[{_EAST}])|(?<![\w&/#\\]))#([\w/\u0300-\u036f-]+)#?")
_NO_TAGS = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s<>）】」]*"  # a URL
    r"|\]\((?:[^()\n]|\([^()\n]*\))*\)|^ {0,3}\[[^\]\n]+\]:.*$|\]\[[^\[\]\n]*\]"  # a link's target
    r"|<[A-Za-z/][^<>\n]*>"  # an HTML tag or autolink
    r"|\\#",
    re.MULTILINE,
)


def extract(text: str, *, name: str) -> Extract:
    """Title (front matter, else first H1, else `name`), tags and passages, front matter left out of the passages."""
    front = read_front_matter(text)
    parts = sections(text, front.end)
    first = next((section.title for section in parts if section.level == 1 and section.title), "")
    tags = dict.fromkeys([*map(_tag, front.tags), *inline_tags(text, front.end)])
    return Extract(
        title=front.title or first or name,
        tags=tuple(tag for tag in tags if tag),
        chunks=tuple(_chunks(text, parts)),
    )


def inline_tags(text: str, start: int = 0) -> tuple[str, ...]:
    """The `#tags` of a note's prose, casefolded, in order of first use; not those in code, URLs, headings.

    `#a/b` is one nested tag, `#话题#` is `话题`; a tag holds a letter, so `#12` is none.
    """
    masked = code_masked(text, start)
    found: dict[str, None] = {}
    for block in blocks(text, start):
        if block.kind in ("prose", "table"):
            prose = _NO_TAGS.sub(lambda match: " " * len(match[0]), masked[block.start : block.end])
            found |= dict.fromkeys(_tag(match[1]) for match in _TAG.finditer(prose))
    return tuple(tag for tag in found if any(character.isalpha() for character in tag))


def _tag(name: str) -> str:
    """A tag as it is compared: NFC, without case, without `#` and stray slashes."""
    return unicodedata.normalize("NFC", name).strip("#/- \t").casefold()


def _chunks(text: str, parts: Iterable[Section]) -> Iterator[Chunk]:
    """Passages by section, each with its heading line; headings without text of their own go to what follows them."""
    waiting: list[Section] = []
    for section in parts:
        if waiting and section.level <= waiting[-1].level:
            yield from _cut(text, waiting, waiting[-1].path)
            waiting = []
        if not section.spans:
            waiting.append(section)
            continue
        yield from _cut(text, [*waiting, section], section.path)
        waiting = []
    if waiting:
        yield from _cut(text, waiting, waiting[-1].path)


def _cut(text: str, parts: list[Section], path: tuple[str, ...]) -> Iterator[Chunk]:
    spans = [span for section in parts for span in _spans(section)]
    for start, end in pack(text, spans):
        yield Chunk(text[start:end], start, end, heading_path=path)


def _spans(section: Section) -> tuple[Span, ...]:
    """A section's spans, the heading joined to the first paragraph so that no passage is a bare heading."""
    if section.heading is None:
        return section.spans
    if not section.spans or section.spans[0].solid:
        return (section.heading, *section.spans)
    return (Span(section.heading.start, section.spans[0].end), *section.spans[1:])
