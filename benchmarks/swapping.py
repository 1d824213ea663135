"""The swap race: a thread keeps exchanging a folder for a link to the outside while the workspace reads through it."""

from __future__ import annotations

import asyncio
import os
import random
import threading
from pathlib import Path

from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.workspace import LocalWorkspace

INSIDE, OUTSIDE = b"inside", b"OUTSIDE"


class Swapping:
    """A knowledge base whose folder `notes` is now a folder, now a link out of it."""

    def __init__(self, folder: Path) -> None:
        base = folder / "base"
        for place, content in ((base / "notes", INSIDE), (folder / "secret", OUTSIDE)):
            place.mkdir(parents=True)
            (place / "a.md").write_bytes(content)
        os.symlink(folder / "secret", base / "link")
        self._base = base
        self._ids = FileIds(folder / "ids.db")
        self._workspace = LocalWorkspace(
            [KnowledgeBase("kb_swap", "base", str(base))], self._ids, Protected(str(folder))
        )
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._swap, daemon=True).start()

    def once(self, _: random.Random) -> bool:
        """One read; it must give the inside's bytes or a typed error."""
        return self._loop.run_until_complete(self._read()) != OUTSIDE

    async def _read(self) -> bytes:
        try:
            place = await self._workspace.place("notes/a.md")
            return (await self._workspace.read(place, limit=1_000)).data
        except ToolError:
            return b""

    def _swap(self) -> None:
        notes, aside, link = self._base / "notes", self._base / "aside", self._base / "link"
        while self._base.exists():
            try:
                notes.rename(aside)
                link.rename(notes)
                notes.rename(link)
                aside.rename(notes)
            except FileNotFoundError:
                return  # the round is over: the folder was taken away
