"""The names that complete after Tab: knowledge bases, sessions, models, files and folders as they are now (R-NB-3)."""

from __future__ import annotations

import asyncio
import os

from orange_jupyter.app import App
from orange_jupyter.core.changes.values import OpState
from orange_jupyter.core.errors import OrangeError
from orange_jupyter.core.parts import State
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.jupyter.ports import Candidates

NAMES = 500
FOLDERS = 200
CHANGES = 50


async def names(app: App, state: State | None) -> Candidates | None:
    """What can be named now in a session of this `state`. None where the settings or the store are broken."""
    selected = state.knowledge_bases if state else ()
    try:
        settings = await asyncio.to_thread(app.ground.settings)
        bases = (await asyncio.to_thread(app.bases)).bases
        records = await app.ground.sessions.list()
        changes = await app.means.store.of_session(state.session_id) if state else ()
    except OrangeError:
        return None
    own = tuple(base for identity in selected for base in bases if base.id == identity)
    return Candidates(
        knowledge_bases=tuple(base.name for base in bases),
        sessions=tuple(record.title for record in records[:50] if record.title),
        models=tuple(dict.fromkeys(("embedded", *settings.models))),
        files=await asyncio.to_thread(_files, own),
        changes=tuple(one.id for one in changes if one.state.open),
        applied=tuple(one.id for one in reversed(changes) if one.state is OpState.APPLIED)[:CHANGES],
        folders=(".", *await asyncio.to_thread(_below, app.folder, folders=True)),
    )


def _files(bases: tuple[KnowledgeBase, ...]) -> tuple[str, ...]:
    """Files for completion, as they can be given: those of the first KB by their path, of the others below its name."""
    found: list[str] = []
    for at, base in enumerate(bases):
        prefix = f"{base.name}/" if at else ""
        found += (prefix + path for path in _below(base.root, folders=False))
    return tuple(found[:NAMES])


def _below(root: str, *, folders: bool) -> list[str]:
    """Relative paths below a folder, nearest first, without hidden ones; at most NAMES, from at most 200 folders."""
    found: list[str] = []
    open_folders = [""]
    for folder in open_folders:
        try:
            entries = sorted(os.scandir(os.path.join(root, folder)), key=lambda one: one.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "node_modules":
                continue
            inside = entry.is_dir(follow_symlinks=False)
            if inside and len(open_folders) < FOLDERS:
                open_folders.append(f"{folder}{entry.name}/")
            if inside is folders:
                found.append(f"{folder}{entry.name}")
        if len(found) >= NAMES:
            break
    return found[:NAMES]
