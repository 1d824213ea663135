"""What changes need from outside: a durable store, and hands that change the disk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from orange_jupyter.core.changes.values import Proposal, Spot
from orange_jupyter.core.codes import Code


class Act(StrEnum):
    """What a step does on the disk."""

    WRITE = "write"
    CREATE_FILE = "create_file"
    CREATE_FOLDER = "create_folder"
    MOVE = "move"
    TRASH = "trash"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Step:
    """One atomic change of the disk, for all of `operations` (several text operations of a file share one write).

    `write`: replaces the file at `spot`, whose content must be `expected` (sha256, hex), by `data`; mode, owner, xattrs
    stay. `create_file`, `create_folder`, `move` never overwrite. `move` takes what lies at `spot` to `target`; a file
    must be `expected`, a folder must have the tree digest `expected`. `trash` likewise, and what it takes is first kept
    as a pre-image under its operation's id. `restore` brings that of operation `kept` back. A file is compared right
    before its step, a folder before the batch begins, since earlier steps may write in it. `expected` "" compares
    nothing.
    `after` are indices of steps in the same batch that must have been done first.
    """

    act: Act
    operations: tuple[str, ...]
    spot: Spot
    target: Spot | None = None
    data: bytes = field(default=b"", repr=False)
    expected: str = ""
    kept: str = ""
    after: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """How a step ended. `done` with the sha256 (file) or tree digest (folder) of what lies there now, or an error.

    `warnings` say what a person should know, such as other hard links that keep the old text; `note` where it went
    ("in the system trash").
    """

    done: bool
    sha256: str = ""
    code: Code | None = None
    message: str = ""
    warnings: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Applied:
    """A batch that was carried out; `batch_id` names its journal, which stays until `forget`."""

    batch_id: str
    steps: tuple[Step, ...]
    results: tuple[StepResult, ...]


@dataclass(frozen=True, slots=True)
class TextNow:
    """A text file as it is on the disk: `text` without the byte order mark `bom`; `uncertain` must not be written.

    `links` counts its hard links, `read_only` says that its owner may not write it.
    """

    data: bytes = field(repr=False)
    text: str = field(repr=False)
    encoding: str = "utf-8"
    bom: bytes = b""
    uncertain: bool = False
    links: int = 1
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Tree:
    """What lies in a folder, all of it. `digest` changes with any name, kind, size or time in it; `hidden` and
    `unindexed` are files that no search shows; `protected` are protected names in it (R-PERM-9), as relative paths;
    `names` are the first few files in it, likewise.
    """

    digest: str
    files: int
    hidden: int = 0
    unindexed: int = 0
    bytes: int = 0
    protected: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class Applier(Protocol):
    """Changes the disk: each step whole or not at all, the batch journalled before it begins (R-CHG-7).

    A batch that was cut off by the end of its process is completed or taken back by `recover`, never left between.
    """

    async def apply(self, steps: Sequence[Step]) -> Applied:
        """Carry out the steps in order; one that fails leaves its place as it was, and those `after` it are not tried.

        Waits for another process that applies to the same root, at most 10 s. Raises ChangeError (disk_full, io_error,
        RunError busy) only where nothing was begun.
        """
        ...

    async def tree(self, spot: Spot) -> Tree:
        """What lies in a folder now. Raises PathError."""
        ...

    async def forget(self, batch_id: str) -> None:
        """The outcome is durable in the store: the journal may go."""
        ...

    async def recover(self) -> tuple[Applied, ...]:
        """Finish or take back what a killed process left; those of processes that live are not touched."""
        ...


class ChangeStore(Protocol):
    """Every session's change sets, durable when a method returns; raises StoreError."""

    async def add(self, proposal: Proposal) -> None:
        """Keep a new operation."""
        ...

    async def update(self, proposals: Sequence[Proposal]) -> None:
        """Keep operations as they are now, all in one transaction."""
        ...

    async def find(self, operation_ids: Sequence[str]) -> tuple[Proposal, ...]:
        """The operations with these ids, in this order; unknown ids are left out."""
        ...

    async def of_session(self, session_id: str, *, undecided: bool = False) -> tuple[Proposal, ...]:
        """A session's operations in their order, with `undecided` only those that are open."""
        ...

    async def sets(self, change_set_ids: Sequence[str]) -> tuple[Proposal, ...]:
        """All operations of these change sets, in their order."""
        ...

    async def keep(self, data: bytes) -> str:
        """Keep the bytes of a file that something pending was written against; returns their sha256 (hex)."""
        ...

    async def kept(self, sha256: str) -> bytes:
        """The bytes. Raises ChangeError not_available where the keep limits took them."""
        ...
