"""What the notebook needs from the composition root, so that `jupyter` never imports `app`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from orange_jupyter.core.corpus import Citation
from orange_jupyter.core.events import TurnFinished
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.ports import Approver, Listener
from orange_jupyter.jupyter.options import Options
from orange_jupyter.jupyter.strings import Language

if TYPE_CHECKING:
    from orange_jupyter.core.changes.applying import Decided
    from orange_jupyter.core.changes.showing import Shown
    from orange_jupyter.core.changes.values import Choice
    from orange_jupyter.core.masking import FindSecrets
    from orange_jupyter.jupyter.inspector.inspections import Opened
    from orange_jupyter.jupyter.inspector.paper import Paper
    from orange_jupyter.jupyter.sheet import Surroundings  # that module loads the Markdown parser
    from orange_jupyter.jupyter.view import TurnView


@dataclass(frozen=True, slots=True)
class Where:
    """Where a cell stands. `notebook` is its absolute path (None: unknown), `language` is "en" or "zh".

    `way` is how a cell waits here (`waiting.Way`), "" outside kernels.
    """

    notebook: str | None
    cell_id: str | None
    folder: str
    language: Language = "en"
    way: str = ""


@dataclass(frozen=True, slots=True)
class CellRequest:
    """One `%%orange` cell. `images` are paths as written; `variables` are (name, bounded repr).

    `number` is what stands in the cell's brackets, None where nothing does.
    """

    text: str
    options: Options
    where: Where
    images: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    number: int | None = None


class CellView(Listener, Protocol):
    """The Listener of one cell, which can also say what its turn waits for."""

    def waits_for(self, session: str, cell: int | None) -> None:
        """The session is busy with another cell's turn; `cell` is that cell's number."""
        ...


class Review(Protocol):
    """A session's changes as a person reviews them; coroutines of the runtime's loop (R-CHG-2).

    Deciding raises RightsError, RunError busy, and ChangeError where nothing was begun.
    """

    @property
    def find_secrets(self) -> FindSecrets:
        """Where a text holds what must not stay in a notebook."""
        ...

    async def look(self) -> tuple[tuple[Shown, ...], int]:
        """The operations to show, in their order, and how many more of the session wait."""
        ...

    async def on_disk(self, operation_id: str) -> str | None:
        """A note's text as it is on the disk now; None where it cannot be read."""
        ...

    async def apply(self, choices: Sequence[Choice]) -> tuple[Decided, ...]:
        """Apply what a person chose, as they saw it."""
        ...

    async def reject(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Reject operations and what builds on them."""
        ...

    async def undo(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Take back what was applied."""
        ...

    async def way_out(self, operation_id: str, way: str, name: str) -> None:
        """Out of a conflict: `again`, `overwrite`, `elsewhere` (with another path). A new operation waits then."""
        ...


@dataclass(frozen=True, slots=True)
class CommandReply:
    """What a `%orange` line answers: Markdown for people, `data` for programs, `html` (already safe) where given.

    A notebook shows `review` instead of the Markdown, and `pages` as a live view over the HTML.
    """

    markdown: str
    data: dict[str, Any] | None = None
    html: str | None = None
    review: Review | None = None
    pages: Opened | None = None


@dataclass(frozen=True, slots=True)
class Candidates:
    """Names that complete after Tab; `changes` are ids of those that wait, `applied` of those that can be undone."""

    knowledge_bases: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    applied: tuple[str, ...] = ()


class TurnObject(Protocol):
    """The result that `--out NAME` binds (R-NB-4)."""

    def document(self) -> dict[str, Any]:
        """The turn as `ask --json` prints it (R-SCH-10)."""
        ...


class Office(Protocol):
    """Everything behind the notebook. Its coroutines run on the runtime's loop."""

    @property
    def strict(self) -> bool:
        """`headless.strict`: a cell raises where something needed a person and nobody was there (R-APPR-4)."""
        ...

    async def send(self, cell: CellRequest, *, view: CellView) -> TurnFinished:
        """Run one turn. Raises OrangeError where it could not begin (busy, unknown name …)."""
        ...

    def title(self, session_id: str) -> str:
        """A session's name for the record: cheap, cached."""
        ...

    async def places(self, citations: Sequence[Citation], where: Where) -> Mapping[str, Surroundings]:
        """Where these cited passages stand, by citation id, for the record (R-UI-3)."""
        ...

    async def paper(self, citation: Citation, where: Where) -> Paper | None:
        """The document of a citation for the inspector; None for notes and what cannot be found (R-UI-3)."""
        ...

    async def figures(
        self, view: TurnView, places: Mapping[str, Surroundings], where: Where
    ) -> Mapping[str, Surroundings]:
        """`places` with the small pictures of a finished turn's record: of cited pages, and, by their sha256, of what
        the model was shown. Bounded in time; may be cancelled."""
        ...

    async def turn(self, finished: TurnFinished) -> TurnObject:
        """The finished turn as an object for `--out` and `--json`."""
        ...

    async def command(self, words: tuple[str, ...], where: Where) -> CommandReply:
        """Run a `%orange` line. Raises OrangeError."""
        ...

    async def review(self, where: Where, session_id: str | None = None, turn_id: str = "") -> Review:
        """The changes of a session (None: the notebook's), or those that one of its turns proposed."""
        ...

    async def stop(self, session_id: str | None = None) -> bool:
        """Stop the running turn of a session (None: the notebook's) and wait for its end; False when none runs."""
        ...

    async def set_tier(self, tier: Tier, *, session_id: str | None = None) -> Tier:
        """Change the tier; a full one asks the person. Raises RightsError."""
        ...

    async def set_plan(self, plan: bool, *, session_id: str | None = None) -> None:
        """Switch plan mode."""
        ...

    def candidates(self) -> Candidates:
        """Names for completion: cached, cheap, from any thread."""
        ...

    async def close(self) -> None:
        """Stop what runs and free everything."""
        ...


class Door(Protocol):
    """The way in, given by the package: it builds the office when the first cell or line needs it."""

    def locale(self, *, lab: bool) -> str:
        """The language, such as `zh_CN.UTF-8`: the one chosen in Lab where a person uses it (`lab`), else LANG's."""
        ...

    async def open(self, approver: Approver, where: Where) -> Office:
        """Build the office; awaited once, on the runtime's loop. Raises ConfigError, StoreError."""
        ...
