"""A note without some of the changes that were applied to it, and what waits on it moved along (R-CHG-9, R-EDIT-4)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.deciding import bytes_of, text_of
from orange_jupyter.core.changes.following import on_disk
from orange_jupyter.core.changes.hiding import Hide, Sourced, require_closed, require_written_closed
from orange_jupyter.core.changes.means import Means, rebased
from orange_jupyter.core.changes.overlay import covers, moved
from orange_jupyter.core.changes.splices import Fate, Layer, Tied, lifted, settle
from orange_jupyter.core.changes.values import OpState, Proposal, Spot, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ChangeError

_TRIED = 20
_Hides = tuple[Hide, Hide]
"""What a note's names hid until now, and what its name hides now."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """A note as applied operations made it (`before`), and as it is without some of them (`after`, `data`)."""

    base: TextBase
    before: Sourced
    after: Sourced
    data: bytes = field(repr=False)


async def reverted(means: Means, gone: Sequence[Proposal], siblings: Sequence[Proposal]) -> Reverted:
    """The note without operations `gone`; `siblings` are all that were written with them, in order, undone ones too.

    Raises ChangeError not_available (the text is not kept any more), parent_missing (others build on them), masked_text
    (a value that is hidden from the model would stand open).
    """
    base = gone[0].base
    if base is None:
        raise ChangeError(Code.NOT_AVAILABLE, "The text before this change is not kept any more.")
    data = await means.store.kept(base.sha256)
    now = gone[0].spot
    names = _names(now, await means.store.of_session(gone[0].session_id))
    hide = means.hide(now.relative, *names), means.hide(now.relative)
    return await asyncio.to_thread(_reverted, (base, data), gone, siblings, hide)


def _names(now: Spot, everything: Sequence[Proposal]) -> list[str]:
    """Other names that a note had, by which values in it were hidden."""
    return [
        moved(now, one.target, one.spot).relative
        for one in everything
        if one.state is OpState.APPLIED and one.operation.kind.moves and one.target and covers(one.target, now)
    ]


def _reverted(
    kept: tuple[TextBase, bytes], gone: Sequence[Proposal], siblings: Sequence[Proposal], hide: _Hides
) -> Reverted:
    base, data = kept
    text = text_of(base, data)
    standing = {one.id for one in siblings if one.state is OpState.APPLIED}
    left = standing - {one.id for one in gone}
    before = _with(text, siblings, standing)
    after = _with(text, siblings, left) if left else Sourced.base(text)
    try:
        _require_closed(text, before, after, hide)
    except ChangeError as error:
        raise _opened(error, _also(text, siblings, (standing, left), hide)) from None
    return Reverted(base, before, after, bytes_of(base, after.text) if left else data)


def _with(text: str, siblings: Sequence[Proposal], standing: set[str]) -> Sourced:
    layers = [Layer(one.splices, Fate.TAKEN if one.id in standing else Fate.DROPPED) for one in siblings]
    try:
        settled = settle(text, layers)
    except Tied as tied:
        other = siblings[tied.number - 1]
        raise ChangeError(
            Code.PARENT_MISSING,
            f"{other.operation.summary} ({other.id}) builds on this change.",
            hint="Undo that one first.",
            details={"needs": other.id},
        ) from None
    return Sourced(settled.text, settled.pieces)


def _require_closed(text: str, before: Sourced, after: Sourced, hide: _Hides) -> None:
    once, now = hide
    require_closed(Sourced.base(text), after, once, now)
    require_written_closed(before, after, now)


def _also(text: str, siblings: Sequence[Proposal], ids: tuple[set[str], set[str]], hide: _Hides) -> list[str]:
    """What to undo too, so that nothing stands open: one other change, else all of them."""
    standing, left = ids
    others = [one.id for one in reversed(siblings) if one.id in left]
    before = _with(text, siblings, standing)
    for name in others[:_TRIED]:
        try:
            _require_closed(text, before, _with(text, siblings, left - {name}), hide)
        except ChangeError:
            continue
        return [name]
    return others


def _opened(error: ChangeError, also: Sequence[str]) -> ChangeError:
    return ChangeError(
        error.code,
        "Without this change a value that is hidden from the model would stand open; it is not undone.",
        hint=f"Undo {', '.join(also)} together with it, or edit the file yourself.",
        details={"needs": list(also)},
    )


async def waiting_on(means: Means, applied: Proposal) -> list[list[Proposal]]:
    """The session's waiting operations on a note as an applied one left it, chain by chain."""
    if not applied.operation.kind.text:
        return []
    was = (applied.operation.applied_hash or "").removeprefix("sha256:")
    pending = await means.store.of_session(applied.session_id, undecided=True)
    chains: dict[str, list[Proposal]] = {}
    for number, one in enumerate(pending):
        mine = one.base is not None and one.base.sha256 == was and one.chain
        if mine and (one.chain in chains or on_disk(one, pending[:number]) == applied.spot):
            chains.setdefault(one.chain, []).append(one)
    return list(chains.values())


async def moved_along(chain: Sequence[Proposal], change: Reverted, sha256: str) -> list[Proposal]:
    """The waiting operations of a chain, over the text that an undo brought back; those that build on what was undone
    have no place there and are stale. `sha256` is that of the note now."""
    layers = [one.splices for one in chain]
    splices, tied = await asyncio.to_thread(lifted, change.before.pieces, change.after.pieces, layers)
    return rebased(chain, splices, tied, change.base.model_copy(update={"sha256": sha256}))
