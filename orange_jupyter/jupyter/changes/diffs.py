"""Hunks as tables: unified, or side by side; all text escaped, what is invisible as escapes (R-UI-7, R-CHG-12)."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Literal

from orange_jupyter.core.changes.rows import Row, paired
from orange_jupyter.core.changes.words import Runs
from orange_jupyter.jupyter.changes.pages import Chunk, Hide, as_it_is, clipped
from orange_jupyter.jupyter.strings import Language, text
from orange_jupyter.jupyter.widgets.segments import segments

_COLUMNS = '<colgroup><col class="n old"><col class="n"><col class="s"><col></colgroup>'
_SIDE = '<col class="n"><col class="s"><col>'
_COLUMNS_SPLIT = f"<colgroup>{_SIDE}{_SIDE}</colgroup>"
_LOOK = {"same": "", "removed": "is-del", "added": "is-add"}
_SIGN = {"same": "", "removed": "−", "added": "+"}


def piece(words: str) -> str:
    """Text as HTML: escaped, and each invisible character as its escape."""
    return "".join(
        f'<span class="oj-esc">{html.escape(part)}</span>' if look == "esc" else html.escape(part)
        for part, look in segments(words)
    )


def unified(chunk: Chunk, language: Language, hide: Hide = as_it_is) -> str:
    """Rows as one column; signs and the words "removed", "added" carry it without its style."""
    body = "".join(_row(row, language, hide) for row in chunk.rows)
    return f'<table class="oj-diff is-uni"{_label("unified", chunk, language)}>{_COLUMNS}<tbody>{body}</tbody></table>'


def split(chunk: Chunk, language: Language) -> str:
    """Rows as two columns; where that is too narrow its unified form stands instead."""
    heads = "".join(
        f'<th scope="colgroup" colspan="3">{html.escape(text(language, key))}</th>'
        for key in ("change.before", "change.after")
    )
    body = "".join(
        f"<tr>{_side(old, 'old', language)}{_side(new, 'new', language)}</tr>" for old, new in paired(chunk.rows)
    )
    wide = (
        f'<div class="oj-hide-s"><table class="oj-diff is-split"{_label("split", chunk, language)}>{_COLUMNS_SPLIT}'
        f'<thead class="oj-vh"><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'
    )
    return f'{wide}<div class="oj-show-s">{unified(chunk, language)}</div>'


def plain_rows(rows: Sequence[Row], hide: Hide) -> list[str]:
    """Rows as lines of a diff in plain text, invisible characters as escapes."""
    signs = {"same": " ", "removed": "-", "added": "+"}
    lines = []
    for row in rows:
        runs, cut = clipped(hide(row))
        words = "".join(part for run in runs for part, _ in segments(run.text))
        lines.append(f"{signs[row.kind]} {words}" + (f" (+{cut:,})" if cut else ""))
    return lines


def _label(key: str, chunk: Chunk, language: Language) -> str:
    first, last = chunk.lines
    return f' aria-label="{html.escape(text(language, f"change.label.{key}", first=first, last=last))}"'


def _row(row: Row, language: Language, hide: Hide) -> str:
    look = f' class="{_LOOK[row.kind]}"' if row.kind != "same" else ""
    old, new = (str(number) if number is not None else "" for number in (row.old, row.new))
    narrow = f' data-o="{old}"' if row.kind == "removed" else ""
    words = text(language, f"change.{row.kind}") if row.kind != "same" else ""
    sign = f'<span class="oj-vh">{html.escape(words)}</span>{_SIGN[row.kind]}' if words else ""
    return (
        f'<tr{look}><td class="n old">{old}</td><td class="n"{narrow}>{new}</td><td class="s">{sign}</td>'
        f"<td>{_line(row, language, hide)}</td></tr>"
    )


def _side(row: Row | None, which: Literal["old", "new"], language: Language) -> str:
    if row is None:
        return '<td class="n is-nil"></td><td class="s is-nil"></td><td class="is-nil"></td>'
    look = _LOOK[row.kind]
    number = row.old if which == "old" else row.new
    words = text(language, f"change.{row.kind}") if look else ""
    sign = f'<span class="oj-vh">{html.escape(words)}</span>{_SIGN[row.kind]}' if words else ""
    return (
        f'<td class="n {look}">{number}</td><td class="s {look}">{sign}</td>'
        f'<td class="{look}">{_line(row, language, as_it_is)}</td>'
    )


def _line(row: Row, language: Language, hide: Hide) -> str:
    runs, cut = clipped(hide(row))
    done = _runs(runs, {"removed": "del", "added": "ins"}.get(row.kind, ""))
    if cut:
        done += f' <i class="oj-sub">{html.escape(text(language, "change.cut", n=f"{cut:,}"))}</i>'
    if row.note:
        said = text(language, "change.no_newline") if row.note.startswith("no") else row.note
        done += f' <i class="oj-sub">({html.escape(said)})</i>'
    return done or "&#8203;"


def _runs(runs: Runs, tag: str) -> str:
    return "".join(
        f"<{tag}>{piece(run.text)}</{tag}>" if tag and run.changed and run.text else piece(run.text) for run in runs
    )
