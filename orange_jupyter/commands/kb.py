"""`%orange kb`: register, select, rename, remove and scan knowledge bases (R-NB-3, R-NB-5)."""

from __future__ import annotations

import asyncio
from typing import Any

from orange_jupyter.commands.standing import ENGLISH, Standing, choose, none, one, plain, table, take
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.reports import IndexReport
from orange_jupyter.jupyter.options import near
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.jupyter.strings import Say
from orange_jupyter.local.registry import add_base, remove_base, rename_base

USAGE = "%orange kb list | add PATH [--name NAME] | select NAME… | rename NAME NEW | remove NAME | scan [rebuild]"


async def kb(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run one verb; `list` without any."""
    verb, rest = choose(words, ("list", "add", "select", "rename", "remove", "scan"), "kb", at.say)
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
            none(rest, USAGE, at.say)
            return await _list(at)


async def _list(at: Standing) -> CommandReply:
    bases = await asyncio.to_thread(at.app.bases)
    selected = at.opened.session.state.knowledge_bases
    say, running = at.say, at.app.indexing.background.progress()
    rows = [
        (base.name, _state(at, base, selected=base.id in selected), say(f"kb.{base.source}"), base.root)
        for base in bases.bases
    ]
    shown = table((say("kb"), say("kb.now"), say("kb.from"), say("kb.folder")), rows) if rows else say("kb.none")
    ignored = "".join(f"\n\n{plain(line)}" for line in bases.ignored)
    data = {
        "ok": True,
        "knowledgeBases": [
            _document(base) | {"selected": base.id in selected} | indexing_document(running.get(base.id))
            for base in bases.bases
        ],
        "ignored": list(bases.ignored),
    }
    return CommandReply(shown + ignored, data)


def _state(at: Standing, base: KnowledgeBase, *, selected: bool) -> str:
    words = [at.say("kb.selected")] if selected else []
    return ", ".join([*words, *indexing(at, base)])


def indexing(at: Standing, base: KnowledgeBase) -> list[str]:
    """How far the documents of a KB are indexed, where that is going on."""
    found = at.app.indexing.background.progress().get(base.id)
    return [at.say("kb.indexing", done=f"{found[0]:,}", total=f"{found[1]:,}")] if found else []


def indexing_document(found: tuple[int, int] | None) -> dict[str, Any]:
    """The same in a document; nothing where nothing is going on."""
    return {"indexing": {"done": found[0], "total": found[1]}} if found else {}


async def _add(at: Standing, words: tuple[str, ...]) -> CommandReply:
    rest, given = take(words, ("--name", "--encoding"), USAGE, at.say)
    path = one(rest, "%orange kb add PATH [--name NAME]", at.say)
    home = str(at.app.ground.folders.home)
    base = await asyncio.to_thread(
        lambda: add_base(home, at.where.folder, path, name=given.get("--name"), encoding=given.get("--encoding"))
    )
    selected = at.opened.session.state.knowledge_bases
    if base.id not in selected:
        await at.opened.session.select((*selected, base.id))
    report = await _refresh(at, base, rebuild=False)
    found = report.bases[0] if report.bases else None
    numbers = {"files": f"{found.files:,}", "chunks": f"{found.chunks:,}"} if found else {}
    count = at.say("kb.count", **numbers) if found else at.say("kb.empty")
    kept = at.say("kb.kept.project" if base.source == "project" else "kb.kept.user")
    text = at.say("kb.added", name=plain(base.name), count=count, kept=kept) + _failures(at, report)
    return CommandReply(text, {"ok": True, "knowledgeBase": _document(base)} | report_document(report))


async def _select(at: Standing, words: tuple[str, ...]) -> CommandReply:
    bases = (await asyncio.to_thread(at.app.bases)).bases
    chosen = tuple(find(bases, word, at.say).id for word in words)
    await at.opened.session.select(tuple(dict.fromkeys(chosen)))
    names = ", ".join(plain(base.name) for base in bases if base.id in chosen)
    return CommandReply(at.say("kb.chosen", names=names or at.say("nothing")), {"ok": True, "selected": list(chosen)})


async def _rename(at: Standing, words: tuple[str, ...]) -> CommandReply:
    if len(words) != 2:
        raise UsageError(at.say("kb.rename"))
    home = str(at.app.ground.folders.home)
    base = await asyncio.to_thread(rename_base, home, at.where.folder, words[0], words[1])
    text = at.say("kb.renamed", name=plain(base.name))
    return CommandReply(text, {"ok": True, "knowledgeBase": _document(base)})


async def _remove(at: Standing, words: tuple[str, ...]) -> CommandReply:
    which = one(words, "%orange kb remove NAME", at.say)
    base = await asyncio.to_thread(remove_base, str(at.app.ground.folders.home), at.where.folder, which)
    left = tuple(identity for identity in at.opened.session.state.knowledge_bases if identity != base.id)
    await at.opened.session.select(left)
    text = at.say("kb.removed", name=plain(base.name), root=plain(base.root))
    return CommandReply(text, {"ok": True, "knowledgeBase": _document(base)})


async def _scan(at: Standing, words: tuple[str, ...]) -> CommandReply:
    rebuild = words == ("rebuild",)
    if words and not rebuild:
        raise UsageError(at.say("none", word=words[0], usage="%orange kb scan [rebuild]"))
    return await scan(at, rebuild=rebuild)


async def scan(at: Standing, *, rebuild: bool) -> CommandReply:
    """Bring the index of the selected KBs up to date; also `orange-jupyter index`."""
    report = await refresh(at, rebuild=rebuild)
    rows = [
        (base.knowledge_base.name, f"{base.files:,}", f"{base.chunks:,}", len(base.failed)) for base in report.bases
    ]
    say = at.say
    head = (say("kb"), say("kb.files"), say("kb.passages"), say("kb.failed"))
    shown = table(head, rows) if rows else say("kb.none")
    counts = {name: f"{getattr(report, name):,}" for name in ("added", "changed", "removed")}
    moved = say("kb.moved", seconds=f"{report.seconds:.1f}", **counts)
    return CommandReply(f"{shown}\n\n{moved}{_failures(at, report)}", report_document(report))


async def refresh(at: Standing, *, rebuild: bool) -> IndexReport:
    """Bring the index of the selected KBs up to date."""
    reach = await at.app.reach(at.opened.session.state.knowledge_bases)
    return await reach.library.refresh(at.progress, rebuild=rebuild)


async def _refresh(at: Standing, base: KnowledgeBase, *, rebuild: bool) -> IndexReport:
    reach = await at.app.reach((base.id,))
    return await reach.library.refresh(at.progress, rebuild=rebuild)


def find(bases: tuple[KnowledgeBase, ...], word: str, say: Say = ENGLISH) -> KnowledgeBase:
    """A registered KB by id or name. Raises UsageError that names the nearest."""
    for base in bases:
        if word in (base.id, base.name):
            return base
    names = tuple(base.name for base in bases)
    hint = say("kb.registered", names=", ".join(names)) if names else say("kb.add")
    raise UsageError(say("kb.unknown", word=word, near=near(word, names)), hint=hint)


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


def _failures(at: Standing, report: IndexReport) -> str:
    failed = [f"{path} ({code})" for base in report.bases for path, code in base.failed]
    lines = [*report.warnings, *(at.say("kb.unread", file=line) for line in failed[:20])]
    more = [at.say("kb.more", n=len(failed) - 20)] if len(failed) > 20 else []
    return "".join(f"\n- {plain(line)}" for line in [*lines, *more])


def _document(base: KnowledgeBase) -> dict[str, Any]:
    return {"id": base.id, "name": base.name, "root": base.root, "source": base.source}
