"""`%orange kb`: register, select, rename, remove and scan knowledge bases (R-NB-3, R-NB-5)."""

from __future__ import annotations

import asyncio
from typing import Any

from orange_jupyter.commands.standing import Standing, choose, none, one, plain, table, take
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.reports import IndexReport
from orange_jupyter.jupyter.options import nearest
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.local.registry import add_base, remove_base, rename_base

USAGE = "%orange kb list | add PATH [--name NAME] | select NAME… | rename NAME NEW | remove NAME | scan [rebuild]"


async def kb(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run one verb; `list` without any."""
    verb, rest = choose(words, ("list", "add", "select", "rename", "remove", "scan"), "kb")
    match verb:
        case "add":
            return await _add(at, rest)
        case "select":
            return await _select(at, rest)
        case "rename":
            return await _rename(at, rest)
        case "remove":
            return await _remove(at, rest)
        case "scan":
            return await _scan(at, rest)
        case _:
            none(rest, USAGE)
            return await _list(at)


async def _list(at: Standing) -> CommandReply:
    bases = await asyncio.to_thread(at.app.bases)
    selected = at.opened.session.state.knowledge_bases
    rows = [(base.name, "selected" if base.id in selected else "", base.source, base.root) for base in bases.bases]
    shown = table(("Knowledge base", "Now", "From", "Folder"), rows) if rows else NO_BASE
    ignored = "".join(f"\n\n{plain(line)}" for line in bases.ignored)
    data = {
        "ok": True,
        "knowledgeBases": [_document(base) | {"selected": base.id in selected} for base in bases.bases],
        "ignored": list(bases.ignored),
    }
    return CommandReply(shown + ignored, data)


NO_BASE = "No knowledge base yet. `%orange kb add .` makes this notebook's folder one, `%orange kb add PATH` another."


async def _add(at: Standing, words: tuple[str, ...]) -> CommandReply:
    rest, given = take(words, ("--name", "--encoding"), USAGE)
    path = one(rest, "%orange kb add PATH [--name NAME]")
    home = str(at.app.ground.folders.home)
    base = await asyncio.to_thread(
        lambda: add_base(home, at.where.folder, path, name=given.get("--name"), encoding=given.get("--encoding"))
    )
    selected = at.opened.session.state.knowledge_bases
    if base.id not in selected:
        await at.opened.session.select((*selected, base.id))
    report = await _refresh(at, base, rebuild=False)
    found = report.bases[0] if report.bases else None
    count = f"{found.files:,} files, {found.chunks:,} passages" if found else "nothing to search yet"
    kept = "this project's .orange/config.toml" if base.source == "project" else "your own config.toml"
    text = f"**{plain(base.name)}** is selected: {count}. It is registered in {kept}."
    return CommandReply(
        text + _failures(report), {"ok": True, "knowledgeBase": _document(base)} | report_document(report)
    )


async def _select(at: Standing, words: tuple[str, ...]) -> CommandReply:
    bases = (await asyncio.to_thread(at.app.bases)).bases
    chosen = tuple(find(bases, word).id for word in words)
    await at.opened.session.select(tuple(dict.fromkeys(chosen)))
    names = ", ".join(plain(base.name) for base in bases if base.id in chosen) or "none"
    return CommandReply(f"Selected: {names}.", {"ok": True, "selected": list(chosen)})


async def _rename(at: Standing, words: tuple[str, ...]) -> CommandReply:
    if len(words) != 2:
        raise UsageError("This needs two names: %orange kb rename NAME NEW")
    home = str(at.app.ground.folders.home)
    base = await asyncio.to_thread(rename_base, home, at.where.folder, words[0], words[1])
    return CommandReply(f"It is called **{plain(base.name)}** now.", {"ok": True, "knowledgeBase": _document(base)})


async def _remove(at: Standing, words: tuple[str, ...]) -> CommandReply:
    which = one(words, "%orange kb remove NAME")
    base = await asyncio.to_thread(remove_base, str(at.app.ground.folders.home), at.where.folder, which)
    left = tuple(identity for identity in at.opened.session.state.knowledge_bases if identity != base.id)
    await at.opened.session.select(left)
    text = f"**{plain(base.name)}** is no longer registered. Its folder was not touched: {plain(base.root)}."
    return CommandReply(text, {"ok": True, "knowledgeBase": _document(base)})


async def _scan(at: Standing, words: tuple[str, ...]) -> CommandReply:
    rebuild = words == ("rebuild",)
    if words and not rebuild:
        raise UsageError(f"“{words[0]}” means nothing here: %orange kb scan [rebuild]")
    return await scan(at, rebuild=rebuild)


async def scan(at: Standing, *, rebuild: bool) -> CommandReply:
    """Bring the index of the selected KBs up to date; also `orange-jupyter index`."""
    report = await refresh(at, rebuild=rebuild)
    rows = [
        (base.knowledge_base.name, f"{base.files:,}", f"{base.chunks:,}", len(base.failed)) for base in report.bases
    ]
    shown = table(("Knowledge base", "Files", "Passages", "Not read"), rows) if rows else NO_BASE
    moved = f"\n\n{report.added:,} new, {report.changed:,} changed, {report.removed:,} gone, in {report.seconds:.1f} s."
    return CommandReply(shown + moved + _failures(report), report_document(report))


async def refresh(at: Standing, *, rebuild: bool) -> IndexReport:
    """Bring the index of the selected KBs up to date."""
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    return await reach.library.refresh(at.progress, rebuild=rebuild)


async def _refresh(at: Standing, base: KnowledgeBase, *, rebuild: bool) -> IndexReport:
    reach = await at.app.reach((base.id,))
    return await reach.library.refresh(at.progress, rebuild=rebuild)


def find(bases: tuple[KnowledgeBase, ...], word: str) -> KnowledgeBase:
    """A registered KB by id or name. Raises UsageError that names the nearest."""
    for base in bases:
        if word in (base.id, base.name):
            return base
    names = tuple(base.name for base in bases)
    hint = f"Registered: {', '.join(names)}." if names else "Add one: %orange kb add PATH."
    raise UsageError(f"There is no knowledge base “{word}”.{nearest(word, names)}", hint=hint)


def report_document(report: IndexReport) -> dict[str, Any]:
    """The document of `index` (R-SCH-10)."""
    return {
        "ok": True,
        "knowledgeBases": [
            {
                "id": base.knowledge_base.id,
                "name": base.knowledge_base.name,
                "root": base.knowledge_base.root,
                "files": base.files,
                "chunks": base.chunks,
                "bytes": base.bytes,
                "failed": [{"path": path, "code": code} for path, code in base.failed],
                "scannedAt": base.scanned_at,
            }
            for base in report.bases
        ],
        "changed": report.changed,
        "added": report.added,
        "removed": report.removed,
        "seconds": round(report.seconds, 3),
        **({"warnings": list(report.warnings)} if report.warnings else {}),
    }


def _failures(report: IndexReport) -> str:
    failed = [f"{path} ({code})" for base in report.bases for path, code in base.failed]
    lines = [*report.warnings, *(f"Not read: {line}" for line in failed[:20])]
    more = [f"and {len(failed) - 20} more"] if len(failed) > 20 else []
    return "".join(f"\n- {plain(line)}" for line in [*lines, *more])


def _document(base: KnowledgeBase) -> dict[str, Any]:
    return {"id": base.id, "name": base.name, "root": base.root, "source": base.source}
