"""The head of a review and its list of operations, one row each (screen 5)."""

from __future__ import annotations

import html
from collections.abc import Sequence

from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import Kind, Operation, OpState, Proposal
from orange_jupyter.jupyter.changes.diffs import piece
from orange_jupyter.jupyter.icons import icon
from orange_jupyter.jupyter.sheet import name
from orange_jupyter.jupyter.strings import Language, text

_ICONS = {
    Kind.REPLACE: "edit",
    Kind.MULTI_REPLACE: "edit",
    Kind.APPEND: "edit",
    Kind.REWRITE: "file",
    Kind.CREATE_FILE: "file",
    Kind.CREATE_FOLDER: "folder",
    Kind.MOVE: "arrow",
    Kind.RENAME: "rename",
    Kind.DELETE: "trash",
}
_SIZES = (("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000))
_WORDS = (Kind.CREATE_FILE, Kind.CREATE_FOLDER, Kind.RENAME, Kind.DELETE, Kind.REWRITE)


def symbol(operation: Operation) -> str:
    """The icon's name for what an operation does."""
    return _ICONS[operation.kind]


def what(operation: Operation, language: Language) -> str:
    """What an operation does in a word or two; "" for an edit of a text, which the path and counts say."""
    if operation.kind is Kind.MOVE:
        folder = operation.affected_files != 1 or "folder" in operation.summary.split(":")[0]
        return text(language, "change.kind.move_folder" if folder else "change.kind.move")
    return text(language, f"change.kind.{operation.kind}") if operation.kind in _WORDS else ""


def label(operation: Operation, language: Language) -> str:
    """What an operation does and to what, on one line of plain text."""
    where = name(operation.path) + (f" → {name(operation.destination)}" if operation.destination else "")
    return f"{what(operation, language)} {where}".strip()


def where(operation: Operation) -> str:
    """The paths of an operation, whole, as HTML."""
    to = f" → {piece(operation.destination)}" if operation.destination else ""
    return piece(operation.path) + to


def counted(added: int, removed: int) -> str:
    """Lines added and removed, as HTML."""
    return f'<span class="oj-add">+{added:,}</span> <span class="oj-del">−{removed:,}</span>'


def totals(some: Sequence[Shown], language: Language) -> str:
    """All of it in one line, as HTML: lines, files moved, what goes to the trash."""
    added, removed = sum(one.added for one in some), sum(one.removed for one in some)
    parts = [f"{counted(added, removed)} {html.escape(text(language, 'change.lines'))}"] if added or removed else []
    moved = sum(one.proposal.operation.affected_files for one in some if one.proposal.operation.kind.moves)
    trashed = sum(one.proposal.operation.kind is Kind.DELETE for one in some)
    parts += [html.escape(text(language, "change.moved", n=moved))] if moved else []
    parts += [html.escape(text(language, "change.trashed", n=trashed))] if trashed else []
    return ", ".join(parts)


def row(shown: Shown, known: Sequence[Shown], language: Language, *, openable: bool = False) -> str:
    """One operation that waits, with its checkbox; `known` are those of the list, `openable` has a diff to go to."""
    operation = shown.proposal.operation
    parent = next((one for one in known if one.proposal.id in operation.depends_on), None)
    aria = html.escape(text(language, "change.select", name=label(operation, language)), quote=True)
    look = ' class="is-child"' if parent else ""
    box = f'<span class="oj-check"><input type="checkbox" data-tick="op" aria-label="{aria}"></span>'
    return (
        f'<li{look} data-op="{operation.operation_id}">{box}{icon(symbol(operation))}'
        f"{titled(operation, language, openable=openable)}{_right(shown, language)}"
        f'<span class="oj-why" data-say="hunks" hidden></span>{whys(shown, parent, language)}</li>'
    )


def titled(operation: Operation, language: Language, *, openable: bool = False) -> str:
    """What and where as HTML; a path with a diff is a button that goes to it."""
    words = what(operation, language)
    before = f'<span class="oj-sub">{html.escape(words)}</span> ' if words else ""
    path = f'<span class="oj-path">{where(operation)}</span>'
    if openable:
        path = f'<button type="button" class="oj-link oj-path" data-act="open">{where(operation)}</button>'
    return f"<span>{before}{path}</span>"


def _right(shown: Shown, language: Language) -> str:
    operation, size = shown.proposal.operation, trashed_size(shown.proposal)
    if shown.needed_by:
        return f'<span class="oj-tag">{html.escape(text(language, "change.needed_by", n=shown.needed_by))}</span>'
    if shown.below is not None:
        return f'<span class="oj-num" data-say="counts">{counted(shown.added, shown.removed)}</span>'
    files = text(language, "change.files", n=operation.affected_files) if operation.affected_files > 1 else ""
    said = f"{files}, {size}" if files and size else files or size
    return f'<span class="oj-num"><span class="oj-sub">{html.escape(said)}</span></span>' if said else "<span></span>"


def trashed_size(proposal: Proposal) -> str:
    """How large it is what goes to the trash, for people: `412 B`, `1.2 KB`; "" where that is not known."""
    if proposal.operation.kind is not Kind.DELETE or proposal.size is None:
        return ""
    for word, unit in _SIZES:
        if proposal.size >= unit:
            amount = proposal.size / unit
            return f"{amount:.1f} {word}" if amount < 10 else f"{amount:,.0f} {word}"
    return f"{proposal.size} B"


def whys(shown: Shown, parent: Shown | None, language: Language) -> str:
    """The lines below a row: whose it is, what it needs, warnings, why it failed."""
    operation = shown.proposal.operation
    found = []
    if shown.needed_by and shown.below is not None:
        found.append(("", f'<span class="oj-num">{counted(shown.added, shown.removed)}</span>'))
    if operation.child:
        found.append(("", html.escape(text(language, "change.child", name=name(operation.child)))))
    if parent is not None and shown.proposal.state.open:
        needed = label(parent.proposal.operation, language)
        found.append(("", html.escape(text(language, "change.needs", name=needed))))
    if operation.kind.text and shown.below is None and shown.proposal.state.open:
        found.append(("is-warn", html.escape(text(language, "change.not_kept"))))
    found += [("is-warn", piece(text(language, "change.warning", words=one))) for one in operation.warnings]
    if shown.proposal.state is OpState.FAILED:
        error = shown.proposal.error or ""
        found.append(("is-warn", piece(text(language, "change.failed", words=error))))
    return "".join(f'<span class="oj-why {look}">{words}</span>' for look, words in found)
