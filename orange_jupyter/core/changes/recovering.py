"""At start: what a killed process left half done is finished or taken back, and the store told (R-CHG-7)."""

from __future__ import annotations

from orange_jupyter.core.changes.applying import Decided, conclude
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import Applied
from orange_jupyter.core.changes.undoing import conclude_undo
from orange_jupyter.core.changes.values import OpState


async def recover(means: Means) -> tuple[Decided, ...]:
    """Every operation that was found half done, as it is now. Raises StoreError."""
    decided: list[Decided] = []
    for done in await means.applier.recover():
        decided += await _concluded(means, done)
    return tuple(decided)


async def _concluded(means: Means, done: Applied) -> tuple[Decided, ...]:
    found = await means.store.find([name for step in done.steps for name in step.operations])
    undone = [one for one in found if one.state is OpState.APPLIED]
    if undone and len(done.steps) == 1:
        return (await conclude_undo(means, done, undone[0]),)
    return await conclude(means, done)
