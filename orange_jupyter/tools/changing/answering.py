"""How a proposal is answered to the model: ids, a summary and counts, never text of the file (R-CHG-3, C21)."""

from __future__ import annotations

import re
from dataclasses import replace

from orange_jupyter.core.changes.applying import apply
from orange_jupyter.core.changes.deciding import digest
from orange_jupyter.core.changes.drafting import Draft
from orange_jupyter.core.changes.news import known
from orange_jupyter.core.changes.values import Choice, OpState, Proposal
from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError, ChangeError, ToolError
from orange_jupyter.core.grant import Tier
from orange_jupyter.core.tool import Result, ToolContext

_TOKEN = re.compile(r"⟦masked(?::\d+)?⟧")


def refuse_masked(written: tuple[str, ...], there: str = "") -> None:
    """Raises ChangeError masked_text for a mask's token, unless the file holds that very text (R-EDIT-6)."""
    for text in written:
        for token in _TOKEN.findall(text):
            if token not in there:
                raise ChangeError(
                    Code.MASKED_TEXT,
                    f"The text holds {token}, which stands for a value that is hidden from you.",
                    hint="Replace only text beside it, with oldText that does not hold the token; the value stays.",
                )


def require_text(*written: str) -> None:
    """Raises ArgumentError for NUL characters: with one in it a note is no text any more and could not be read."""
    for text in written:
        if "\0" in text:
            raise ArgumentError(
                Code.INVALID_ARGUMENT,
                "The text holds a NUL character, with which a note is no text any more. Nothing was proposed.",
                hint="Leave it out.",
                details={"offset": text.index("\0")},
            )


def with_turn(context: ToolContext, draft: Draft) -> Draft:
    """The draft with the turn and the sub-agent that it comes from."""
    child = context.grant.child
    return replace(draft, turn_id=context.turn_id, child=child.name if child else None)


async def answered(context: ToolContext, proposal: Proposal) -> Result:
    """The result of a proposal; in full-auto it is applied first, where nothing older must be applied with it."""
    error: ToolError | None = None
    notices: tuple[str, ...] = ()
    more: tuple[str, ...] = ()
    if context.grant.tier is Tier.FULL_AUTO and not context.grant.plan:
        if await _waits_for_older(context, proposal):
            notices = ("It builds on a change that waits for the person, so it waits too.",)
        else:
            choice = Choice(operation_id=proposal.id, digest=digest(proposal))
            decided = (await apply(context.changes.means, context.grant, [choice]))[0]
            proposal, error, more = decided.proposal, decided.error, decided.warnings
            await known(context.changes.means, context.session_id, proposal.id)
    fields = fields_of(proposal)
    if error is not None:
        raise ChangeError(error.code, error.message, hint=error.hint, details=error.details, fields=fields) from error
    if proposal.state is OpState.PENDING:
        notices = (*notices, "Proposed; nothing is on the disk before the person applies it.")
    return Result(fields, f"{proposal.state}: {proposal.operation.summary}", warnings=more, notices=notices)


async def _waits_for_older(context: ToolContext, proposal: Proposal) -> bool:
    pending = {one.id for one in await context.changes.pending()}
    return any(needed in pending for needed in proposal.operation.depends_on)


def fields_of(proposal: Proposal) -> dict[str, object]:
    """The fields of a result (12-schemas.md, edit and write)."""
    operation = proposal.operation
    fields: dict[str, object] = {
        "changeSetId": operation.change_set_id,
        "operationId": operation.operation_id,
        "operation": str(operation.kind),
        "path": operation.path,
    }
    if operation.destination is not None:
        fields["destination"] = operation.destination
    return fields | {
        "state": str(operation.state),
        "summary": operation.summary,
        "charsBefore": operation.chars_before,
        "charsAfter": operation.chars_after,
        "affectedFiles": operation.affected_files,
        "warnings": list(operation.warnings),
    }
