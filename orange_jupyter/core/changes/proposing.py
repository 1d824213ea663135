"""A session's change sets: proposed here by tools, read through by tools, decided by a person (R-CHG-1, R-EDIT-4)."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import replace

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.deciding import bytes_of
from orange_jupyter.core.changes.drafting import Asked, Draft, TextView, base_of, summary_of
from orange_jupyter.core.changes.means import Means, without
from orange_jupyter.core.changes.overlay import Standing, layers, standing
from orange_jupyter.core.changes.ports import TextNow
from orange_jupyter.core.changes.splices import needs, spliced
from orange_jupyter.core.changes.values import Kind, Operation, OpState, Proposal, Spot, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, PathError


class Changes:
    """One session's proposals. Every method may wait for the disk and the store; raises StoreError beside its own."""

    def __init__(self, session_id: str, means: Means) -> None:
        self.session_id = session_id
        self.means = means

    async def pending(self) -> tuple[Proposal, ...]:
        """What a person has still to decide, in order."""
        return await self.means.store.of_session(self.session_id, undecided=True)

    async def stands(self, spot: Spot) -> Standing:
        """What a path means with the pending operations done."""
        return standing(spot, await self.pending())

    async def view(self, spot: Spot) -> TextView:
        """A text file as it would be. Raises PathError not_found (taken away by a pending operation), ReadError,
        ChangeError stale_source (changed on the disk under a pending operation), encoding_unknown."""
        pending = await self.pending()
        stands = standing(spot, pending)
        if stands.gone is not None:
            raise PathError(
                Code.NOT_FOUND,
                f"A pending change takes it away ({stands.gone.operation.summary}, {stands.gone.id}).",
                hint="Use its new path, or withdraw that operation first.",
            )
        above = tuple(one for one in layers(stands, pending) if one.chain)
        base, now = await self._base(stands, above)
        text = await asyncio.to_thread(_with_all, now.text, above)
        return TextView(stands, text, base, now, above)

    async def _base(self, stands: Standing, above: Sequence[Proposal]) -> tuple[TextBase, TextNow]:
        if stands.created is not None:
            content = stands.created.content or ""
            data = content.encode()
            return TextBase(sha256=hashlib.sha256(data).hexdigest()), TextNow(data, content)
        now = await self.means.look(stands.spot)
        base = await asyncio.to_thread(base_of, now)
        first = above[0] if above else None
        if first is not None and first.base is not None and first.base.sha256 != base.sha256:
            raise ChangeError(
                Code.STALE_SOURCE,
                f"The file changed on the disk after your pending change {first.id}.",
                hint="Wait for the person's decision, or withdraw it and propose again on the new text.",
                details={"operationIds": [one.id for one in above]},
            )
        return (first.base or base) if first else base, now

    async def propose_text(self, draft: Draft, view: TextView, asked: Asked) -> Proposal:
        """Put a text operation forward, on the text as it would be. Raises ChangeError; nothing is kept then.

        Between `view` and this nothing may be decided: hold `means.alone` around both.
        """
        splices = await asyncio.to_thread(asked.splices, view.text)
        after = len(view.text) + sum(len(one.text) - (one.end - one.start) for one in splices)
        bytes_of(view.base, "".join(one.text for one in splices))
        below = [one.splices for one in view.pending]
        length = len(view.now.text)
        tied = await asyncio.to_thread(needs, length, [*below, splices])
        depends = (*view.standing.through, *(view.pending[number - 1].id for number in tied), *draft.depends_on)
        await self.means.store.keep(view.now.data)
        draft = replace(
            draft,
            depends_on=tuple(dict.fromkeys(depends)),
            chars=(len(view.text), after),
            summary=draft.summary or summary_of(asked.kind, splices, view.text),
        )
        proposal = await self._made(draft)
        chain = view.pending[0].chain if view.pending else proposal.id
        content = asked.content if asked.kind in (Kind.APPEND, Kind.REWRITE) else None
        update = {"base": view.base, "chain": chain, "splices": splices, "asked": asked.edits, "content": content}
        operation = proposal.operation.model_copy(update={"base_hash": f"sha256:{view.base.sha256}"})
        return await self._add(proposal.model_copy(update={**update, "operation": operation}))

    async def propose(self, draft: Draft) -> Proposal:
        """Put forward what is no text edit."""
        return await self._add(await self._made(draft))

    async def _made(self, draft: Draft) -> Proposal:
        operation = Operation(
            operation_id=self.means.new_id("op"),
            change_set_id=draft.change_set_id or await self._open_set(),
            kind=draft.kind,
            knowledge_base_id=draft.knowledge_base_id,
            path=draft.path,
            destination=draft.destination,
            summary=draft.summary,
            chars_before=draft.chars[0],
            chars_after=draft.chars[1],
            affected_files=draft.affected_files,
            base_hash=f"sha256:{draft.fingerprint}" if draft.fingerprint else None,
            depends_on=draft.depends_on,
            warnings=draft.warnings,
            child=draft.child,
            created_at=self.means.clock.now(),
        )
        return Proposal(
            operation=operation,
            session_id=self.session_id,
            turn_id=draft.turn_id,
            spot=draft.spot,
            target=draft.target,
            content=draft.content,
            fingerprint=draft.fingerprint,
            size=draft.size,
        )

    async def _open_set(self) -> str:
        """The change set that is open; a new one where all of the last is decided (12-schemas.md)."""
        pending = await self.pending()
        return pending[-1].operation.change_set_id if pending else self.means.new_id("cs")

    async def _add(self, proposal: Proposal) -> Proposal:
        await self.means.store.add(proposal)
        return proposal

    async def withdraw(self, operation_id: str) -> Proposal:
        """Take back one's pending operation. Raises ChangeError where it is decided or others build on it; RunError."""
        return await alone(self.means, lambda: self._withdraw(operation_id))

    async def _withdraw(self, operation_id: str) -> Proposal:
        pending = await self.pending()
        found = next((one for one in pending if one.id == operation_id), None)
        if found is None:
            raise ChangeError(
                Code.NOT_FOUND,
                f"No pending operation of this session has the id {operation_id}.",
                hint="It may be decided already.",
                details={"pending": [one.id for one in pending]},
            )
        built = [one.id for one in pending if operation_id in one.operation.depends_on]
        if built:
            raise ChangeError(
                Code.PARENT_MISSING,
                f"{', '.join(built)} builds on it.",
                hint="Withdraw that first.",
                details={"needs": built},
            )
        gone = found.moved_to(OpState.WITHDRAWN, self.means.clock.now())
        await self.means.store.update([gone, *await without(self.means, [found], pending)])
        return gone


def _with_all(text: str, pending: Sequence[Proposal]) -> str:
    for one in pending:
        text = spliced(text, one.splices)
    return text
