"""Proposals to keep, whole and minimal; and a program that keeps them until it is killed."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from itertools import count
from pathlib import Path

from orange_jupyter.core.changes.matching import Edit
from orange_jupyter.core.changes.pieces import Splice
from orange_jupyter.core.changes.values import Choice, HunkChoice, Kind, Operation, OpState, Proposal, Spot, TextBase
from orange_jupyter.core.codes import Code
from orange_jupyter.storage.changes import Changes
from orange_jupyter.storage.database import Database
from orange_jupyter.storage.ids import new_id

SECRET = "a text that nobody else should read 秘密"


def whole(session_id: str, text: str = SECRET, **operation: object) -> Proposal:
    """An operation with something in every field, `text` wherever a text may stand."""
    facts = {
        "operation_id": new_id("op_"),
        "change_set_id": "cs_one",
        "kind": Kind.MULTI_REPLACE,
        "knowledge_base_id": "kb",
        "path": text,
        "destination": text,
        "summary": text,
        "chars_before": 3,
        "chars_after": 4,
        "affected_files": 2,
        "base_hash": "sha256:b",
        "applied_hash": "sha256:a",
        "depends_on": ("op_0",),
        "warnings": (text,),
        "child": "c",
        "created_at": "2026-11-30T17:05:00Z",
        "decided_at": "2026-11-30T17:06:00Z",
    }
    splices = (Splice(start=0, end=1, text=text), Splice(start=2, end=2, text="\r\n"))
    return Proposal(
        operation=Operation.model_validate(facts | operation),
        session_id=session_id,
        turn_id="t1",
        spot=Spot(root="/kb", relative=text),
        target=Spot(root="/kb", relative=text),
        base=TextBase(sha256="b" * 64, encoding="utf-16-le", bom="fffe"),
        chain="",
        splices=splices,
        asked=(Edit(old_text=text, new_text=text, occurrence=2),),
        content=text,
        fingerprint="f",
        taken=splices,
        choice=Choice(operation_id="op_0", digest="d", hunks=(HunkChoice(number=1, text=text), HunkChoice(number=2))),
        error=text,
        code=Code.STALE_SOURCE,
        told=False,
    )


def small(session_id: str, state: OpState = OpState.PENDING, **fields: object) -> Proposal:
    """An operation with little in it; `fields` are the proposal's, `at` is when it was decided."""
    operation = Operation(
        operation_id=new_id("op_"),
        change_set_id=str(fields.pop("change_set_id", "cs_one")),
        kind=Kind.REPLACE,
        knowledge_base_id="kb",
        path="a.md",
        state=state,
        summary="s",
        created_at="2026-11-30T17:05:00Z",
        decided_at=fields.pop("at", None),
    )
    return Proposal(operation=operation, session_id=session_id, spot=Spot(root="/kb", relative="a.md")).model_copy(
        update=fields
    )


async def keep_adding(home: Path, session_id: str) -> None:
    """Keep texts and proposals on them without end; one line of output for each that was reported as kept."""
    changes = Changes(Database.open(home), home)
    for number in count():
        data = f"note {number}\n".encode() * 5_000
        proposal = small(session_id, content=f"{number} " * 5_000)
        base = TextBase(sha256=await changes.keep(data))
        await changes.add(proposal.model_copy(update={"base": base}))
        sys.stdout.write(f"{proposal.id} {number} {hashlib.sha256(data).hexdigest()}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(keep_adding(Path(sys.argv[1]), sys.argv[2]))
