"""Model Markdown to safe HTML (R-UI-7): parsed without raw HTML, then cleaned again by an allow list of our own.

Nothing in the result loads anything: pictures become their words, links go to http, https, mailto or a note.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlsplit

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from orange_jupyter.jupyter.citing import Citing, cite
from orange_jupyter.jupyter.markdown_rules import dress, escape, language_of_text, parser
from orange_jupyter.jupyter.strings import Language, text

OPEN_LIMIT = 20_000
"""Characters of an unfinished block that are still rendered as Markdown while it streams (48 KB cost 50 ms)."""

NODE_LIMIT = 800
"""Nodes of one block that are still drawn one by one: a table of 40 rows has 400."""

_TAGS = (
    *("a", "b", "br", "code", "del", "em", "s", "span", "strong"),
    *("blockquote", "div", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "ul"),
    *("table", "tbody", "td", "th", "thead", "tr"),
)
_ATTRIBUTES = {
    "*": {"lang"},
    "a": {"href", "title", "aria-label"},
    "div": {"tabindex", "role", "aria-label"},
    "ol": {"start"},
    "span": {"title"},
    "th": {"scope"},
}
_CLASSES = {
    "a": {"oj-cite", "is-off"},
    "div": {"oj-scroll", "oj-math"},
    "span": {"oj-cite", "is-off", "oj-math", "oj-sub"},
    "td": {"n"},
    "th": {"n"},
}
_HALF_UNDERLINE = re.compile(r"\n {0,3}(?:-+|=+)\s*\Z")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")


def render(source: str, citing: Citing) -> str:
    """The HTML of a whole text. Linear in its length: bound it before (the record takes 100,000 characters)."""
    return "".join(render_blocks(source, citing))


def render_blocks(source: str, citing: Citing) -> list[str]:
    """The HTML of each top-level block. More text at the end changes only the last one."""
    return [_write(group, citing) for group in _groups(_parser().parse(source))]


def plain_block(source: str) -> str:
    """Text that is not parsed, as one paragraph that keeps its line breaks."""
    return "<p>" + "<br>".join(escape(line) for line in source.split("\n")) + "</p>"


class BlockStream:
    """Renders a growing text: closed blocks once, the last open block again with each call.

    `closed` holds the closed blocks' HTML, `ends` where each of them ends in the text, `offset` where the open one
    begins. A block of more than NODE_LIMIT nodes is shown as it was written. Not thread-safe; one view thread owns it.
    """

    def __init__(self, citing: Citing) -> None:
        self._citing = citing
        self.offset = 0
        self.closed: list[str] = []
        self.ends: list[int] = []

    def feed(self, source: str) -> str:
        """Take the whole text so far (a longer version of the last one); returns the open block's HTML."""
        return self.take(source[self.offset :])

    def take(self, tail: str) -> str:
        """The same with the text from `offset` on."""
        if len(tail) > OPEN_LIMIT and "\n\n" not in tail[-OPEN_LIMIT:]:
            return plain_block(tail)
        shown = _HALF_UNDERLINE.sub("", tail)
        groups = _groups(_parser().parse(shown))
        starts = _starts(groups, tail)
        for at, group in enumerate(groups[:-1]):
            self.closed.append(_bounded(group, tail[starts[at] : starts[at + 1]], self._citing))
            self.ends.append(self.offset + starts[at + 1])
        if not groups:
            return ""
        self.offset += starts[-1]
        tail = tail[starts[-1] :]
        if len(tail) > OPEN_LIMIT:
            return plain_block(tail)
        before = replace(self._citing.reading)
        written = _bounded(groups[-1], tail, self._citing)
        self._citing.reading = before
        return written

    def forget(self, count: int) -> None:
        """Drop the first closed blocks; nobody shows them any more."""
        del self.closed[:count]
        del self.ends[:count]


def nodes(written: str) -> int:
    """About how many nodes HTML makes in a page: as many elements as half its tags, and as many texts."""
    return written.count("<")


def as_written(source: str) -> str:
    """Text that would make too many nodes, as it was written."""
    return f"<pre><code>{escape(source.strip(chr(10)))}</code></pre>"


