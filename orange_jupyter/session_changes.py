"""One session's changes as commands, the command line and Python decide them: by id, all of a change as proposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from orange_jupyter.change_documents import Mask, operation_masked
from orange_jupyter.core.changes.applying import Decided, apply
from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.rejecting import reject
from orange_jupyter.core.changes.undoing import undo
from orange_jupyter.core.changes.values import Choice, Operation, OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, UsageError
from orange_jupyter.core.grant import Grant


class Deciding(Protocol):
    """Who carries a decision out."""

    async def apply(self, choices: Sequence[Choice]) -> tuple[Decided, ...]:
        """Apply chosen operations. Raises RightsError, RunError busy, ChangeError where nothing was begun."""
        ...

    async def reject(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Reject operations, with what builds on them."""
        ...

    async def undo(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Take applied operations back. Raises RightsError."""
        ...


async def proposed(means: Means, session_id: str, turn_id: str, mask: Mask) -> tuple[Operation, ...]:
    """What a turn put forward, as it stands now, for its result; secrets in it are hidden. Raises StoreError."""
    every = await means.store.of_session(session_id)
    return tuple(operation_masked(one.operation, mask) for one in every if one.turn_id == turn_id)


@dataclass(frozen=True, slots=True)
class Plainly:
    """Decisions with nobody else to tell; `grant` gives the rights in force now."""

    means: Means
    grant: Callable[[], Grant]

    async def apply(self, choices: Sequence[Choice]) -> tuple[Decided, ...]:
        """As `Deciding` says."""
        return await apply(self.means, self.grant(), choices)

    async def reject(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """As `Deciding` says."""
        return await reject(self.means, operation_ids)

    async def undo(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """As `Deciding` says."""
        return await undo(self.means, self.grant(), operation_ids)


@dataclass(frozen=True, slots=True)
class SessionChanges:
    """The changes of one session. Only these can be named: another session's follow its own rights (R-SCH-10).

    `command` spells a line for the person to type, such as `%orange changes apply op_…`.
    """

    means: Means
    session_id: str
    deciding: Deciding
    command: Callable[[str], str] = "%orange changes {}".format

    async def every(self) -> tuple[Proposal, ...]:
        """All that was ever proposed and is still kept, in order."""
        return await self.means.store.of_session(self.session_id)

    async def waiting(self) -> tuple[Proposal, ...]:
        """What a person has still to decide, in order."""
        return await self.means.store.of_session(self.session_id, undecided=True)

    async def named(self, operation_ids: Sequence[str]) -> tuple[Proposal, ...]:
        """These operations in the order of their proposal. Raises UsageError not_found that names the nearest id."""
        wanted = tuple(dict.fromkeys(operation_ids))
        every = await self.every()
        known = [one.id for one in every]
        for name in wanted:
            if name not in known:
                hint = f"{self.command('list')} shows their ids."
                raise UsageError(f"This session has no change {name}.", hint=hint, code=Code.NOT_FOUND)
        return tuple(one for one in every if one.id in wanted)

    async def apply(self, operation_ids: Sequence[str] = ()) -> tuple[Decided, ...]:
        """Apply these, or all that wait, with all their hunks as proposed; one result for each.

        Raises UsageError not_found, RightsError, RunError busy; ChangeError only where nothing was begun.
        """
        chosen = await (self.named(operation_ids) if operation_ids else self.waiting())
        if not chosen:
            return ()
        choices = [Choice(operation_id=one.id, digest=digest(one)) for one in chosen]
        decided = await self.deciding.apply(choices)
        every = await self.every()
        return tuple(self._naming_parents(one, every) for one in decided)

    async def reject(self, operation_ids: Sequence[str] = ()) -> tuple[Decided, ...]:
        """Reject these, or all that wait; what builds on them goes with them. Raises UsageError not_found."""
        chosen = await (self.named(operation_ids) if operation_ids else self.waiting())
        return await self.deciding.reject([one.id for one in chosen]) if chosen else ()

    async def undo(self, operation_ids: Sequence[str] = ()) -> tuple[Decided, ...]:
        """Take these back, or the one that was applied last.

        Raises UsageError not_found, ChangeError nothing_to_do where nothing is applied, RightsError.
        """
        chosen = await self.named(operation_ids) if operation_ids else (await self._last(),)
        return await self.deciding.undo([one.id for one in chosen])

    def _naming_parents(self, decided: Decided, every: Sequence[Proposal]) -> Decided:
        """A result that says which ids must be named too, where the operation builds on some that still wait."""
        error = decided.error
        if error is None or error.code is not Code.PARENT_MISSING:
            return decided
        needed = _below(decided.proposal.id, {one.id: one for one in every})
        if not needed:
            return decided
        hint = f"Apply them together: {self.command(' '.join(['apply', *needed, decided.proposal.id]))}"
        details = {**error.details, "needs": list(needed)}
        named = ChangeError(error.code, error.message, hint=hint, details=details)
        return Decided(decided.proposal, named, decided.note, decided.warnings)

    async def _last(self) -> Proposal:
        applied = [one for one in await self.every() if one.state is OpState.APPLIED]
        if not applied:
            hint = f"{self.command('list')} shows what was proposed."
            raise ChangeError(Code.NOTHING_TO_DO, "No change of this session is applied.", hint=hint)
        numbered = {one.id: number for number, one in enumerate(applied)}
        return max(applied, key=lambda one: (one.operation.decided_at or "", numbered[one.id]))


def _below(name: str, known: Mapping[str, Proposal]) -> tuple[str, ...]:
    """All open operations that this one builds on, in order; () where one of them cannot be applied any more."""
    found: set[str] = set()
    left = [name]
    while left:
        for needed in known[left.pop()].operation.depends_on:
            other = known.get(needed)
            if other is None or other.state in (OpState.REJECTED, OpState.WITHDRAWN, OpState.UNDONE):
                return ()
            if other.state.open and needed not in found:
                found.add(needed)
                left.append(needed)
    return tuple(one for one in known if one in found)
