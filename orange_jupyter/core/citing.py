"""Finds the citations that an answer uses: `[c3]`, also several ids in one bracket (R-SRCH-9)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orange_jupyter.core.corpus import Citation

CITED = re.compile(r"\[(c\d{1,6}(?:\s*[,;，、；]\s*c\d{1,6})*)\]")
_SEPARATOR = re.compile(r"\s*[,;，、；]\s*")


def cited_ids(answer: str) -> tuple[str, ...]:
    """The ids in brackets, each once, in order of first use."""
    found = [identity for match in CITED.finditer(answer) for identity in _SEPARATOR.split(match[1])]
    return tuple(dict.fromkeys(found))


def used(answer: str, known: Mapping[str, Citation]) -> tuple[tuple[Citation, ...], tuple[str, ...]]:
    """(citations that the answer uses, ids that no tool gave), both in order of first use."""
    ids = cited_ids(answer)
    citations = tuple(known[identity] for identity in ids if identity in known)
    return citations, tuple(identity for identity in ids if identity not in known)
