"""The cards beside the list: conflicts with both versions and the ways out, and what was decided (R-CHG-4, R-CHG-9)."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orange_jupyter.core.changes.hunks import hunks
from orange_jupyter.core.changes.rewriting import line_splices
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.jupyter.changes.diffs import piece
from orange_jupyter.jupyter.changes.listing import label, what, where
from orange_jupyter.jupyter.changes.pages import hunks_of
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.record_html import state
from orange_jupyter.jupyter.sheet import clock, name
from orange_jupyter.jupyter.strings import Language, text

VERSION_LINES = 60
LISTED = 200
STATES = {
    OpState.PENDING: ("change.pending", ("is-wait", "ask")),
    OpState.STALE: ("change.stale.state", ("is-bad", "cross")),
    OpState.FAILED: ("change.failed.state", ("is-warn", "warning")),
    OpState.APPLIED: ("change.applied", ("is-ok", "tick")),
    OpState.REJECTED: ("change.rejected", ("is-off", "cross")),
    OpState.UNDONE: ("change.undone", ("is-off", "void")),
    OpState.WITHDRAWN: ("change.withdrawn", ("is-off", "void")),
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the hands said of an applied operation: where it went, what a person should know."""

    note: str = ""
    warnings: tuple[str, ...] = ()


def shown_state(one: OpState, language: Language) -> str:
    """A state's icon and word."""
    key, look = STATES[one]
    return state(look, text(language, key))


def conflict(shown: Shown, now: str | None, language: Language) -> str:
    """A stale operation: nothing is written until one of the ways is taken. `now` is the text on the disk."""
    proposal = shown.proposal
    taken = proposal.code is Code.TARGET_EXISTS
    operation = proposal.operation
    shown_name = name((operation.destination if operation.kind.moves else None) or operation.path)
    title = text(language, "change.conflict.taken" if taken else "change.conflict", name=shown_name)
    identity = f"oj-conflict-{proposal.id}"
    bad = state(("is-bad", "cross"), text(language, "change.conflict.state"))
    return (
        f'<section class="oj-card is-wait is-bad" role="group" data-op="{proposal.id}" aria-labelledby="{identity}">'
        f'<header>{icon("warning")}<h3 id="{identity}" tabindex="-1">{html.escape(title)}</h3>{bad}</header>'
        f'<div class="oj-body">{_body(shown, now, language)}</div>'
        f'<div class="oj-actions">{_ways(proposal, language)}</div></section>'
    )


def versions(shown: Shown, now: str | None, language: Language) -> tuple[str, str]:
    """What differs on the disk now, and what was proposed, in the lines that change; bounded."""
    proposed = _cut("\n⋯\n".join(one.after.rstrip("\r\n") for one in hunks_of(shown)), language)
    if now is None or shown.below is None:
        return text(language, "change.disk.gone"), proposed
    found = hunks(shown.below, line_splices(shown.below, (0, len(shown.below)), now))
    there = "\n⋯\n".join(one.after.rstrip("\r\n") for one in found)
    return _cut(there, language) or text(language, "change.disk.same"), proposed


def _body(shown: Shown, now: str | None, language: Language) -> str:
    proposal = shown.proposal
    when = clock(proposal.operation.created_at)
    if proposal.code is Code.TARGET_EXISTS:
        return f"<p>{html.escape(text(language, 'change.conflict.free'))}</p>{_another(proposal, language)}"
    if not proposal.operation.kind.text:
        why = f"{text(language, 'change.conflict.other', time=when)} {proposal.error or ''}"
        return f"<p>{piece(why.strip())}</p>"
    there, proposed = versions(shown, now, language)
    both = "".join(
        f'<div><h4>{html.escape(text(language, key))}</h4><pre class="oj-pre" tabindex="0" role="group" '
        f'aria-label="{html.escape(text(language, key))}">{piece(words)}</pre></div>'
        for key, words in (("change.disk", there), ("change.proposed", proposed))
    )
    why = text(language, "change.conflict.why", time=when)
    return f'<p>{html.escape(why)}</p><div class="oj-three">{both}</div>'


def _another(proposal: Proposal, language: Language) -> str:
    words = html.escape(text(language, "change.name"))
    operation = proposal.operation
    given = html.escape(operation.destination or operation.path, quote=True)
    field = f"oj-name-{proposal.id}"
    return (
        f'<label class="oj-label" for="{field}">{words}</label>'
        f'<input class="oj-input" id="{field}" data-field="name" value="{given}">'
    )


def _ways(proposal: Proposal, language: Language) -> str:
    ways = [("drop", "cross", "")]
    if proposal.code is Code.TARGET_EXISTS and not proposal.operation.kind.text:
        ways = [("elsewhere", "tick", "is-primary"), *ways]
    elif proposal.operation.kind.text:
        ways = [("again", "again", "is-primary"), ("overwrite", "warning", "is-danger"), *ways]
    return "".join(
        f'<button type="button" class="oj-btn {look}" data-act="way" data-way="{way}">{icon(sign)}'
        f"{html.escape(text(language, f'change.{way}'))}</button>"
        for way, sign, look in ways
    )


