"""Searches text files outside the knowledge bases without an index: bounded, read-only, after approval (R-SCOPE-2)."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.masking import FindSecrets, mask_file
from orange_jupyter.core.outside import ANY_FILE, OutsideFilter, OutsideFound, OutsideMatch
from orange_jupyter.core.paths import SKIPPED_FOLDERS, FileInfo, Place, file_type, shown_name
from orange_jupyter.core.shapes import secret_spans
from orange_jupyter.local.files import read_outside
from orange_jupyter.local.protected import Protected

MOST_FILES = 2_000
MOST_SECONDS = 10.0
MOST_BYTES = 2 * 1_048_576
PASSAGE = 400
_WORDS = re.compile(r'"([^"]+)"|(\S+)')


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an outside search keeps off: places that are never read, credentials in the files that are, and what was
    not asked for."""

    protected: Protected
    find_secrets: FindSecrets = secret_spans
    only: OutsideFilter = ANY_FILE


def search_outside(real: str, text: str, *, limit: int, bounds: Bounds) -> OutsideFound:
    """Files under `real` that hold every word or quoted phrase of `text`, without case; one passage a file.

    Masked values are neither shown nor found (R-READ-15). Ends at MOST_FILES files or MOST_SECONDS with `partial`.
    Links are not followed, protected places are left out.
    """
    needles = [(phrase or word).casefold() for phrase, word in _WORDS.findall(text)]
    until = time.monotonic() + MOST_SECONDS
    matches: list[OutsideMatch] = []
    files = 0
    for path in filter(lambda path: _is_asked(path, real, bounds.only), _files(real, bounds.protected)):
        if files >= MOST_FILES or time.monotonic() > until:
            return OutsideFound(tuple(matches), files, partial=True)
        files += 1
        found = _match(path, needles, bounds)
        if found is not None:
            matches.append(found)
            if len(matches) >= limit:
                break
    return OutsideFound(tuple(matches), files, partial=False)


def _files(real: str, protected: Protected) -> Iterator[str]:
    if not os.path.isdir(real):
        yield real
        return
    waiting = [real]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.name.startswith(".") or entry.name in SKIPPED_FOLDERS or protected.covers(entry.path):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                yield entry.path


def _is_asked(path: str, real: str, only: OutsideFilter) -> bool:
    relative = path.removeprefix(real.rstrip("/") + "/") if path != real else os.path.basename(path)
    try:
        return only.admits(relative, file_type(path), os.lstat(path).st_mtime_ns)
    except OSError:
        return False


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _match(path: str, needles: list[str], bounds: Bounds) -> OutsideMatch | None:
    try:
        data, state, _ = read_outside(path, limit=MOST_BYTES, protected=bounds.protected)
        text = data.decode("utf-8-sig")
    except (ToolError, UnicodeDecodeError):
        return None
    if not needles or "\0" in text or not _holds(text.casefold(), needles):
        return None
    masked = mask_file(path, text, bounds.find_secrets)
    folded = masked.covered.casefold()
    if not _holds(folded, needles):
        return None
    at = min(folded.find(needles[0]), len(text))
    start = max(text.rfind("\n", 0, at) + 1, at - PASSAGE // 2)
    end = min(len(text), start + PASSAGE)
    return OutsideMatch(
        info=FileInfo(
            Place(None, path, shown_name(path)), file_type(path), state.st_size, state.st_mtime_ns, state.st_ino
        ),
        line=text.count("\n", 0, start) + 1,
        passage=masked.masked_slice(start, end),
        start=start,
        end=end,
        content_hash=f"sha256:{hashlib.sha256(data).hexdigest()}",
        score=sum(folded.count(needle) for needle in needles),
    )


def _holds(folded: str, needles: list[str]) -> bool:
    return all(needle in folded for needle in needles)