def _bounded(group: list[Token], source: str, citing: Citing) -> str:
    written = _write(group, citing)
    return written if nodes(written) <= NODE_LIMIT else as_written(source)


def _starts(groups: Sequence[list[Token]], source: str) -> list[int]:
    """Where each block begins in the text; the first one at its start."""
    places: list[int] = []
    line = place = 0
    for at, group in enumerate(groups):
        wanted = group[0].map[0] if at and group[0].map else line
        for _ in range(wanted - line):
            place = source.index("\n", place) + 1
        line = wanted
        places.append(place)
    return places


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return parser()


@lru_cache(maxsize=1)
def _cleaner() -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(_TAGS),
        attributes={tag: set(names) for tag, names in _ATTRIBUTES.items()},
        allowed_classes={tag: set(names) for tag, names in _CLASSES.items()},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )


def _groups(tokens: Sequence[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = []
    current: list[Token] = []
    for token in tokens:
        current.append(token)
        if token.level == 0 and token.nesting <= 0:
            groups.append(current)
            current = []
    return groups


def _write(tokens: list[Token], citing: Citing) -> str:
    dress(tokens)
    for token in tokens:
        if token.type == "inline" and token.children:
            token.children = _safe_children(token.children, citing.language)
    cite(tokens, citing)
    md = _parser()
    written = md.renderer.render(_framed(tokens, citing.language), md.options, {})
    return str(_cleaner().clean(written))


def _framed(tokens: list[Token], language: Language) -> list[Token]:
    """Tables stand in a named region that scrolls by itself."""
    framed: list[Token] = []
    for place, token in enumerate(tokens):
        if token.type == "table_open":
            first = next((t.content for t in tokens[place:] if t.type == "inline"), "")
            label = html.escape(text(language, "table", name=first[:60]))
            frame = f'<div class="oj-scroll" tabindex="0" role="group" aria-label="{label}">'
            framed.append(Token("html_block", "", 0, content=frame))
        framed.append(token)
        if token.type == "table_close":
            framed.append(Token("html_block", "", 0, content="</div>"))
    return framed


def _safe_children(children: list[Token], language: Language) -> list[Token]:
    safe: list[Token] = []
    opened: list[str] = []
    for token in children:
        if token.type == "image":
            safe.append(_picture(token, language))
        elif token.type == "link_open":
            opened.append(str(token.attrs.get("href", "")))
            token.attrs = {"href": opened[-1]}
            if _is_allowed(opened[-1]):
                safe.append(token)
        elif token.type == "link_close":
            address = opened.pop() if opened else ""
            if _is_allowed(address):
                safe.append(token)
            safe += _address_note(address, safe)
        else:
            safe.append(token)
    return safe


def _picture(token: Token, language: Language) -> Token:
    words = text(language, "picture.off", alt=token.content) if token.content else text(language, "picture.off.bare")
    return Token("html_inline", "", 0, content=f'<span class="oj-sub">[{escape(words)}]</span>')


def _is_allowed(address: str) -> bool:
    """Whether a link may stay a link: http, https, mailto, or relative to the notes (not to the server's root)."""
    if _SCHEME.match(address):
        return address.lower().startswith(("http://", "https://", "mailto:"))
    return bool(address) and not address.startswith(("/", "\\", "%2f", "%5c", "%2F", "%5C"))


def _address_note(address: str, before: Sequence[Token]) -> list[Token]:
    """Where a link leads, in words: the host of a web address, the whole of an address that is no link."""
    if not _is_allowed(address):
        note = address[:200]
    elif address.lower().startswith(("http://", "https://")):
        note = _host(address)
        if note and any(note in token.content for token in before[-3:]):
            note = ""
    else:
        note = ""
    return [Token("html_inline", "", 0, content=f' <span class="oj-sub">({escape(note)})</span>')] if note else []


def _host(address: str) -> str:
    try:
        return urlsplit(address.replace("\\", "/")).hostname or ""
    except ValueError:
        return address[:200]


__all__ = [
    "OPEN_LIMIT",
    "BlockStream",
    "as_written",
    "escape",
    "language_of_text",
    "nodes",
    "plain_block",
    "render",
    "render_blocks",
]
