"""The composition root: builds sessions, models and KBs from the settings; the module that may import every room."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace

from orange_jupyter.changing import means, tidy
from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.events import StopReason
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.limits import TurnLimits
from orange_jupyter.core.masking import FindSecrets, Masker, Span
from orange_jupyter.core.parts import Parts, Reach, State
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.core.ports import Approver, Model
from orange_jupyter.core.session import Session
from orange_jupyter.core.titles import clean_title
from orange_jupyter.ground import Ground
from orange_jupyter.jupyter.strings import Language, language_of
from orange_jupyter.lab_settings import lab_locale
from orange_jupyter.local.bases import Bases, base_for_folder, load_bases
from orange_jupyter.local.commands.runner import LocalRunner, RunnerSettings
from orange_jupyter.local.index.background import Background
from orange_jupyter.local.index.library import PATIENCE, Indexing, LocalLibrary
from orange_jupyter.local.workspace import LocalWorkspace
from orange_jupyter.log import close_log, open_log
from orange_jupyter.models import Models
from orange_jupyter.outward import before_turn
from orange_jupyter.storage.citations import SessionCitations
from orange_jupyter.storage.evidence import SessionEvidence
from orange_jupyter.storage.ids import new_id
from orange_jupyter.storage.lease import Lease
from orange_jupyter.storage.reads import SessionReads
from orange_jupyter.storage.recorder import Recorder
from orange_jupyter.storage.session_rows import SessionRecord
from orange_jupyter.storage.transcript import Transcript
from orange_jupyter.tools import tools_for


@dataclass(frozen=True, slots=True)
class ForThisRun:
    """What a command-line run sets for itself and never saves: None leaves the session's own; `folders` are KBs by
    folder, `reselect` takes the KBs of the working folder instead of those stored, `patience` is how many seconds a
    search waits for documents that are not indexed yet."""

    tier: Tier | None = None
    plan: bool | None = None
    model: str | None = None
    folders: tuple[str, ...] = ()
    reselect: bool = False
    patience: float = PATIENCE


@dataclass(frozen=True, slots=True)
class Opened:
    """A session of this process: its record as stored, the lease to write it, how its last turn was cut off."""

    session: Session
    record: SessionRecord
    lease: Lease | None
    cut_off: StopReason | None = None


class App:
    """Everything behind a kernel or a command-line run. Lives on one event loop; `close` at the end."""

    def __init__(self, ground: Ground, folder: str, approver: Approver, *, run: ForThisRun | None = None) -> None:
        self.ground = ground
        self.folder = folder
        self.models = Models(ground)
        self.run = run or ForThisRun()
        self.said: set[str] = set()
        self.language: Language = language_of(locale())
        self._masker = Masker()
        self.means = means(ground, lambda: self.bases().bases, lambda: self._masker)
        self.runner = LocalRunner(RunnerSettings(ground.environ), self.find_secrets)
        self._log: logging.Handler | None = None
        self._approver = approver
        self._nonce = secrets.token_hex(16)
        self.indexing = Indexing(Background(), self.run.patience)
        self._libraries: dict[tuple[KnowledgeBase, ...], Reach] = {}
        self._opened: dict[str, Opened] = {}

    @classmethod
    async def open(
        cls, environ: Mapping[str, str], folder: str, approver: Approver, *, run: ForThisRun | None = None
    ) -> App:
        """Open this installation for a notebook's or run's folder. Raises ConfigError, StoreError."""
        app = cls(await Ground.open(environ), folder, approver, run=run)
        await app.learn_secrets()
        await tidy(app.ground, app.means)
        await app.runner.prepare()
        app._log = await asyncio.to_thread(open_log, app.ground.folders.home, app.mask)
        return app

    async def learn_secrets(self) -> None:
        """Mask the keys that are known now; again after a key was set."""
        self._masker = await asyncio.to_thread(self.ground.masker)
        self.ground.documents.hide(self.find_secrets)

    def mask(self, text: str) -> str:
        """Without known or recognised secrets."""
        return self._masker.mask(text)

    def find_secrets(self, text: str) -> tuple[Span, ...]:
        """Where a text, of which parts will be shown, holds known or recognised secrets."""
        return self._masker.spans(text)

    # Knowledge bases

    def bases(self) -> Bases:
        """The KBs registered for this folder, those of this run first. Reads files: call it off the loop."""
        known = load_bases(str(self.ground.folders.home), self.folder)
        own: list[KnowledgeBase] = []
        for folder in self.run.folders:
            base = base_for_folder(folder, [*known.bases, *own])
            if base not in own:
                own.append(base)
        return Bases(tuple(dict.fromkeys((*own, *known.bases))), known.ignored, known.project_file)

    def selected_at_first(self, bases: Bases) -> tuple[str, ...]:
        """What a new session selects: this run's folders, else the project's KBs, else all of the person's own."""
        if self.run.folders:
            return tuple(base.id for base in bases.bases[: len(self.run.folders)])
        project = tuple(base.id for base in bases.bases if base.source == "project")
        return project or tuple(base.id for base in bases.bases)

    async def reach(self, ids: tuple[str, ...]) -> Reach:
        """The KBs with these ids, opened; an id that is no longer registered is left out."""
        by_id = {base.id: base for base in (await asyncio.to_thread(self.bases)).bases}
        chosen = tuple(by_id[identity] for identity in ids if identity in by_id)
        if chosen not in self._libraries:
            self._libraries[chosen] = _reach(self.ground, chosen, self.find_secrets, self.indexing)
        return self._libraries[chosen]

    async def model(self, name: str) -> Model:
        """The model `name`. Raises ConfigError."""
        return await asyncio.to_thread(self.models.make, name)

    # Sessions

    async def create(self, *, title: str = "", notebook: str | None = None) -> Opened:
        """A new session with the defaults of the settings (R-PERM-1)."""
        settings = await asyncio.to_thread(self.ground.settings)
        bases = await asyncio.to_thread(self.bases)
        record = await self.ground.sessions.create(
            title=clean_title(self.mask(title)),
            model=settings.default_model,
            tier=settings.default_tier,
            knowledge_base_ids=() if self.run.folders else self.selected_at_first(bases),
            notebook=notebook,
        )
        return await self.resume(record, notebook=notebook)

    async def resume(self, record: SessionRecord, *, notebook: str | None = None, patience: float = 0.0) -> Opened:
        """Open a stored session for writing. Raises SessionError busy where another kernel has it."""
        if record.session_id in self._opened:
            return self._opened[record.session_id]
        lease = await self.ground.leases.patiently(record.session_id, notebook, patience)
        try:
            transcript = await Transcript.open(self.ground.database, lease, clock=self.ground.clock, mask=self.mask)
            session = Session(await self._state(record), await self._parts(record, transcript))
        except BaseException:
            lease.release()
            raise
        self._opened[record.session_id] = Opened(session, record, lease, transcript.cut_off)
        return self._opened[record.session_id]

    async def aside(self) -> Opened:
        """A session that is not stored: for commands about the installation, which need rights but no record."""
        settings = await asyncio.to_thread(self.ground.settings)
        now = self.ground.clock.now()
        record = SessionRecord(
            session_id=new_id("s_"),
            title="",
            model=settings.default_model,
            tier=settings.default_tier,
            created_at=now,
            updated_at=now,
        )
        transcript = Transcript(self.ground.database, record.session_id, mask=self.mask)
        parts = replace(await self._parts(record, transcript), save=_unsaved)
        return Opened(Session(await self._state(record), parts), record, None)

    def opened(self, session_id: str) -> Opened | None:
        """A session that this process has open."""
        return self._opened.get(session_id)

    async def release(self, session_id: str) -> Lease | None:
        """Stop and let go of a session of this process; returns its lease, still held, for deleting it."""
        opened = self._opened.pop(session_id, None)
        if opened is None:
            return None
        await opened.session.stop(StopReason.INTERRUPTED)
        return opened.lease

    async def _state(self, record: SessionRecord) -> State:
        run = self.run
        ids = record.knowledge_base_ids
        if run.folders or run.reselect or not ids:
            ids = self.selected_at_first(await asyncio.to_thread(self.bases))
        return _state_of(record, run, ids)

    async def _parts(self, record: SessionRecord, transcript: Transcript) -> Parts:
        ground, session_id = self.ground, record.session_id
        settings = await asyncio.to_thread(ground.settings)
        return Parts(
            transcript=transcript,
            recorder=Recorder(transcript, clock=ground.clock),
            evidence=SessionEvidence(ground.database, session_id, mask=self.mask),
            citations=SessionCitations(ground.database, session_id, mask=self.mask),
            reads=SessionReads(ground.database, session_id),
            blobs=ground.blobs,
            changes=Changes(session_id, self.means),
            documents=ground.documents,
            runner=self.runner,
            approver=self._approver,
            clock=ground.clock,
            tools=tools_for(self.runner.shell),
            switches=settings.grant_switches,
            mask=self.mask,
            save=self._save,
            reach=self.reach,
            model=self.model,
            new_id=lambda prefix: new_id(f"{prefix}_"),
            nonce=self._nonce,
            limits=TurnLimits(**settings.limits.model_dump()),
            find_secrets=self.find_secrets,
            before_turn=before_turn(ground, lambda: self.language),
        )

    async def _save(self, state: State) -> None:
        """Keep what may be kept; what a run set for itself is not saved (R-SCH-10)."""
        run, sessions = self.run, self.ground.sessions
        await sessions.update(
            state.session_id, title=state.title, memory=state.memory, permission_version=state.permission_version
        )
        if run.tier is None and run.plan is None:
            await sessions.update(state.session_id, tier=state.tier, plan=state.plan)
        if run.model is None:
            await sessions.update(state.session_id, model=state.model)
        if not (run.folders or run.reselect):
            await sessions.update(state.session_id, knowledge_base_ids=state.knowledge_bases)

    async def close(self) -> None:
        """Stop every turn, let go of every session, close every index and store."""
        for session_id in list(self._opened):
            lease = await self.release(session_id)
            if lease is not None:
                lease.release()
        for reach in self._libraries.values():
            await reach.library.close()
        await self.runner.close()
        await asyncio.to_thread(self.models.close)
        await self.ground.close()
        close_log(self._log)


