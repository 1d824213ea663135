"""A knowledge base with one open session: calls of tools, and what a person decides on the changes they propose."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from orange_jupyter.app import App, ForThisRun, Opened
from orange_jupyter.cli.tool import call
from orange_jupyter.core.changes.applying import Decided, apply
from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.drafting import Asked, Draft
from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.changes.rejecting import reject
from orange_jupyter.core.changes.undoing import undo
from orange_jupyter.core.changes.values import Choice, HunkChoice, Proposal, Spot
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.ports import Approver
from orange_jupyter.terminal import Yes

WRITE = Tier.WORKSPACE_WRITE


class Desk:
    """`root` is the KB's folder; calling the desk runs one tool call and gives its uncut envelope."""

    def __init__(self, app: App, opened: Opened, root: Path) -> None:
        self.app = app
        self.opened = opened
        self.root = root
        self.result = ""
        self.decision = ""

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        ran = await call(self.app, self.opened, tool, arguments)
        self.result, self.decision = ran.result.content, ran.decision
        return ran.envelope

    async def edit(self, operation: str, path: str, **arguments: Any) -> dict[str, Any]:
        """`edit` of a path."""
        return await self("edit", operation=operation, path=path, **arguments)

    async def write(self, path: str, content: str | None = None) -> dict[str, Any]:
        """`write` of a note, or of a folder where there is no content."""
        if content is None:
            return await self("write", kind="folder", targetPath=path)
        return await self("write", kind="file", targetPath=path, content=content)

    async def replace(self, path: str, old: str, new: str) -> str:
        """A pending replacement; its operation's id."""
        return operation(await self.edit("replace", path, oldText=old, newText=new))

    @property
    def changes(self) -> Changes:
        """The session's change sets."""
        return self.opened.session._parts.changes

    async def pending(self) -> tuple[Proposal, ...]:
        """What is open."""
        return await self.changes.pending()

    async def all(self) -> dict[str, Proposal]:
        """Every operation of the session by its id."""
        found = await self.app.means.store.of_session(self.changes.session_id)
        return {one.id: one for one in found}

    async def states(self, *ids: str) -> list[str]:
        """Their states."""
        known = await self.all()
        return [str(known[name].state) for name in ids]

    async def choices(self, *ids: str, hunks: tuple[HunkChoice, ...] = ()) -> list[Choice]:
        """Choices of what is open now, as a person sees it; all without ids."""
        found = [one for one in await self.pending() if not ids or one.id in ids]
        return [Choice(operation_id=one.id, digest=digest(one), hunks=hunks) for one in found]

    async def apply(self, *ids: str, hunks: tuple[HunkChoice, ...] = ()) -> tuple[Decided, ...]:
        """What a person applies; all that is open without ids."""
        chosen = await self.choices(*ids, hunks=hunks)
        return await apply(self.app.means, self.opened.session.grant(), chosen)

    async def applied(self, *ids: str, hunks: tuple[HunkChoice, ...] = ()) -> tuple[Decided, ...]:
        """The same, and all of it worked."""
        decided = await self.apply(*ids, hunks=hunks)
        assert [one.error for one in decided] == [None] * len(decided), decided
        return decided

    async def reject(self, *ids: str) -> tuple[Decided, ...]:
        """What a person rejects."""
        return await reject(self.app.means, ids)

    async def undo(self, *ids: str) -> tuple[Decided, ...]:
        """What a person undoes."""
        return await undo(self.app.means, self.opened.session.grant(), ids)

    def tree(self) -> dict[str, bytes | None]:
        """Every file and folder of the KB with its bytes."""
        return tree(self.root)


def tree(root: Path) -> dict[str, bytes | None]:
    """Every file, link and folder beneath a folder."""
    return {str(one.relative_to(root)): one.read_bytes() if one.is_file() else None for one in sorted(root.rglob("*"))}


def operation(envelope: dict[str, Any]) -> str:
    """The id of an operation that was proposed."""
    assert envelope["ok"], envelope
    return str(envelope["operationId"])


def code(envelope: dict[str, Any]) -> str:
    """The code of a call that failed."""
    assert not envelope["ok"], envelope
    return str(envelope["error"]["code"])


def sha256(data: bytes) -> str:
    """As `contentHash` has it."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _set_encoding(root: Path, encoding: str) -> None:
    (root / ".orange").mkdir(exist_ok=True)
    text = f'[[knowledge_bases]]\nid = "kb_t"\nname = "kb"\npath = "."\nencoding = "{encoding}"\n'
    (root / ".orange" / "config.toml").write_text(text)


def environ(tmp: Path) -> dict[str, str]:
    """The environment of an installation in a test's folder."""
    return {"ORANGE_HOME": str(tmp / "home"), "ORANGE_CACHE": str(tmp / "cache"), "HOME": str(tmp)}


async def opened_desk(
    tmp: Path,
    *,
    tier: Tier = WRITE,
    approver: Approver | None = None,
    more: tuple[Path, ...] = (),
    encoding: str | None = None,
) -> Desk:
    """A desk on `tmp/kb`, which is made; `more` are further KBs, `encoding` is what the person set for this one."""
    root = tmp / "kb"
    await asyncio.to_thread(root.mkdir, exist_ok=True)
    if encoding is not None:
        await asyncio.to_thread(_set_encoding, root, encoding)
    folders = (str(root), *(str(one) for one in more))
    app = await App.open(environ(tmp), str(root), approver or Yes(), run=ForThisRun(tier=tier, folders=folders))
    return Desk(app, await app.create(), root)


@asynccontextmanager
async def desk(tmp: Path, **how: Any) -> AsyncIterator[Desk]:
    """The same, closed at the end."""
    opened = await opened_desk(tmp, **how)
    try:
        yield opened
    finally:
        await opened.app.close()


async def proposed(desk: Desk, path: str, asked: Asked) -> Proposal:
    """A text operation put forward as the tool does it, without the call around it: for many rounds."""
    spot = Spot(root=str(desk.root), relative=path)
    async with desk.app.means.alone():
        view = await desk.changes.view(spot)
        draft = Draft(asked.kind, desk.opened.session.state.knowledge_bases[0], path, spot, "")
        return await desk.changes.propose_text(draft, view, asked)
