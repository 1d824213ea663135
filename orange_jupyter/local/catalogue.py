"""Answers `list`: scans what is asked for, pages it and looks up the page's entries (R-LIST-1, R-LIST-2)."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import PurePosixPath

from orange_jupyter.core.codes import Code
from orange_jupyter.core.corpus import Listing, ListQuery
from orange_jupyter.core.errors import PathError, RunError
from orange_jupyter.core.paths import FileInfo, KnowledgeBase, Place, shown_name
from orange_jupyter.local.files import require_folder, stat_beneath
from orange_jupyter.local.listing import Row, Section, choose, count_files, page
from orange_jupyter.local.placing import place_in
from orange_jupyter.local.reading import Counted, Disk
from orange_jupyter.local.scan import Scan, Seen, Stop, scan_base

OUTSIDE_SECONDS = 10.0  # as an unindexed scan may take (12-schemas.md, `path`)


def list_entries(disk: Disk, query: ListQuery, stop: Stop) -> Listing:
    """A page of entries. Raises PathError, ReadError stale_cursor, RunError cancelled."""
    if query.place is None:
        counted = disk.scan_all(stop)
        sections = [_section(disk, one) for one in counted if one.warning is None]
        warnings = tuple(one.warning for one in counted if one.warning)
        if warnings and not sections:
            raise PathError(Code.KB_UNAVAILABLE, " ".join(warnings))
    else:
        sections, warnings = _sections_at(disk, query, stop), ()
    rows = choose(sections, query)
    shown, cursor = page(rows, query)
    found = tuple(warning for section in sections for warning in section.scan.warnings)
    return Listing(_details(disk, shown), len(rows), cursor, warnings + found)


def _section(disk: Disk, counted: Counted, within: str = "") -> Section:
    base = counted.base
    first = base.id == disk.bases[0].id
    return Section(base, "" if first else base.name + "/", counted.scan, counted.ids, within)


def _sections_at(disk: Disk, query: ListQuery, stop: Stop) -> list[Section]:
    place = query.place
    assert place is not None
    info = disk.stat(place, stop)
    if place.knowledge_base is None:
        return [_outside(disk, info, stop, query.depth)]
    base, relative = disk.identity(place)
    disk.protected.refuse_folders(base.root.rstrip("/") + "/" + relative)
    if info.file_type != "folder":
        seen = Seen(relative, info.size, info.mtime_ns, info.inode, info.file_type)
        alone = Counted(base, Scan((seen,), ()), {relative: info.file_id or ""})
        return [_section(disk, alone, relative.rpartition("/")[0])]
    require_folder(base.root, relative)
    counted = disk.scan(base, stop)
    if relative and not _has_folder(counted.scan, relative):  # hidden or ignored, but named: scanned alone
        scan = scan_base(base, stop=stop, start=relative)
        counted = Counted(base, scan, disk.file_ids.include(base.id, scan.files))
    return [_section(disk, counted, relative)]


def _outside(disk: Disk, info: FileInfo, stop: Stop, depth: int | None) -> Section:
    real = info.place.relative
    if info.file_type != "folder":
        folder, _, name = real.rpartition("/")
        seen = Seen(name, info.size, info.mtime_ns, info.inode, info.file_type)
        return Section(KnowledgeBase("", "", folder), folder + "/", Scan((seen,), ()), {})
    disk.protected.refuse(real)
    until = time.monotonic() + OUTSIDE_SECONDS
    base = KnowledgeBase("", PurePosixPath(real).name or "/", real)
    try:
        scan = scan_base(base, stop=lambda: stop() or time.monotonic() > until, depth=depth)
    except RunError as error:
        if stop():
            raise
        raise PathError(
            Code.LIMIT_REACHED,
            f"There is too much beneath {info.place.shown} to list it all.",
            hint="List it with `depth: 1`, or a folder inside it.",
        ) from error
    return Section(base, real.rstrip("/") + "/", scan, {}, counts=depth is None)


def _has_folder(scan: Scan, relative: str) -> bool:
    at = bisect_left(scan.folders, relative)
    return at < len(scan.folders) and scan.folders[at] == relative


def _details(disk: Disk, rows: Sequence[Row]) -> tuple[FileInfo, ...]:
    infos = []
    for row in rows:
        section = row.section
        place = (
            place_in(section.base, row.relative, disk.bases)
            if section.base.id
            else Place(None, row.shown, shown_name(row.shown))
        )
        if row.seen is not None:
            seen = row.seen
            file_id = section.ids.get(row.relative)
            infos.append(FileInfo(place, seen.kind, seen.size, seen.mtime_ns, seen.inode, file_id))
        else:
            infos.append(_folder(section, row.relative, place))
    return tuple(infos)


def _folder(section: Section, relative: str, place: Place) -> FileInfo:
    count = count_files(section.scan, relative) if section.counts else None
    try:
        state = stat_beneath(section.base.root, relative)
    except PathError:  # gone since the scan
        return FileInfo(place, "folder", 0, 0, 0, file_count=count)
    return FileInfo(place, "folder", 0, state.st_mtime_ns, state.st_ino, file_count=count)
