"""The changes as a static display that stays in the notebook: HTML, Markdown, text; secrets masked (R-SAVE-1).

It goes below the record of the turn that proposed them, in the same display, and is written anew after each decision.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import OpState
from orange_jupyter.core.masking import FindSecrets, Masked
from orange_jupyter.jupyter.assets import assets
from orange_jupyter.jupyter.changes.cards import Outcome, shown_state
from orange_jupyter.jupyter.changes.diffs import piece, plain_rows, unified
from orange_jupyter.jupyter.changes.files import NO_EDITS
from orange_jupyter.jupyter.changes.listing import counted, label, symbol, titled, totals, whys
from orange_jupyter.jupyter.changes.pages import RECORD_CHARACTERS, Extent, Hide, Page, Pages, as_it_is
from orange_jupyter.jupyter.changes.veils import Veils
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.record_html import wrapped
from orange_jupyter.jupyter.record_text import plainly
from orange_jupyter.jupyter.sheet import date, href, name
from orange_jupyter.jupyter.strings import Language, text

OPERATIONS = 100
ROWS = 60
"""Rows of a diff that stay in the notebook, of one operation and of all together ten times as many."""
LETTERS = 120_000

Mask = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Kept:
    """What the record is made from; `identity` is its HTML id, by which a live review hides it."""

    everything: Sequence[Shown]
    outcomes: Mapping[str, Outcome]
    language: Language
    find: FindSecrets
    at: str
    identity: str = ""
    older: int = 0


@dataclass(frozen=True, slots=True)
class _Entry:
    shown: Shown
    page: Page
    hide: Hide


def change_record(kept: Kept) -> dict[str, Any]:
    """The bundle by MIME type. Slow for large notes: off the loop."""
    kept = replace(kept, everything=tuple(_masked(one, kept.find) for one in kept.everything))
    entries = _entries(kept)
    return {
        "text/html": _as_html(kept, entries),
        "text/markdown": _as_markdown(kept, entries),
        "text/plain": _as_plain(kept, entries),
    }


def _masked(shown: Shown, find: FindSecrets) -> Shown:
    """An operation whose paths, warnings and error hold nothing that must not stay in a notebook."""

    def mask(words: str | None) -> str | None:
        return words if words is None else Masked(words, find(words)).shown

    proposal, operation = shown.proposal, shown.proposal.operation
    fields = {name: mask(getattr(operation, name)) for name in ("path", "destination", "child")}
    warnings = tuple(str(mask(one)) for one in operation.warnings)
    operation = operation.model_copy(update={**fields, "warnings": warnings})
    return replace(shown, proposal=proposal.model_copy(update={"operation": operation, "error": mask(proposal.error)}))


def below(before: Mapping[str, Any] | None, bundle: Mapping[str, Any]) -> dict[str, Any]:
    """A turn's record with the changes below it, each form by form; other forms of the turn's stay."""
    if before is None:
        return dict(bundle)
    both = {kind: f"{before[kind].rstrip()}\n\n{bundle[kind]}" for kind in bundle if isinstance(before.get(kind), str)}
    return {**before, **both}


@lru_cache(maxsize=1)
def change_style() -> str:
    """The style of lists and diffs without its line breaks."""
    raw = assets("changes.css")
    return "".join(line.strip() for line in raw.split("\n") if not line.startswith("/*"))


def _entries(kept: Kept) -> list[_Entry]:
    pages, veils, left, letters = Pages(ROWS), Veils(kept.find), 10 * ROWS, LETTERS
    found = []
    for one in kept.everything[:OPERATIONS]:
        page = Page()
        hide: Hide = as_it_is
        if one.below is not None and left > 0 and letters > 0:
            hide = veils.of(one)
            page = pages.page(one, Extent(min(ROWS, left)), NO_EDITS)
            size = sum(min(len(row.text), RECORD_CHARACTERS) for part in page.parts for row in part.rows)
            left -= sum(len(part.rows) for part in page.parts)
            letters -= size
        found.append(_Entry(one, page, hide))
    return found


def _as_html(kept: Kept, entries: Sequence[_Entry]) -> str:
    say = partial(text, kept.language)
    standing = [one for one in kept.everything if one.proposal.state.open or one.proposal.state is OpState.APPLIED]
    head = (
        f"<header>{icon('edit')}<h3>{html.escape(_title(kept))}</h3>"
        f'<span class="oj-sub"> {totals(standing, kept.language)}</span></header>'
    )
    rows = "".join(f"<li>{_row(one, kept)}</li>" for one in entries)
    diffs = "".join(_diff(one, kept) for one in entries if one.page.parts)
    hints = "".join(f'<p class="oj-sub">{html.escape(line)}</p>' for line in _hints(kept))
    body = f'{head}<ul class="oj-files">{rows}</ul>{diffs}<div class="oj-body">{hints}</div>'
    label_of = html.escape(say("change.record"))
    section = f'<section class="oj-card oj-changes" role="group" aria-label="{label_of}">{body}</section>'
    return wrapped(f"<style>{change_style()}</style>{section}", identity=kept.identity)


def _row(one: _Entry, kept: Kept) -> str:
    operation = one.shown.proposal.operation
    parent = next((each for each in kept.everything if each.proposal.id in operation.depends_on), None)
    note = _note(one.shown, kept)
    said = f'<span class="oj-why">{piece(note)}</span>' if note else ""
    counts = counted(one.shown.added, one.shown.removed) if one.shown.below is not None else ""
    return (
        f"<span></span>{icon(symbol(operation))}{titled(operation, kept.language)} "
        f'<span class="oj-num">{counts} {shown_state(one.shown.proposal.state, kept.language)}</span>'
        f"{whys(one.shown, parent, kept.language)}{said}"
    )


def _note(shown: Shown, kept: Kept) -> str:
    """What was decided in a line: where it went, hunks left out, what a person wrote, when."""
    say = partial(text, kept.language)
    proposal = shown.proposal
    outcome = kept.outcomes.get(proposal.id, Outcome())
    hunks = proposal.choice.hunks if proposal.choice and proposal.state in (OpState.APPLIED, OpState.UNDONE) else ()
    left = sum(not one.taken for one in hunks)
    edited = sum(one.taken and one.text is not None for one in hunks)
    parts = [outcome.note] if outcome.note else []
    parts += [say("change.left", n=left)] if left else []
    parts += [say("change.edited", n=edited)] if edited else []
    parts += [date(proposal.operation.decided_at, kept.language)] if proposal.operation.decided_at else []
    parts += [say("change.warning", words=one) for one in outcome.warnings]
    said = " · ".join(parts)
    return Masked(said, kept.find(said)).shown


def _diff(one: _Entry, kept: Kept) -> str:
    tables = "".join(unified(chunk, kept.language, one.hide) for part in one.page.parts for chunk in part.chunks)
    words = text(kept.language, "change.rest.record", n=f"{one.page.rest:,}")
    rest = f'<p class="oj-folded">{html.escape(words)}</p>' if one.page.rest else ""
    head = f'<span class="oj-path">{piece(one.shown.proposal.operation.path)}</span>'
    if one.shown.link and Masked(one.shown.link, kept.find(one.shown.link)).count == 0:
        words = html.escape(text(kept.language, "change.open"))
        head += f' <span class="oj-sub"><a href="{href(one.shown.link)}">{words}</a></span>'
    return f'<div class="oj-file"><header>{head}</header>{tables}{rest}</div>'


def _title(kept: Kept) -> str:
    waiting = sum(one.proposal.state.open for one in kept.everything)
    if waiting:
        return text(kept.language, "change.review", n=waiting)
    return text(kept.language, "change.count", n=len(kept.everything))


def _hints(kept: Kept) -> list[str]:
    say = partial(text, kept.language)
    more = len(kept.everything) - OPERATIONS
    lines = [say("change.more", n=f"{more:,}")] if more > 0 else []
    lines += [say("change.older", n=kept.older)] if kept.older else []
    lines += [say("change.headless")] if any(one.proposal.state.open for one in kept.everything) else []
    return [*lines, say("change.written", time=date(kept.at, kept.language))]


def _as_markdown(kept: Kept, entries: Sequence[_Entry]) -> str:
    parts = [f"**{plainly(_title(kept))}**"]
    for one in entries:
        parts.append(f"- {plainly(_line(one, kept))}")
        if one.page.parts:
            lines = _diff_lines(one, kept)
            fence = "`" * (1 + max([2, *(len(run) for line in lines for run in _ticks(line))]))
            parts.append("\n".join([f"  {fence}diff", *(f"  {line}" for line in lines), f"  {fence}"]))
    return "\n\n".join([*parts, *(plainly(line) for line in _hints(kept))]) + "\n"


def _ticks(line: str) -> list[str]:
    return [run for run in "".join(one if one == "`" else " " for one in line).split() if run]


def _as_plain(kept: Kept, entries: Sequence[_Entry]) -> str:
    lines = [_title(kept)]
    for one in entries:
        lines.append(f"  {_line(one, kept)}")
        lines += [f"    {line}" for line in (_diff_lines(one, kept) if one.page.parts else [])]
    return "\n".join([*lines, *_hints(kept)]) + "\n"


def _line(one: _Entry, kept: Kept) -> str:
    operation = one.shown.proposal.operation
    state = text(kept.language, f"change.{_STATE_KEYS[one.shown.proposal.state]}")
    counts = f" +{one.shown.added:,} −{one.shown.removed:,}" if one.shown.below is not None else ""
    notes = [_note(one.shown, kept), *(text(kept.language, "change.warning", words=w) for w in operation.warnings)]
    if one.shown.proposal.state is OpState.FAILED and one.shown.proposal.error:
        notes.append(one.shown.proposal.error)
    return f"[{state}] {label(operation, kept.language)}{counts}" + "".join(f"; {name(w)}" for w in notes if w)


_STATE_KEYS = {state: str(state) for state in OpState} | {
    OpState.STALE: "stale.state",
    OpState.FAILED: "failed.state",
}


def _diff_lines(one: _Entry, kept: Kept) -> list[str]:
    lines: list[str] = []
    for part in one.page.parts:
        hunk = part.hunk
        added, removed = part.counts
        lines.append(f"@@ -{hunk.old[0]},{removed} +{hunk.new[0]},{added} @@")
        lines += plain_rows(part.rows, one.hide)
    if one.page.rest:
        lines.append(text(kept.language, "change.rest.record", n=f"{one.page.rest:,}"))
    return lines
