"""An operation, its proposal and a person's choice, as values (12-schemas.md, Operation)."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.codes import Code
from orange_jupyter.core.messages import Value


class Kind(StrEnum):
    """What an operation does; the first four change the text of a note."""

    REPLACE = "replace"
    MULTI_REPLACE = "multi_replace"
    APPEND = "append"
    REWRITE = "rewrite"
    CREATE_FILE = "create_file"
    CREATE_FOLDER = "create_folder"
    MOVE = "move"
    RENAME = "rename"
    DELETE = "delete"

    @property
    def text(self) -> bool:
        """Whether it changes the text of a file that is there."""
        return self in (Kind.REPLACE, Kind.MULTI_REPLACE, Kind.APPEND, Kind.REWRITE)

    @property
    def moves(self) -> bool:
        """Whether it gives something another place."""
        return self in (Kind.MOVE, Kind.RENAME)


class OpState(StrEnum):
    """Where an operation stands."""

    PENDING = "pending"
    APPLIED = "applied"
    REJECTED = "rejected"
    STALE = "stale"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"
    UNDONE = "undone"

    @property
    def open(self) -> bool:
        """Whether a person can still decide it: a stale or failed one may be applied again or rejected."""
        return self in (OpState.PENDING, OpState.STALE, OpState.FAILED)


class Operation(Value):
    """What everybody may see of one operation; it holds no text of a file. `path` and `destination` are as shown."""

    operation_id: str
    change_set_id: str
    kind: Kind
    knowledge_base_id: str
    path: str
    destination: str | None = None
    state: OpState = OpState.PENDING
    summary: str
    chars_before: int = 0
    chars_after: int = 0
    affected_files: int = 1
    base_hash: str | None = None
    applied_hash: str | None = None
    depends_on: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    child: str | None = None
    created_at: str
    decided_at: str | None = None


class Spot(Value):
    """A real place on this disk: a KB's real root and the path beneath it, links resolved ("" is the root itself)."""

    root: str
    relative: str


class TextBase(Value):
    """The file as it was when the first of its operations was proposed: its bytes are kept under `sha256` (hex)."""

    sha256: str
    encoding: str = "utf-8"
    bom: str = Field(default="", description="Hex of the byte order mark, which is no part of the text.")


class HunkChoice(Value):
    """What a person did with one hunk (`number` from 1): left it out, or wrote `text` in place of its after-text."""

    number: int
    taken: bool = True
    text: str | None = None


class Choice(Value):
    """A person's decision to apply one operation; hunks that are not named are taken as proposed.

    `digest` is the proposal's, as the person saw it: another one applies nothing.
    """

    operation_id: str
    digest: str
    hunks: tuple[HunkChoice, ...] = ()


class Proposal(Value):
    """An operation with all that is needed to apply it later, also by another process.

    Text kinds: `base`, `chain` (the id of the first operation on this base: the layers of one file share it) and
    `splices` against the text as proposed before it; `asked` or `content` as the model gave them, to propose again.
    `create_file`: `content`. Moves: `target`. Moves and deletes: `fingerprint` of what lies at `spot` (a file's
    sha256, a folder's tree digest). `taken` are the splices a person took, once it is applied; `applied_sha256` is
    what then lay there. `size` is how many bytes a move or delete takes along.
    """

    operation: Operation
    session_id: str
    turn_id: str = ""
    spot: Spot
    target: Spot | None = None
    base: TextBase | None = None
    chain: str = ""
    splices: tuple[Splice, ...] = ()
    asked: tuple[Edit, ...] = ()
    content: str | None = None
    fingerprint: str = ""
    size: int | None = None
    taken: tuple[Splice, ...] | None = None
    choice: Choice | None = None
    error: str | None = None
    code: Code | None = None
    told: bool = True

    @property
    def id(self) -> str:
        """The operation's id."""
        return self.operation.operation_id

    @property
    def state(self) -> OpState:
        """The operation's state."""
        return self.operation.state

    def moved_to(self, state: OpState, at: str, **changes: object) -> Proposal:
        """The same proposal in another state; `changes` are fields of the proposal itself."""
        operation = self.operation.model_copy(update={"state": state, "decided_at": at})
        return self.model_copy(update={"operation": operation, **changes})
