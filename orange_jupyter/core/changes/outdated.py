"""Pending operations whose files somebody else changed are stale at once, before they are applied (R-EXEC-7)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.following import on_disk
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.overlay import covers
from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError, ToolError

_CHANGED = "The file changed on the disk after this was proposed."
_THERE = "Something has this name on the disk by now."


async def outdated(changes: Changes, spots: Collection[Spot]) -> tuple[Proposal, ...]:
    """Make the session's pending operations on these files stale where the disk is not as they expect; gives those.

    Raises RunError busy where somebody else decides just now: an operation is compared again when it is applied.
    """
    if not spots:
        return ()
    return await alone(changes.means, lambda: _outdated(changes, spots))


async def _outdated(changes: Changes, spots: Collection[Spot]) -> tuple[Proposal, ...]:
    pending = await changes.pending()
    stale = []
    for number, one in enumerate(pending):
        if one.state is not OpState.PENDING or not _touched(one, on_disk(one, pending[:number]), spots):
            continue
        code = await _other(changes.means, one, pending[:number])
        if code is not None:
            error = _THERE if code is Code.TARGET_EXISTS else _CHANGED
            stale.append(one.moved_to(OpState.STALE, changes.means.clock.now(), error=error, code=code))
    await changes.means.store.update(stale)
    return tuple(stale)


def _touched(proposal: Proposal, lies: Spot, spots: Collection[Spot]) -> bool:
    places = [lies, *([proposal.target] if proposal.target else [])]
    return any(covers(place, spot) for place in places for spot in spots)


async def _other(means: Means, proposal: Proposal, before: tuple[Proposal, ...]) -> Code | None:
    """Why an operation would fail now; None where the disk is as it expects, or cannot be told from that."""
    kind, spot = proposal.operation.kind, on_disk(proposal, before)
    if kind is Kind.CREATE_FOLDER:
        return None
    try:
        if kind is Kind.CREATE_FILE:
            await means.look(spot)
            return Code.TARGET_EXISTS
        expected = proposal.base.sha256 if proposal.base is not None else proposal.fingerprint
        same = not expected or await _state(means, spot) == expected
        return None if same else Code.STALE_SOURCE
    except PathError as error:
        return Code.STALE_SOURCE if error.code is Code.NOT_FOUND and kind is not Kind.CREATE_FILE else None
    except ToolError:
        return None


async def _state(means: Means, spot: Spot) -> str:
    """A folder's tree digest or a note's sha256."""
    try:
        return (await means.applier.tree(spot)).digest
    except PathError:
        return hashlib.sha256((await means.look(spot)).data).hexdigest()
