"""The disk work behind the workspace: scans with ids, states and contents of places. Synchronous, in a thread."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePosixPath

from orange_jupyter.core.changes.values import Spot
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import PathError
from orange_jupyter.core.paths import FileBytes, FileInfo, KnowledgeBase, Place, file_type
from orange_jupyter.core.watching import Became, FileChange, Marks
from orange_jupyter.local.fileids import FileIds
from orange_jupyter.local.files import read_beneath, read_outside, stat_beneath, stat_outside
from orange_jupyter.local.near import near_names
from orange_jupyter.local.opening import real_path
from orange_jupyter.local.placing import innermost, place_in
from orange_jupyter.local.protected import Protected
from orange_jupyter.local.scan import Scan, Seen, Stop, scan_base


@dataclass(frozen=True, slots=True)
class Counted:
    """A KB with what a scan found and the file id of each file; `warning` where it could not be scanned."""

    base: KnowledgeBase
    scan: Scan
    ids: dict[str, str]
    warning: str | None = None


class Disk:
    """Reads the selected KBs and approved places outside."""

    def __init__(self, bases: Sequence[KnowledgeBase], file_ids: FileIds, protected: Protected) -> None:
        self.bases = tuple(bases)
        self.file_ids = file_ids
        self.protected = protected

    def scan(self, base: KnowledgeBase, stop: Stop) -> Counted:
        """One KB as it is now. Raises PathError kb_unavailable, RunError cancelled."""
        nested = (*(other.root for other in self.bases), *self.protected.folders)
        scan = scan_base(base, stop=stop, nested_roots=nested)
        return Counted(base, scan, self.file_ids.assign(base.id, scan.files, base.root))

    def scan_all(self, stop: Stop) -> list[Counted]:
        """Every KB; one that cannot be read costs the others nothing."""
        counted = []
        for base in self.bases:
            try:
                counted.append(self.scan(base, stop))
            except PathError as error:
                counted.append(Counted(base, Scan((), ()), {}, error.message))
        return counted

    def marks(self, stop: Stop) -> Marks:
        """The scanned files of all KBs as they are now."""
        found: dict[tuple[str, str], tuple[int, ...]] = {}
        nested = (*(base.root for base in self.bases), *self.protected.folders)
        for base in self.bases:
            with suppress(PathError):
                found |= _marked(base, scan_base(base, stop=stop, nested_roots=nested))
        return found

    def changed_since(self, marks: Marks, stop: Stop) -> tuple[FileChange, ...]:
        """The files that are not what they were, by path; their ids are those of now."""
        now: dict[tuple[str, str], tuple[int, ...]] = {}
        for counted in self.scan_all(stop):
            now |= _marked(counted.base, counted.scan)
        changed = [key for key in {*marks, *now} if marks.get(key) != now.get(key)]
        by_root = {base.root: base for base in self.bases}
        return tuple(
            FileChange(
                Spot(root=root, relative=relative),
                place_in(by_root[root], relative, self.bases).shown,
                Became.ADDED if (root, relative) not in marks else _became(now.get((root, relative))),
            )
            for root, relative in sorted(changed)
        )

    def find(self, file_id: str, stop: Stop) -> Place:
        """Where a file lies now. Looks at its last place first, then scans its KB."""
        found = self.file_ids.find(file_id)
        if found is None:
            self.scan_all(stop)
            found = self.file_ids.find(file_id)
        if found is None:
            raise PathError(Code.NOT_FOUND, f"No file has the id {file_id}.", hint="`list` gives ids.")
        base = self._selected(found[0], file_id)
        if not self._is_file(base, found[1], same=True):
            ids = self.scan(base, stop).ids
            found = self.file_ids.find(file_id) or found
            there = ids.get(found[1], file_id) == file_id and self._is_file(base, found[1])
            if not there:
                raise PathError(Code.NOT_FOUND, f"The file with the id {file_id} is no longer there.")
        return place_in(base, found[1], self.bases)

    def stat(self, place: Place, stop: Stop) -> FileInfo:
        """What lies at a place."""
        if place.knowledge_base is None:
            state = stat_outside(place.relative, self.protected)
        else:
            try:
                state = stat_beneath(place.knowledge_base.root, place.relative)
            except PathError as error:
                raise self._with_hint(error, place, stop) from error
        if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
            raise PathError(Code.NOT_REGULAR_FILE, f"{place.shown} is a device, pipe or socket, not a file.")
        return self.info(place, state, stop)

    def read(self, place: Place, limit: int, stop: Stop) -> FileBytes:
        """A file's content with the state it was read in."""
        base = place.knowledge_base
        if base is None:
            data, state, changed = read_outside(place.relative, limit=limit, protected=self.protected)
        else:
            self.protected.refuse_folders(real_path(os.path.join(base.root, place.relative)))
            try:
                data, state, changed = read_beneath(base.root, place.relative, limit=limit)
            except PathError as error:
                raise self._with_hint(error, place, stop) from error
        content_hash = "sha256:" + hashlib.sha256(data).hexdigest()
        return FileBytes(data, self.info(place, state, stop), content_hash, changed)

    def info(self, place: Place, state: os.stat_result, stop: Stop) -> FileInfo:
        """A state as the workspace gives it, with the file's id if it is a file inside."""
        if stat.S_ISDIR(state.st_mode):
            return FileInfo(place, "folder", 0, state.st_mtime_ns, state.st_ino)
        file_id = self._file_id(place, state, stop) if place.knowledge_base else None
        kind = file_type(PurePosixPath(place.relative).name)
        return FileInfo(place, kind, state.st_size, state.st_mtime_ns, state.st_ino, file_id)

    def _file_id(self, place: Place, state: os.stat_result, stop: Stop) -> str:
        base, relative = self.identity(place)
        known = None
        if self.file_ids.is_where_it_was(base.id, relative, state):
            known = self.file_ids.known(base.id, relative)
        if known is None:  # new, or another file than was seen there
            known = self.scan(base, stop).ids.get(relative)
        if known is None:  # hidden or ignored, but asked for by name
            seen = Seen(relative, state.st_size, state.st_mtime_ns, state.st_ino, file_type(relative))
            known = self.file_ids.include(base.id, [seen])[relative]
        return known

    def identity(self, place: Place) -> tuple[KnowledgeBase, str]:
        """The KB and path that a file is counted under: links inside the KB resolved, the innermost KB."""
        assert place.knowledge_base is not None
        real = real_path(os.path.join(place.knowledge_base.root, place.relative))
        home = innermost(real, self.bases)
        if home is None:
            return place.knowledge_base, place.relative
        return home, real[len(home.root) :].lstrip("/")

    def _selected(self, base_id: str, file_id: str) -> KnowledgeBase:
        for base in self.bases:
            if base.id == base_id:
                return base
        raise PathError(
            Code.OUTSIDE_WORKSPACE,
            f"The file with the id {file_id} lies in a knowledge base that this session did not select.",
            hint="The person can select it with `%orange kb select`.",
        )

    def _is_file(self, base: KnowledgeBase, relative: str, *, same: bool = False) -> bool:
        """Whether a file is there; with `same` the one that was last seen there."""
        try:
            state = stat_beneath(base.root, relative)
        except PathError as error:
            if error.code is Code.KB_UNAVAILABLE:
                raise
            return False
        return stat.S_ISREG(state.st_mode) and (not same or self.file_ids.is_where_it_was(base.id, relative, state))

    def _with_hint(self, error: PathError, place: Place, stop: Stop) -> PathError:
        base = place.knowledge_base
        if error.code is not Code.NOT_FOUND or base is None:
            return error
        near = near_names(self.scan(base, stop).scan, place.relative, base.name)
        shown = [place_in(base, relative, self.bases).shown for relative in near]
        hint = f"Did you mean {' or '.join(shown)}?" if shown else "`list` shows what is there."
        return PathError(error.code, f"There is no {place.shown}.", hint=hint, details={"near": shown})


def _marked(base: KnowledgeBase, scan: Scan) -> dict[tuple[str, str], tuple[int, ...]]:
    return {(base.root, one.relative): (one.size, one.mtime_ns, one.inode, one.ctime_ns) for one in scan.files}


def _became(now: tuple[int, ...] | None) -> Became:
    return Became.REMOVED if now is None else Became.CHANGED
