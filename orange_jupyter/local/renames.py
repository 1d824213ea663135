"""Recognises a file after a rename: by path, then inode and size, then content (R-SCH-7). Pure but for hashing."""

from __future__ import annotations

import base64
import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from orange_jupyter.core.errors import ToolError
from orange_jupyter.local.files import read_beneath
from orange_jupyter.local.scan import Seen

HASHED_BYTES = 20 * 1_048_576  # a copied file above this gets a new id; a renamed one keeps its inode


@dataclass(frozen=True, slots=True)
class Known:
    """What was last known of a file; `hash` is of this very size and time, None if nobody hashed it since."""

    file_id: str
    size: int
    mtime_ns: int
    inode: int
    hash: str | None = None

    @property
    def state(self) -> tuple[int, int, int]:
        """By what a renamed file is known again."""
        return self.inode, self.size, self.mtime_ns

    def fits(self, seen: Seen) -> bool:
        """Whether the file looks as it did."""
        return self.mtime_ns == seen.mtime_ns and self.size == seen.size and self.inode == seen.inode


def derived_id(base_id: str, relative: str, salt: int = 0) -> str:
    """`f_` and 16 base32 characters (80 bits of sha256) from KB id and path; `salt` where that id is taken."""
    text = os.fsencode(relative) + (b"\0%d" % salt if salt else b"")
    digest = hashlib.sha256(base_id.encode() + b"\0" + text).digest()
    return "f_" + base64.b32encode(digest[:10]).decode().lower()


def content_hashes(root: str, fresh: Iterable[Seen], gone: Mapping[str, Known]) -> dict[str, str]:
    """sha256 of the new files that could be a gone one by their size; files that cannot be read are left out."""
    sizes = {known.size for known in gone.values() if known.hash}
    sure = {(known.inode, known.size, known.mtime_ns) for known in gone.values()}
    hashes: dict[str, str] = {}
    for seen in fresh:
        if seen.size not in sizes or (seen.inode, seen.size, seen.mtime_ns) in sure:
            continue
        try:
            data, _, _ = read_beneath(root, seen.relative, limit=HASHED_BYTES)
        except ToolError:
            continue
        hashes[seen.relative] = "sha256:" + hashlib.sha256(data).hexdigest()
    return hashes


def recognise(
    base_id: str,
    fresh: Iterable[Seen],
    known: Mapping[str, Known],
    *,
    gone: Mapping[str, Known],
    hashes: Mapping[str, str],
) -> dict[str, Known]:
    """What is known from now on of the files that are new or look otherwise than before.

    A path that is known keeps its id, but where files have changed places each id goes with its file; a new path
    takes over the id of the gone file that it was, else gets its own.
    """
    fresh = list(fresh)
    moved = _moved(fresh, known)
    left = _Gone(gone, {row.file_id for row in moved.values()})
    used = {row.file_id for row in known.values()}
    rows: dict[str, Known] = {}
    for seen in fresh:
        now = Known("", seen.size, seen.mtime_ns, seen.inode)
        old = moved.get(seen.relative) or known.get(seen.relative)
        if old is None:
            old = left.take(seen, hashes.get(seen.relative))
            file_id = old.file_id if old else _free_id(base_id, seen.relative, used)
        else:
            file_id = old.file_id
        used.add(file_id)
        unchanged = old is not None and (old.size, old.mtime_ns) == (seen.size, seen.mtime_ns)
        rows[seen.relative] = replace(now, file_id=file_id, hash=old.hash if old and unchanged else None)
    return rows


def _moved(fresh: Sequence[Seen], known: Mapping[str, Known]) -> dict[str, Known]:
    """What is at a path now and was known under another, where several known files have changed places.

    A known path is another file now only if that file was known elsewhere and the path's own is still there, under
    another name: an editor that writes a draft and moves it over the note leaves no trace of the note's old inode.
    """
    owners = {row.state: path for path, row in known.items()}
    now = {_state(seen): seen.relative for seen in fresh}
    moved: dict[str, Known] = {}
    for seen in fresh:
        old, owner = known.get(seen.relative), owners.get(_state(seen))
        elsewhere = now.get(old.state) if old else None
        if old is None or owner is None or elsewhere is None or seen.relative in (owner, elsewhere):
            continue
        moved[seen.relative] = known[owner]
        if elsewhere not in known:  # the end of a chain of renames
            moved[elsewhere] = old
    return moved


def _state(seen: Seen) -> tuple[int, int, int]:
    return seen.inode, seen.size, seen.mtime_ns


class _Gone:
    """Files that are no longer where they were; each can be taken once."""

    def __init__(self, gone: Mapping[str, Known], taken: set[str]) -> None:
        self._by_inode: dict[tuple[int, int], list[Known]] = defaultdict(list)
        self._by_hash: dict[str, list[Known]] = defaultdict(list)
        self._taken = taken
        for path in sorted(gone):
            known = gone[path]
            self._by_inode[known.inode, known.size].append(known)
            if known.hash:
                self._by_hash[known.hash].append(known)

    def take(self, seen: Seen, content_hash: str | None) -> Known | None:
        """The gone file that this one was. An inode is used again by new files, so a known content must agree."""
        candidates = [
            known
            for known in self._by_inode[seen.inode, seen.size]
            if known.mtime_ns == seen.mtime_ns or not known.hash or content_hash in (None, known.hash)
        ]
        if content_hash:
            candidates += self._by_hash[content_hash]
        for known in candidates:
            if known.file_id not in self._taken:
                self._taken.add(known.file_id)
                return known
        return None


def _free_id(base_id: str, relative: str, used: set[str]) -> str:
    salt = 0
    while (file_id := derived_id(base_id, relative, salt)) in used:
        salt += 1
    return file_id
