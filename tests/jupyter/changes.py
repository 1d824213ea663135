"""Operations as a review shows them, made without a store: for the tests of its pages."""

from __future__ import annotations

from typing import Any

from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.hunks import hunks
from orange_jupyter.core.changes.rewriting import rewritten
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.unified import counts
from orange_jupyter.core.changes.values import Kind, Operation, OpState, Proposal, Spot, TextBase

NOW = "2026-12-01T06:00:00Z"


def operation(name: str, kind: Kind, path: str = "notes/a.md", **more: Any) -> Operation:
    made = {
        "summary": f"{kind}: {path}",
        "created_at": NOW,
        "knowledge_base_id": "kb_1",
        "change_set_id": "cs_1",
    } | more
    return Operation(operation_id=name, kind=kind, path=path, **made)


def text_change(name: str, below: str, after: str, *, state: OpState = OpState.PENDING, **more: Any) -> Shown:
    """An edit that makes `after` of `below`; `proposal` are more fields of it, `more` those of the operation."""
    fields = more.pop("proposal", {})
    splices = rewritten(below, after)
    proposal = Proposal(
        operation=operation(name, more.pop("kind", Kind.MULTI_REPLACE), state=state, **more),
        session_id="s_1",
        spot=Spot(root="/kb", relative="a.md"),
        base=TextBase(sha256="0" * 64),
        chain=name,
        splices=splices,
        **fields,
    )
    added, removed = counts(hunks(below, splices))
    return Shown(proposal, digest(proposal), below, hunks(below, splices), added, removed)


def other(name: str, kind: Kind, needed_by: int = 0, **more: Any) -> Shown:
    """What is no edit of a text."""
    fields = more.pop("proposal", {})
    proposal = Proposal(
        operation=operation(name, kind, **more), session_id="s_1", spot=Spot(root="/kb", relative="x"), **fields
    )
    below = "" if kind is Kind.CREATE_FILE else None
    lines = (proposal.content or "").count("\n")
    return Shown(proposal, digest(proposal), below, (), lines if below == "" else 0, 0, needed_by)