def _reach(ground: Ground, chosen: tuple[KnowledgeBase, ...], find_secrets: FindSecrets, indexing: Indexing) -> Reach:
    folder = ground.folders.cache / "index"
    library = LocalLibrary(chosen, ground.documents, ground.file_ids, folder, indexing=indexing)
    workspace = LocalWorkspace(chosen, ground.file_ids, ground.protected, find_secrets=find_secrets)
    return Reach(chosen, workspace, library)


def _state_of(record: SessionRecord, run: ForThisRun, ids: tuple[str, ...]) -> State:
    return State(
        session_id=record.session_id,
        title=record.title,
        model=run.model or record.model,
        tier=run.tier or record.tier,
        workspace_tier=record.tier,
        plan=record.plan if run.plan is None else run.plan,
        memory=record.memory,
        knowledge_bases=ids,
        permission_version=record.permission_version,
        turns=record.turns,
    )


async def _unsaved(_: State) -> None:
    """Nothing is kept of a session that is not stored."""


def locale(*, lab: bool = False) -> str:
    """Such as `zh_CN.UTF-8`: the language chosen in Lab if that is asked for, else the environment's, or ""."""
    chosen = lab_locale(os.environ) if lab else ""
    return chosen or next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")


def environment() -> dict[str, str]:
    """The process's environment as it is now: read here once and handed down (R-MOD-2)."""
    return dict(os.environ)
