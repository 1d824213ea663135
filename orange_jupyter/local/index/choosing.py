"""Chooses the passages to show from what the indexes found: comparable scores, not all from one file, not outdated."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from orange_jupyter.core.errors import PathError, ReadError
from orange_jupyter.core.paths import KnowledgeBase
from orange_jupyter.local.files import read_beneath, stat_beneath
from orange_jupyter.local.index.finding import Candidate, Found
from orange_jupyter.local.index.ranking import Frequencies
from orange_jupyter.local.index.words import Question

SUPPORT = 0.2
PER_FILE = 2
SECOND = 0.7
"""What a file's second passage counts: another file that is nearly as good says more."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate of a base with a score that can be compared across bases."""

    base: KnowledgeBase
    candidate: Candidate
    score: float


def merged(question: Question, found: Sequence[tuple[KnowledgeBase, Found]]) -> list[Scored]:
    """All candidates, best first.

    Each index weighs a word by how rare it is in that index, so a word is worth little in a small base about it.
    Scores are scaled by what the same words would weigh in all bases together.
    """
    pooled = Frequencies(0, {})
    for _, one in found:
        pooled = pooled.plus(one.frequencies)
    pieces = question.phrases + question.pieces
    whole = pooled.smooth_weight(pieces)
    scored = []
    for base, one in found:
        own = one.frequencies.weight(pieces)
        scale = whole / own if own else 1.0
        scored += [Scored(base, candidate, candidate.score * scale) for candidate in one.candidates]
    scored = _supported(scored)
    scored.sort(key=lambda item: (-item.score, -item.candidate.seen.mtime_ns, *_place(item)))
    return scored


def _supported(scored: Sequence[Scored]) -> list[Scored]:
    """The best passage of each file, raised by the file's next two: a file about a thing says it more than once."""
    files: dict[tuple[str, str], list[Scored]] = {}
    for item in scored:
        files.setdefault((item.base.id, item.candidate.seen.relative), []).append(item)
    raised = []
    for items in files.values():
        items.sort(key=lambda item: (-item.score, *_place(item)))
        support = SUPPORT * sum(item.score for item in items[1:3])
        raised += [replace(items[0], score=items[0].score + support), *items[1:]]
    return raised


def _place(item: Scored) -> tuple[str, str, int, int, int]:
    candidate = item.candidate
    return (item.base.id, candidate.seen.relative, candidate.page or 0, candidate.block or 0, candidate.start)


def chosen(scored: Iterable[Scored], limit: int) -> list[Scored]:
    """At most `limit` passages: two of a file, more only where too few files match."""
    ranks: Counter[tuple[str, str]] = Counter()
    weighed = []
    for place, item in enumerate(scored):
        key = (item.base.id, item.candidate.seen.relative)
        rank = ranks[key]
        ranks[key] += 1
        weighed.append((rank >= PER_FILE, -item.score * SECOND ** min(rank, PER_FILE), place, item))
    weighed.sort(key=lambda row: row[:3])
    best = weighed[:limit]
    return [item for *_, item in sorted(best, key=lambda row: row[2])]


def is_current(item: Scored) -> bool:
    """Whether the passage's file still is what was indexed (R-SRCH-6). Where only its ctime differs the content says:
    some network shares never give the same one twice."""
    seen = item.candidate.seen
    try:
        state = stat_beneath(item.base.root, seen.relative)
        if (state.st_size, state.st_mtime_ns, state.st_ino) != (seen.size, seen.mtime_ns, seen.inode):
            return False
        return state.st_ctime_ns == seen.ctime_ns or _same_content(item)
    except (PathError, ReadError, OSError):
        return False


def _same_content(item: Scored) -> bool:
    seen = item.candidate.seen
    data, _, _ = read_beneath(item.base.root, seen.relative, limit=seen.size)
    return item.candidate.content_hash == f"sha256:{hashlib.sha256(data).hexdigest()}"
