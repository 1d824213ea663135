"""The ways out of a conflict: propose again on the new text, overwrite knowingly, take another name (R-CHG-4)."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

from orange_jupyter.core.changes.alone import alone
from orange_jupyter.core.changes.deciding import text_of
from orange_jupyter.core.changes.drafting import Asked, Draft, TextView
from orange_jupyter.core.changes.following import renamed
from orange_jupyter.core.changes.means import Means, without
from orange_jupyter.core.changes.proposing import Changes
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.values import Kind, OpState, Proposal, Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError, ToolError
from orange_jupyter.core.paths import is_protected


async def propose_again(changes: Changes, operation_id: str) -> Proposal:
    """The same edit on the text as it is now, as a new pending operation in place of the old one.

    Raises ChangeError no_match … where it does not fit any more; the old one stays as it is then. RunError busy.
    """
    return await alone(changes.means, lambda: _propose_again(changes, operation_id))


async def _propose_again(changes: Changes, operation_id: str) -> Proposal:
    old = await _open(changes, operation_id)
    asked = Asked(old.operation.kind, old.asked, old.content or "")
    return await _in_its_place(changes, old, asked, hides=True)


async def overwrite(changes: Changes, operation_id: str) -> Proposal:
    """The whole proposed text in place of the file as it is now: a new pending operation with that diff, to be asked
    once more. Raises ChangeError not_available where what it was written on is gone, RunError busy."""
    return await alone(changes.means, lambda: _overwrite(changes, operation_id))


async def _overwrite(changes: Changes, operation_id: str) -> Proposal:
    old = await _open(changes, operation_id)
    if old.base is None:
        raise _not_text(old) if not old.operation.kind.text else _lost()
    pending = await changes.pending()
    below = [one for one in pending if one.chain == old.chain and one.base == old.base]
    text = text_of(old.base, await changes.means.store.kept(old.base.sha256))
    for one in below[: [one.id for one in below].index(old.id) + 1]:
        text = spliced(text, one.splices)
    return await _in_its_place(changes, old, Asked(Kind.REWRITE, content=text))


async def elsewhere(changes: Changes, operation_id: str, spot: Spot, shown: str) -> Proposal:
    """A creation or move under another name, where its own is taken by now; what builds on it goes along.

    It keeps its id and is pending again. Raises ChangeError (protected_path too: that name is not taken this way),
    RunError busy.
    """
    return await alone(changes.means, lambda: _elsewhere(changes, operation_id, (spot, shown)))


async def _elsewhere(changes: Changes, operation_id: str, where: tuple[Spot, str]) -> Proposal:
    spot, shown = where
    old = await _open(changes, operation_id)
    creates = old.operation.kind in (Kind.CREATE_FILE, Kind.CREATE_FOLDER)
    taken = old.spot if creates else old.target
    if taken is None:
        raise _not_text(old)
    if is_protected(spot.relative):
        raise ChangeError(Code.PROTECTED_PATH, f"{shown} is a protected name.", hint="Choose another name.")
    name = old.operation.path if creates else old.operation.destination or ""
    summary = old.operation.summary
    names: dict[str, object] = {
        "path" if creates else "destination": shown,
        "summary": summary.removesuffix(name) + shown if summary.endswith(name) else summary,
        "state": OpState.PENDING,
        "decided_at": None,
    }
    places: dict[str, object] = {"spot" if creates else "target": spot, "error": None, "code": None, "choice": None}
    new = old.model_copy(update={**places, "operation": old.operation.model_copy(update=names)})
    built = [one for one in await changes.pending() if old.id in one.operation.depends_on]
    await changes.means.store.update([new, *(renamed(one, (taken, spot), shown) for one in built)])
    return new


async def _in_its_place(changes: Changes, old: Proposal, asked: Asked, *, hides: bool = False) -> Proposal:
    """`hides`: it is the model's edit, which finds no place in what is hidden from it; else the person's own act."""
    if not old.operation.kind.text:
        raise _not_text(old)
    now = await changes.means.look(old.spot)
    pending = await changes.pending()
    mates = [one for one in pending if old.chain and one.chain == old.chain and one.id != old.id]
    gone = old.moved_to(OpState.WITHDRAWN, changes.means.clock.now())
    same = old.base is not None and hashlib.sha256(now.data).hexdigest() == old.base.sha256
    followed = await without(changes.means, [old], pending) if same else [_stale(one) for one in mates]
    await changes.means.store.update([gone, *followed])
    try:
        view = await changes.view(old.spot)
        asked = await asyncio.to_thread(_hiding, changes.means, old, view, asked) if hides else asked
        return await changes.propose_text(replace(_draft(old), summary="", kind=asked.kind), view, asked)
    except ToolError:
        await changes.means.store.update([old, *mates])
        raise


def _hiding(means: Means, old: Proposal, view: TextView, asked: Asked) -> Asked:
    hide = means.hide(old.operation.path, old.spot.relative)
    below = view.hidden(means.hide(view.standing.spot.relative))
    return replace(asked, hide=hide, below=below, changed=view.changed())


def _stale(proposal: Proposal) -> Proposal:
    operation = proposal.operation.model_copy(update={"state": OpState.STALE})
    message = "The file changed on the disk after this was proposed."
    update = {"operation": operation, "error": message, "code": Code.STALE_SOURCE, "base": None, "chain": ""}
    return proposal.model_copy(update=update)


async def _open(changes: Changes, operation_id: str) -> Proposal:
    found = next((one for one in await changes.pending() if one.id == operation_id), None)
    if found is None:
        raise ChangeError(Code.NOT_FOUND, f"{operation_id} is not open in this session.", hint="It may be decided.")
    return found


def _draft(old: Proposal) -> Draft:
    operation = old.operation
    return Draft(
        kind=operation.kind,
        knowledge_base_id=operation.knowledge_base_id,
        path=operation.path,
        spot=old.spot,
        summary=operation.summary,
        destination=operation.destination,
        target=old.target,
        affected_files=operation.affected_files,
        warnings=operation.warnings,
        content=old.content,
        fingerprint=old.fingerprint,
        turn_id=old.turn_id,
        child=operation.child,
        change_set_id=operation.change_set_id,
    )


def _lost() -> ChangeError:
    return ChangeError(
        Code.NOT_AVAILABLE,
        "The text that this was written on is not kept any more.",
        hint="Propose it again on the new text, or drop it.",
    )


def _not_text(old: Proposal) -> ChangeError:
    return ChangeError(
        Code.UNSUPPORTED_TYPE,
        f"This is not possible for a {str(old.operation.kind).replace('_', ' ')}.",
        hint="Drop it, and ask for the change again.",
    )
