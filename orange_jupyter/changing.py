"""What every session's changes are made with: the store, the hands on the disk, and the eyes that read a note."""

from __future__ import annotations

import asyncio
import logging
import stat
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from threading import Lock

from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.ports import TextNow
from orange_jupyter.core.changes.recovering import recover
from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.errors import RunError
from orange_jupyter.core.masking import Masker, Span
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.documents.text import decode
from orange_jupyter.ground import Ground
from orange_jupyter.local.files import read_beneath
from orange_jupyter.storage.ids import new_id

_log = logging.getLogger(__name__)
NOTE_BYTES = 20 * 1_048_576
"""The largest note that is edited: what `read` takes."""
_LONG = 50_000
_TEXTS = 8
"""So many texts of at least so many characters are remembered."""


class _Remembered:
    """Finds secrets in texts and remembers where they were in the last long ones: several edits of one note look at the
    same text. `masker` gives the one in force; with another one all is forgotten. Any thread."""

    def __init__(self, masker: Callable[[], Masker]) -> None:
        self._masker = masker
        self._last = masker()
        self._known: OrderedDict[tuple[int, int], tuple[Span, ...]] = OrderedDict()
        self._lock = Lock()

    def __call__(self, text: str) -> tuple[Span, ...]:
        masker = self._masker()
        if len(text) < _LONG:
            return masker.spans(text)
        key = hash(text), len(text)
        with self._lock:
            if masker is not self._last:
                self._last, self._known = masker, OrderedDict()
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        found = masker.spans(text)
        with self._lock:
            if masker is self._last:
                self._known[key] = found
                while len(self._known) > _TEXTS:
                    self._known.popitem(last=False)
        return found


def means(ground: Ground, bases: Callable[[], Sequence[KnowledgeBase]], masker: Callable[[], Masker]) -> Means:
    """The means of an installation; `bases` gives the registered KBs, for the encoding that is set for one, `masker`
    what hides secrets now."""

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
        find_secrets=_Remembered(masker),
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
