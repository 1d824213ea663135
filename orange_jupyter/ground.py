"""What one process opens once: folders, settings, store, keys, workers; closed together at the end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from orange_jupyter.config import Folders, Settings, load_settings
from orange_jupyter.core.masking import Masker
from orange_jupyter.documents.extract import LocalDocuments
from orange_jupyter.local.alone import Alone
from orange_jupyter.local.applying.applier import LocalApplier
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.protected import Protected
from orange_jupyter.storage.blobs import FileBlobs
from orange_jupyter.storage.changes import Changes
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.hosts import Hosts
from orange_jupyter.storage.keys import Keys, system_ring
from orange_jupyter.storage.lease import Leases
from orange_jupyter.storage.sessions import Sessions
from orange_jupyter.storage.trials import Trials

_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


class SystemClock:
    """The machine's time."""

    def now(self) -> str:
        """ISO 8601 in UTC, whole seconds."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def monotonic(self) -> float:
        """Seconds for durations."""
        return time.monotonic()


@dataclass(frozen=True, slots=True)
class Ground:
    """Opened once for a process; used from one event loop. `close` frees it."""

    environ: Mapping[str, str]
    folders: Folders
    clock: SystemClock
    database: Database
    sessions: Sessions
    leases: Leases
    keys: Keys
    hosts: Hosts
    trials: Trials
    blobs: FileBlobs
    documents: LocalDocuments
    file_ids: FileIds
    protected: Protected
    changes: Changes
    applier: LocalApplier
    alone: Alone

    @classmethod
    async def open(cls, environ: Mapping[str, str]) -> Ground:
        """Open everything. Raises ConfigError, StoreError with what to do."""
        folders = await asyncio.to_thread(Folders.of(environ).make)
        clock = SystemClock()
        database = await Database.open_async(folders.home)
        leases = Leases(folders.home, clock)
        protected = _protected(environ, folders)
        return cls(
            environ=environ,
            folders=folders,
            clock=clock,
            database=database,
            sessions=Sessions(database, clock, leases),
            leases=leases,
            keys=Keys(folders.home, environ, ring=await asyncio.to_thread(system_ring)),
            hosts=Hosts(folders.home),
            trials=Trials(folders.home),
            blobs=FileBlobs(folders.home),
            documents=LocalDocuments(),
            file_ids=await asyncio.to_thread(FileIds, folders.home / "files.db"),
            protected=protected,
            changes=Changes(database, folders.home),
            applier=_applier(environ, folders, protected),
            alone=Alone(folders.home),
        )

    def settings(self) -> Settings:
        """The person's settings as they are on disk now. Raises ConfigError."""
        return load_settings(self.folders.config)

    def masker(self) -> Masker:
        """Masks every configured key and what looks like one. May wait for the keyring: call it off the loop."""
        models = {model.key_name(name): model.key_env for name, model in self.settings().models.items()}
        return Masker(self.keys.known_secrets(models))

    def proxy(self) -> str | None:
        """The proxy of the person's own environment; nothing in a project can set one (N12)."""
        return next((self.environ[name] for name in _PROXIES if self.environ.get(name)), None)

    async def close(self) -> None:
        """End the workers and close the stores."""
        await self.documents.close()
        await asyncio.to_thread(self.file_ids.close)
        await asyncio.to_thread(self.database.close)


def _applier(environ: Mapping[str, str], folders: Folders, protected: Protected) -> LocalApplier:
    keep = load_settings(folders.config).changes
    return LocalApplier(
        folders.home,
        protected,
        keep_bytes=keep.keep_mb * 1_048_576,
        keep_days=float(keep.keep_days),
        data_home=environ.get("XDG_DATA_HOME") or None,
    )


def _protected(environ: Mapping[str, str], folders: Folders) -> Protected:
    home = environ.get("HOME") or str(Path.home())
    named = [environ[name] for name in ("JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR") if environ.get(name)]
    data = environ.get("JUPYTER_DATA_DIR")
    runtime = [str(Path(data) / "runtime")] if data else []
    return Protected(home, (str(folders.home), str(folders.cache), *named, *runtime))
