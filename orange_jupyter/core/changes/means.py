"""What changes are made with, and how a file's waiting operations follow what was decided."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from orange_jupyter.core.changes.deciding import text_of
from orange_jupyter.core.changes.drafting import Look
from orange_jupyter.core.changes.hiding import Hider, hider
from orange_jupyter.core.changes.ports import Applier, ChangeStore
from orange_jupyter.core.changes.splices import Fate, Layer, Splices, settle
from orange_jupyter.core.changes.values import OpState, Proposal, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.core.masking import FindSecrets

_TIED = "This builds on text that was not taken."


class Now(Protocol):
    """The time."""

    def now(self) -> str:
        """ISO 8601 in UTC, whole seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """What every session's changes are made with.

    `alone` holds up every other decision on changes of this installation, in any process: what was read in it is still
    so when it is written. What a killed process left is recovered first. It must not be nested. `find_secrets` finds
    what no model is ever shown.
    """

    store: ChangeStore
    applier: Applier
    look: Look
    clock: Now
    new_id: Callable[[str], str]
    alone: Callable[[], AbstractAsyncContextManager[None]]
    find_secrets: FindSecrets

    def hide(self, *paths: str) -> Hider:
        """What of a file's text a model is never shown, for the names that it goes by."""
        return hider(self.find_secrets, *paths)


async def without(means: Means, gone: Sequence[Proposal], pending: Sequence[Proposal]) -> list[Proposal]:
    """The other operations on the same texts, written anew as if those that are gone had never been."""
    names = {one.id for one in gone}
    changed: list[Proposal] = []
    for chain in {one.chain for one in gone if one.chain}:
        members = [one for one in pending if one.chain == chain]
        base = members[0].base
        if base is None:
            continue
        text = text_of(base, await means.store.kept(base.sha256))
        fates = [Layer(one.splices, Fate.DROPPED if one.id in names else Fate.WAITING) for one in members]
        settled = await asyncio.to_thread(settle, text, fates)
        changed += rebased(members, settled.splices, settled.tied, base)
    return changed


def rebased(
    members: Sequence[Proposal], splices: Sequence[Splices], tied: Sequence[int], base: TextBase
) -> list[Proposal]:
    """The waiting members of a chain over another base; those that have no place there are stale and leave it.

    Every other open operation of a chain, a failed or stale one too, stays a layer that those above it count on.
    """
    done = []
    for number, one in enumerate(members, 1):
        if number in tied:
            operation = one.operation.model_copy(update={"state": OpState.STALE})
            update = {"operation": operation, "error": _TIED, "code": Code.STALE_SOURCE, "base": None, "chain": ""}
            done.append(one.model_copy(update=update))
        elif splices[number - 1]:
            operation = one.operation.model_copy(update={"base_hash": f"sha256:{base.sha256}"})
            done.append(one.model_copy(update={"operation": operation, "base": base, "splices": splices[number - 1]}))
    return done