def _cut(words: str, language: Language) -> str:
    lines = words.split("\n")
    if len(lines) <= VERSION_LINES and len(words) <= 10_000:
        return words
    kept = "\n".join(lines[:VERSION_LINES])[:10_000]
    rest = len(lines) - kept.count("\n") - 1
    return f"{kept}\n{text(language, 'change.rest', n=f'{rest:,}')}"


def decided(
    some: Sequence[Shown], outcomes: Mapping[str, Outcome], language: Language, *, live: bool = True
) -> Iterator[tuple[str, str]]:
    """Cards by name for what was decided, one for each decision, in order; `live` ones have Undo."""
    groups: dict[tuple[str, str], list[Shown]] = {}
    for one in some:
        if not one.proposal.state.open and one.proposal.state is not OpState.WITHDRAWN:
            key = (str(one.proposal.state), one.proposal.operation.decided_at or "")
            groups.setdefault(key, []).append(one)
    for (how, at), members in sorted(groups.items(), key=lambda item: item[0][1]):
        yield f"{how}-{at}", _receipt(members, at, outcomes, (language, live))


def _receipt(members: Sequence[Shown], at: str, outcomes: Mapping[str, Outcome], how: tuple[Language, bool]) -> str:
    language, live = how
    which = members[0].proposal.state
    key, look = STATES[which]
    first = members[0].proposal.operation
    title = text(language, "change.count", n=len(members))
    if which is OpState.UNDONE and len(members) == 1:
        title = label(first, language)
        title = text(language, "change.undone.text", name=name(first.path)) if first.kind.text else title
    items = "" if which is OpState.UNDONE and len(members) == 1 else _items(members, outcomes, how)
    undo = _undo_all(members, language) if live and which is OpState.APPLIED else ""
    body = f'<div class="oj-body">{items}{undo}</div>' if items or undo else ""
    void = "" if which is OpState.APPLIED else " is-void"
    return (
        f'<section class="oj-card is-slim{void}" role="group" aria-label="{html.escape(text(language, key))}"><header>'
        f'{state(look, text(language, key))}<h3 tabindex="-1">{html.escape(title)}</h3>'
        f'<span class="oj-sub oj-num">{html.escape(clock(at))}</span></header>{body}</section>'
    )


def _items(members: Sequence[Shown], outcomes: Mapping[str, Outcome], how: tuple[Language, bool]) -> str:
    rows = "".join(f"<li>{_item(one, outcomes.get(one.proposal.id), how)}</li>" for one in members[:LISTED])
    more = len(members) - LISTED
    rows += f"<li>{html.escape(text(how[0], 'change.more', n=f'{more:,}'))}</li>" if more > 0 else ""
    return f'<ul class="oj-done">{rows}</ul>'


def _item(shown: Shown, outcome: Outcome | None, how: tuple[Language, bool]) -> str:
    language, live = how
    operation = shown.proposal.operation
    said = [part for part in (_chosen(shown, language),) if part]
    if operation.affected_files > 1:
        said.insert(0, text(language, "change.files", n=operation.affected_files))
    words = "".join(f", {piece(part)}" for part in said)
    words += f" · {piece(outcome.note)}" if outcome and outcome.note else ""
    warnings = "".join(
        f' <span class="oj-why is-warn">{piece(text(language, "change.warning", words=one))}</span>'
        for one in (outcome.warnings if outcome else ())
    )
    kind = what(operation, language)
    before = f'<span class="oj-sub">{html.escape(kind)}</span> ' if kind else ""
    undo = ""
    if live and shown.proposal.state is OpState.APPLIED:
        aria = html.escape(text(language, "change.undo.name", name=label(operation, language)), quote=True)
        words_of = text(language, "change.undo.text" if operation.kind.text else "change.undo")
        undo = (
            f' <button type="button" class="oj-btn is-quiet" data-act="undo" data-op="{operation.operation_id}" '
            f'aria-label="{aria}">{icon("undo")}{html.escape(words_of)}</button>'
        )
    return f'{before}<span class="oj-path">{where(operation)}</span>{words}{warnings}{undo}'


def _chosen(shown: Shown, language: Language) -> str:
    """Which hunks a person took, and how many they wrote themselves."""
    choice = shown.proposal.choice
    if choice is None or not choice.hunks:
        return ""
    edited = sum(one.taken and one.text is not None for one in choice.hunks)
    left = sum(not one.taken for one in choice.hunks)
    parts = []
    if left:
        parts.append(text(language, "change.left", n=left))
    if edited:
        parts.append(text(language, "change.edited", n=edited))
    return ", ".join(parts)


def _undo_all(members: Sequence[Shown], language: Language) -> str:
    words = html.escape(text(language, "change.undo.while"))
    every = ""
    if len(members) > 1:
        names = " ".join(one.proposal.id for one in members)
        said = html.escape(text(language, "change.undo.all", n=len(members)))
        button = '<button type="button" class="oj-btn" data-act="undo" data-op='
        every = f'{button}"{names}">{icon("undo")}{said}</button>'
    return f'<div class="oj-row">{every}<span class="oj-sub">{words}</span></div>'
