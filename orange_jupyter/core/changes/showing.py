"""Operations as a person reads them: each with the text below it, its hunks and counts (R-CHG-2, R-CHG-12)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orange_jupyter.core.changes.deciding import digest, text_of
from orange_jupyter.core.changes.hunks import Hunk, hunks
from orange_jupyter.core.changes.means import Means
from orange_jupyter.core.changes.splices import spliced
from orange_jupyter.core.changes.unified import counts
from orange_jupyter.core.changes.values import Kind, OpState, Proposal
from orange_jupyter.core.errors import ChangeError


@dataclass(frozen=True, slots=True)
class Shown:
    """One operation to be looked at; `digest` is what a Choice of it is bound to.

    `below` is the text that it changes (None where it changes no text, or that is not kept any more), `added` and
    `removed` count lines. A new file shows its content as added lines over "". `link` is where a notebook finds
    the file, if it can.
    """

    proposal: Proposal
    digest: str
    below: str | None = field(default=None, repr=False)
    hunks: tuple[Hunk, ...] = ()
    added: int = 0
    removed: int = 0
    needed_by: int = 0
    link: str = ""


async def shown(means: Means, proposals: Sequence[Proposal]) -> tuple[Shown, ...]:
    """The operations of one change set, or some of them, with their texts. Raises StoreError."""
    made = []
    needed: dict[str, int] = {}
    for one in proposals:
        for name in one.operation.depends_on:
            needed[name] = needed.get(name, 0) + 1
    texts = await _texts(means, proposals)
    for one in proposals:
        made.append(await asyncio.to_thread(_shown, one, texts.get(one.id), needed.get(one.id, 0)))
    return tuple(made)


def _shown(proposal: Proposal, below: str | None, needed_by: int) -> Shown:
    if below is None:
        return Shown(proposal, digest(proposal), needed_by=needed_by)
    if proposal.operation.kind is Kind.CREATE_FILE:
        content = proposal.content or ""
        lines = content.count("\n") + (not content.endswith("\n") and content != "")
        return Shown(proposal, digest(proposal), "", (), lines, 0, needed_by)
    found = hunks(below, proposal.splices)
    return Shown(proposal, digest(proposal), below, found, *counts(found), needed_by)


async def _texts(means: Means, proposals: Sequence[Proposal]) -> Mapping[str, str]:
    """The text below each operation that has one: its base with the earlier ones of its file that still count."""
    texts: dict[str, str] = {}
    above: dict[tuple[str, str], str] = {}
    for one in proposals:
        if one.operation.kind is Kind.CREATE_FILE:
            texts[one.id] = ""
        counts_on = one.state.open or one.state in (OpState.APPLIED, OpState.UNDONE)
        if one.base is None or not counts_on:  # what is rejected or withdrawn was written over what may be gone
            continue
        key = (one.chain, one.base.sha256)
        if key not in above:
            try:
                above[key] = text_of(one.base, await means.store.kept(one.base.sha256))
            except ChangeError:
                continue
        texts[one.id] = above[key]
        above[key] = spliced(above[key], one.splices)
    return texts
