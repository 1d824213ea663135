"""The selected knowledge bases on this machine's disk: the port `core.ports.Workspace` (R-SCOPE-1, R-READ-5).

Every method does its disk work in a thread and may be called from any loop.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.corpus import Listing, ListQuery
from orange_jupyter.core.masking import FindSecrets
from orange_jupyter.core.outside import ANY_FILE, OutsideFilter, OutsideFound
from orange_jupyter.core.paths import FileBytes, FileInfo, KnowledgeBase, Place
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.core.watching import FileChange, Marks
from orange_jupyter.local.catalogue import list_entries
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.files import stat_outside
from orange_jupyter.local.outside import Bounds, search_outside
from orange_jupyter.local.placing import resolve
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.reading import Counted, Disk
from orange_jupyter.local.scan import Stop
from orange_jupyter.local.spots import spot_of

T = TypeVar("T")


class LocalWorkspace:
    """Reads and lists the selected KBs, and single approved places outside them.

    `knowledge_bases` are in order, with real roots; relative paths resolve in the first. The caller owns `file_ids`.
    """

    def __init__(
        self,
        knowledge_bases: Sequence[KnowledgeBase],
        file_ids: FileIds,
        protected: Protected,
        *,
        find_secrets: FindSecrets = secret_spans,
    ) -> None:
        self._bases = tuple(knowledge_bases)
        self._outside = Bounds(protected, find_secrets)
        self._disk = Disk(self._bases, file_ids, protected)

    @property
    def knowledge_bases(self) -> tuple[KnowledgeBase, ...]:
        """The selected KBs, in order; the first one resolves relative paths (R-ALL-3)."""
        return self._bases

    async def place(self, path: str) -> Place:
        """Resolve a path that a model or person wrote; a missing file has a place, an outside one is returned.

        Raises PathError (invalid_path, ambiguous_path, kb_unavailable).
        """
        return await asyncio.to_thread(resolve, path, self._bases)

    async def by_id(self, file_id: str) -> Place:
        """Where a scanned file lies now, also after a rename. Raises PathError not_found, outside_workspace."""
        return await _stoppable(lambda stop: self._disk.find(file_id, stop))

    async def spot(self, place: Place, *, follow: bool = True) -> Spot:
        """The real place that a change acts on. Raises PathError link_escape, outside_workspace."""
        return await asyncio.to_thread(spot_of, place, self._bases, follow=follow)

    async def stat(self, place: Place) -> FileInfo:
        """What lies at a place. Raises PathError (not_found with near names as its hint, link_escape …)."""
        return await _stoppable(lambda stop: self._disk.stat(place, stop))

    async def read(self, place: Place, *, limit: int) -> FileBytes:
        """The bytes of a regular file. Raises PathError, RightsError protected_path, ReadError too_large."""
        return await _stoppable(lambda stop: self._disk.read(place, limit, stop))

    async def entries(self, query: ListQuery) -> Listing:
        """A page of what `list` shows, freshly scanned. Raises PathError, ReadError stale_cursor."""
        return await _stoppable(lambda stop: list_entries(self._disk, query, stop))

    async def scan_outside(
        self, place: Place, text: str, *, limit: int, only: OutsideFilter = ANY_FILE
    ) -> OutsideFound:
        """Search the text files of an outside place without an index. Raises RightsError protected_path."""

        def search(_: Stop) -> OutsideFound:
            stat_outside(place.relative, self._disk.protected)
            return search_outside(place.relative, text, limit=limit, bounds=replace(self._outside, only=only))

        return await _stoppable(search)

    async def scan_all(self, stop: Stop | None = None) -> list[Counted]:
        """Every selected KB with its scan and file ids; a KB that cannot be read has a warning instead of files."""

        def scan(cancelled: Stop) -> list[Counted]:
            return self._disk.scan_all(lambda: cancelled() or (stop is not None and stop()))

        return await _stoppable(scan)

    async def marks(self) -> Marks:
        """The scanned files as they are now; a KB that cannot be read has none."""
        return await _stoppable(self._disk.marks)

    async def changed_since(self, marks: Marks) -> tuple[FileChange, ...]:
        """Rescan: the files that are not what they were, by path."""
        return await _stoppable(lambda stop: self._disk.changed_since(marks, stop))


async def _stoppable(work: Callable[[Stop], T]) -> T:
    """Work in a thread that is told to stop when the waiting task is cancelled."""
    stopped = threading.Event()
    try:
        return await asyncio.to_thread(work, stopped.is_set)
    finally:
        stopped.set()
