"""`session.changes`: the changes of a session from Python (R-NB-4), with secrets hidden as in every saved text."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from orange_jupyter.app import App
from orange_jupyter.change_documents import diff_of, operation_masked
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.showing import shown
from orange_jupyter.core.changes.values import Operation
from orange_jupyter.core.codes import Code
from orange_jupyter.session_changes import SessionChanges

Run = Callable[[Callable[[SessionChanges, App], Awaitable[Any]]], Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a decision on one operation went: `error`, `code` and `hint` where it was not done, `notes` for a person."""

    operation: Operation
    error: str | None = None
    code: Code | None = None
    hint: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.error is None


class ChangesObject:
    """A session's changes; iterating gives the operations that wait. Ids are `operation_id`s.

    Every method raises UsageError not_found for an id that this session does not have, RunError busy, StoreError.
    """

    def __init__(self, run: Run) -> None:
        self._run = run

    def __iter__(self) -> Iterator[Operation]:
        return iter(self.pending())

    def __len__(self) -> int:
        return len(self.pending())

    def pending(self) -> tuple[Operation, ...]:
        """What waits for a decision, in order."""
        return tuple(one for one in self.all() if one.state.open)

    def all(self) -> tuple[Operation, ...]:
        """All that was proposed, in order, decided or not."""

        async def work(changes: SessionChanges, app: App) -> tuple[Operation, ...]:
            return tuple(operation_masked(one.operation, app.mask) for one in await changes.every())

        found: tuple[Operation, ...] = self._run(work)
        return found

    def diff(self, operation_id: str) -> str:
        """The unified diff of one operation; "" where it changes no text, or the text is not kept any more."""

        async def work(changes: SessionChanges, app: App) -> str:
            found = (await changes.named([operation_id]))[0]
            of_set = await shown(app.means, await app.means.store.sets([found.operation.change_set_id]))
            return next(diff_of(one, app.find_secrets, app.mask) for one in of_set if one.proposal.id == found.id)

        return str(self._run(work))

    def apply(self, *operation_ids: str) -> tuple[Outcome, ...]:
        """Apply these, or all that wait. Raises RightsError where tier or plan mode do not allow it."""
        return self._decide(lambda changes: changes.apply(operation_ids))

    def reject(self, *operation_ids: str) -> tuple[Outcome, ...]:
        """Reject these, or all that wait; what builds on them goes with them."""
        return self._decide(lambda changes: changes.reject(operation_ids))

    def undo(self, *operation_ids: str) -> tuple[Outcome, ...]:
        """Take these back, or the one applied last. Raises RightsError, ChangeError nothing_to_do."""
        return self._decide(lambda changes: changes.undo(operation_ids))

    def _decide(self, decide: Callable[[SessionChanges], Awaitable[tuple[Decided, ...]]]) -> tuple[Outcome, ...]:
        async def work(changes: SessionChanges, app: App) -> tuple[Outcome, ...]:
            return tuple(_outcome(one, app.mask) for one in await decide(changes))

        outcomes: tuple[Outcome, ...] = self._run(work)
        return outcomes


def _outcome(decided: Decided, mask: Callable[[str], str]) -> Outcome:
    operation, error = operation_masked(decided.proposal.operation, mask), decided.error
    notes = tuple(mask(line) for line in (*decided.warnings, *([decided.note] if decided.note else [])))
    if error is None:
        return Outcome(operation, notes=notes)
    return Outcome(operation, mask(error.message), error.code, mask(error.hint) if error.hint else None, notes)
