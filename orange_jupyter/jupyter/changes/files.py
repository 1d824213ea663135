"""The text of one operation as a person reviews it: a bar, hunks that can be taken one by one, folds (screen 5)."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.visible import is_invisible
from orange_jupyter.jupyter.changes.diffs import piece, split, unified
from orange_jupyter.jupyter.changes.listing import counted, symbol
from orange_jupyter.jupyter.changes.pages import FIRST_HUNKS, Chunk, Extent, Page, Pages, Part, hunks_of, weight
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.sheet import name
from orange_jupyter.jupyter.strings import Language, text

NO_EDITS: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Look:
    """How much of an operation's diff is drawn, in which form, with whose texts."""

    language: Language
    extent: Extent = field(default_factory=Extent)
    split: bool = False
    edits: Mapping[int, str] = field(default_factory=dict)


def file(shown: Shown, pages: Pages, look: Look) -> str:
    """The section of one operation. Slow for large ones: off the loop."""
    every = hunks_of(shown)
    page = pages.page(shown, look.extent, look.edits)
    inside = "".join(block(shown, part, pages, look) for part in page.parts)
    if look.extent.rows <= 0:
        inside = _folded(shown, len(every), look.language)
    elif page.rest:
        inside += _rest(page, look.language)
    elif not every:
        inside = f'<p class="oj-folded">{html.escape(text(look.language, "change.same"))}</p>'
    return (
        f'<div class="oj-file" data-op="{shown.proposal.id}">{_head(shown, page, pages, look.language)}{inside}</div>'
    )


def block(shown: Shown, part: Part, pages: Pages, look: Look) -> str:
    """One hunk with its checkbox and Edit; a new file has neither, it is one."""
    added, removed = _exact(part)
    draw = split if look.split else unified
    tables = "".join(
        pages.kept(shown, (*chunk.key, look.split, look.language), partial(draw, chunk, look.language))
        for chunk in part.chunks
    )
    if not part.rows:
        tables = f'<p class="oj-folded">{html.escape(text(look.language, "change.same"))}</p>'
    count = len(hunks_of(shown))
    bar = _bar(part, count, look.language) if shown.proposal.operation.kind.text else ""
    hunk = f'data-op="{shown.proposal.id}" data-hunk="{part.hunk.number}" data-add="{added}" data-del="{removed}"'
    return f'<div class="oj-part" {hunk}>{bar}<div>{tables}</div></div>'


def endings(words: str) -> str:
    """The line endings of a text: CRLF, LF, "" for none, "mixed"."""
    windows = words.count("\r\n")
    unix = words.count("\n") - windows
    if windows and unix:
        return "mixed"
    return "CRLF" if windows else ("LF" if unix else "")


def _exact(part: Part) -> tuple[int, int]:
    if part.cut:
        return part.counts
    kinds = [row.kind for row in part.rows]
    return kinds.count("added"), kinds.count("removed")


def _head(shown: Shown, page: Page, pages: Pages, language: Language) -> str:
    operation = shown.proposal.operation
    hidden = sum(
        pages.kept(shown, (*chunk.key, "hidden"), partial(_hidden, chunk))
        for part in page.parts
        for chunk in part.chunks
    )
    warning = (
        f'<span class="oj-why is-warn">{html.escape(text(language, "change.invisible", n=hidden))}</span>'
        if hidden
        else ""
    )
    return (
        f'<header>{icon(symbol(operation))}<span class="oj-path" tabindex="-1">{piece(operation.path)}</span>'
        f'<span class="oj-num">{counted(shown.added, shown.removed)}</span><span class="oj-grow"></span>'
        f'<span class="oj-sub">{html.escape(_encoding(shown, language))}</span>'
        f"{_open(shown, language)}{warning}</header>"
    )


def _open(shown: Shown, language: Language) -> str:
    """A button that opens the file; the front end knows where the notebook lies, from where the link goes."""
    if not shown.link:
        return ""
    words = html.escape(text(language, "change.open"))
    aria = html.escape(f"{text(language, 'change.open')} {name(shown.proposal.operation.path)}", quote=True)
    link = html.escape(shown.link, quote=True)
    return (
        f'<button type="button" class="oj-btn is-quiet" data-act="file" data-link="{link}" '
        f'aria-label="{aria}">{icon("out")}{words}</button>'
    )


def _hidden(chunk: Chunk) -> int:
    """How many invisible characters its rows hold."""
    words = "\n".join(row.text for row in chunk.rows)
    return sum(words.count(one) for one in set(words) if is_invisible(one))


def _encoding(shown: Shown, language: Language) -> str:
    base = shown.proposal.base
    if base is None:
        return "UTF-8"
    found = endings(shown.below or "")
    said = text(language, "change.mixed") if found == "mixed" else found
    encoding = base.encoding.upper()
    if not said:
        return encoding
    return text(language, "change.encoding.bom" if base.bom else "change.encoding", encoding=encoding, endings=said)


def _bar(part: Part, count: int, language: Language) -> str:
    first, last = part.lines
    where = text(language, "change.hunk", n=part.hunk.number, all=count, first=first, last=last)
    edited = f", {text(language, 'change.hunk.edited')}" if part.edited else ""
    return (
        f'<div class="oj-hunk"><label><span class="oj-check"><input type="checkbox" data-tick="hunk"></span>'
        f'<span>{html.escape(where)}, <b data-say="taken"></b>{html.escape(edited)}</span></label>'
        f'<span class="oj-grow"></span><button type="button" class="oj-btn is-quiet" data-act="edit">{icon("edit")}'
        f"{html.escape(text(language, 'change.edit'))}</button></div>"
    )


def _folded(shown: Shown, count: int, language: Language) -> str:
    lines, _ = weight(shown)
    said = text(language, "change.folded", lines=f"{lines:,}", n=count)
    first = text(language, "change.show.first", n=min(count, FIRST_HUNKS))
    return (
        f'<div class="oj-folded"><span>{html.escape(said)}</span>{_button("first", first)}'
        f"{_button('all', text(language, 'change.show.all'))}</div>"
    )


def _rest(page: Page, language: Language) -> str:
    said = text(language, "change.rest", n=f"{page.rest:,}")
    return (
        f'<div class="oj-folded"><span>{html.escape(said)}</span>'
        f"{_button('more', text(language, 'change.show.more'))}{_button('fold', text(language, 'change.hide'))}</div>"
    )


def _button(how: str, words: str) -> str:
    symbol_of = icon("down")
    return (
        f'<button type="button" class="oj-btn is-quiet" data-act="unfold" data-how="{how}">'
        f"{symbol_of}{html.escape(words)}</button>"
    )
