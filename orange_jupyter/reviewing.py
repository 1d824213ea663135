"""A session's changes for the notebook's review (`jupyter.ports.Review`): what is shown, and every decision."""

from __future__ import annotations

import asyncio
import os
import posixpath
from collections.abc import Sequence
from dataclasses import replace

from orange_jupyter.app import App, Opened
from orange_jupyter.core.changes import again, applying, rejecting, undoing
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.following import on_disk
from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.changes.showing import Shown, shown
from orange_jupyter.core.changes.values import Choice, Kind, OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, PathError, ToolError
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.paths import file_type, is_protected
from orange_jupyter.surroundings import link_between


class SessionReview:
    """The review of one session, or of what one of its turns proposed. Lives on the app's loop."""

    def __init__(self, app: App, opened: Opened, turn_id: str = "") -> None:
        self._app = app
        self._opened = opened
        self._turn_id = turn_id
        self._read: list[Proposal] = []
        self._shown: tuple[Shown, ...] = ()

    @property
    def find_secrets(self) -> FindSecrets:
        """What the app masks."""
        return self._app.means.find_secrets

    async def look(self) -> tuple[tuple[Shown, ...], int]:
        """The operations of the turn with what they need; without a turn, of the change sets that are open or the last.

        Raises StoreError.
        """
        everything = await self._app.means.store.of_session(self._opened.session.state.session_id)
        chosen = self._of_turn(everything) if self._turn_id else _of_open_sets(everything)
        of_sets = [one for one in everything if one.operation.change_set_id in _sets(chosen)]
        names = {one.id for one in chosen if one.state is not OpState.WITHDRAWN}
        if of_sets != self._read:  # texts are compared and hunks cut again only where something changed
            found = await shown(self._app.means, of_sets)
            self._shown, self._read = await asyncio.to_thread(_linked, found, everything, self._app.folder), of_sets
        chosen_now = tuple(one for one in self._shown if one.proposal.id in names)
        older = sum(one.state.open and one.id not in names for one in everything)
        return chosen_now, older

    async def on_disk(self, operation_id: str) -> str | None:
        """The text of the file that an operation changes, as it is now."""
        found = await self._app.means.store.find([operation_id])
        if not found or not found[0].operation.kind.text:
            return None
        try:
            return (await self._app.means.look(found[0].spot)).text
        except ToolError:
            return None

    async def apply(self, choices: Sequence[Choice]) -> tuple[Decided, ...]:
        """Apply what a person chose, by the rights that are in force now."""
        return await applying.apply(self._app.means, self._opened.session.grant(), choices)

    async def reject(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Reject operations and what builds on them."""
        return await rejecting.reject(self._app.means, operation_ids)

    async def undo(self, operation_ids: Sequence[str]) -> tuple[Decided, ...]:
        """Take back what was applied."""
        return await undoing.undo(self._app.means, self._opened.session.grant(), operation_ids)

    async def way_out(self, operation_id: str, way: str, name: str) -> None:
        """Out of a conflict. Raises ToolError; the old operation stays then."""
        changes = Changes(self._opened.session.state.session_id, self._app.means)
        if way == "again":
            await again.propose_again(changes, operation_id)
        elif way == "overwrite":
            await again.overwrite(changes, operation_id)
        else:
            await self._elsewhere(changes, operation_id, name)

    async def _elsewhere(self, changes: Changes, operation_id: str, name: str) -> Proposal:
        found = await self._app.means.store.find([operation_id])
        if not found:
            raise ChangeError(Code.NOT_FOUND, f"{operation_id} is not known any more.")
        old = found[0]
        wanted = posixpath.normpath(name.strip())
        reach = await self._app.reach(self._opened.session.state.knowledge_bases)
        place = await reach.workspace.place(wanted)
        spot = await reach.workspace.spot(place, follow=False)
        if place.knowledge_base is None or not spot.relative:
            raise PathError(Code.OUTSIDE_WORKSPACE, f"{wanted} is not in a selected knowledge base.")
        before = (old.target or old.spot).relative
        if old.operation.kind is not Kind.CREATE_FOLDER and file_type(spot.relative) != file_type(before):
            raise ChangeError(
                Code.UNSUPPORTED_TYPE, f"{wanted} would be another type of file.", hint="Keep its ending."
            )
        if is_protected(spot.relative):
            raise ChangeError(Code.PROTECTED_PATH, f"{wanted} is a protected name; choose another.")
        return await again.elsewhere(changes, operation_id, spot, place.shown)

    def _of_turn(self, everything: Sequence[Proposal]) -> list[Proposal]:
        """What the turn proposed, and the open operations that this needs."""
        names = {one.id for one in everything if one.turn_id == self._turn_id}
        for one in reversed(everything):
            if one.id in names and one.state.open:
                names |= set(one.operation.depends_on)
        return [one for one in everything if one.id in names and (one.state.open or one.turn_id == self._turn_id)]


def review_of(app: App, opened: Opened, *, turn_id: str = "") -> SessionReview:
    """The review of a session's changes, or of those that one of its turns proposed."""
    return SessionReview(app, opened, turn_id)


def _linked(some: Sequence[Shown], everything: Sequence[Proposal], folder: str) -> tuple[Shown, ...]:
    """With the links of those that change the text of a file which is there."""
    places = {one.id: number for number, one in enumerate(everything)}

    def link(proposal: Proposal) -> str:
        if not proposal.operation.kind.text:
            return ""
        spot = on_disk(proposal, everything[: places[proposal.id]])
        file = os.path.join(spot.root, spot.relative)
        return (link_between(file, folder) or "") if os.path.isfile(file) else ""

    return tuple(replace(one, link=link(one.proposal)) for one in some)


def _of_open_sets(everything: Sequence[Proposal]) -> list[Proposal]:
    sets = _sets([one for one in everything if one.state.open]) or _sets(everything[-1:])
    return [one for one in everything if one.operation.change_set_id in sets]


def _sets(some: Sequence[Proposal]) -> set[str]:
    return {one.operation.change_set_id for one in some}
