"""What every session's changes are made with: the store, the hands on the disk, and the eyes that read a note."""

from __future__ import annotations

import asyncio
import logging
import stat
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import TextNow
from orange_jupyter.core.changes.recovering import recover
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.documents.text import decode
from orange_jupyter.ground import Ground
from orange_jupyter.local.files import read_beneath
from orange_jupyter.storage.ids import new_id

_log = logging.getLogger(__name__)
NOTE_BYTES = 20 * 1_048_576
"""The largest note that is edited: what `read` takes."""


def means(ground: Ground, bases: Callable[[], Sequence[KnowledgeBase]], find_secrets: FindSecrets) -> Means:
    """The means of an installation; `bases` gives the registered KBs, for the encoding that is set for one."""

    async def look(spot: Spot) -> TextNow:
        return await asyncio.to_thread(_look, spot, bases)

    @asynccontextmanager
    async def alone() -> AsyncIterator[None]:
        async with ground.alone():
            await recover(made)
            yield

    made = Means(
        store=ground.changes,
        applier=ground.applier,
        look=look,
        clock=ground.clock,
        new_id=lambda prefix: new_id(f"{prefix}_"),
        alone=alone,
        find_secrets=find_secrets,
    )
    return made


async def tidy(ground: Ground, means: Means) -> None:
    """At start: finish or take back what a killed process left, then forget what the keep limits do not hold.

    While another process decides on changes both wait for the next start or decision. Raises StoreError.
    """
    try:
        keep = (await asyncio.to_thread(ground.settings)).changes
        async with means.alone():
            limit = keep.keep_mb * 1_048_576
            await ground.changes.prune(ground.clock.now(), limit_bytes=limit, days=keep.keep_days)
    except RunError:
        _log.info("changes are being decided elsewhere; nothing was tidied")


def _look(spot: Spot, bases: Callable[[], Sequence[KnowledgeBase]]) -> TextNow:
    data, state, _ = read_beneath(spot.root, spot.relative, limit=NOTE_BYTES)
    encoding = next((base.encoding for base in bases() if base.root == spot.root), None)
    decoded = decode(data, encoding)
    read_only = not state.st_mode & stat.S_IWUSR
    return TextNow(data, decoded.text, decoded.encoding, decoded.bom, decoded.uncertain, state.st_nlink, read_only)
