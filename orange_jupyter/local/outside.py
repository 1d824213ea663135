"""Searches text files outside the knowledge bases without an index: bounded, read-only, after approval (R-SCOPE-2)."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator

from orange_jupyter.core.corpus import OutsideFound, OutsideMatch
from orange_jupyter.core.errors import ToolError
from orange_jupyter.core.paths import SKIPPED_FOLDERS, shown_name
from orange_jupyter.local.files import read_outside
from orange_jupyter.local.protected import Protected

MOST_FILES = 2_000
MOST_SECONDS = 10.0
MOST_BYTES = 2 * 1_048_576
PASSAGE = 400
_WORDS = re.compile(r'"([^"]+)"|(\S+)')


def search_outside(real: str, text: str, *, limit: int, protected: Protected) -> OutsideFound:
    """Files under `real` that hold every word or quoted phrase of `text`, without case; one passage a file.

    Ends at MOST_FILES files or MOST_SECONDS with `partial`. Links are not followed, protected places are left out.
    """
    needles = [(phrase or word).casefold() for phrase, word in _WORDS.findall(text)]
    until = time.monotonic() + MOST_SECONDS
    matches: list[OutsideMatch] = []
    files = 0
    for path in _files(real, protected):
        if files >= MOST_FILES or time.monotonic() > until:
            return OutsideFound(tuple(matches), files, partial=True)
        files += 1
        found = _match(path, needles, protected)
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


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _match(path: str, needles: list[str], protected: Protected) -> OutsideMatch | None:
    try:
        data, _, _ = read_outside(path, limit=MOST_BYTES, protected=protected)
        text = data.decode("utf-8-sig")
    except (ToolError, UnicodeDecodeError):
        return None
    folded = text.casefold()
    if not needles or "\0" in text or not all(needle in folded for needle in needles):
        return None
    at = min(folded.find(needles[0]), len(text))
    start = max(text.rfind("\n", 0, at) + 1, at - PASSAGE // 2)
    end = min(len(text), start + PASSAGE)
    return OutsideMatch(shown_name(path), text.count("\n", 0, start) + 1, text[start:end], start, end)
