"""`%orange changes` and `%orange undo`: what waits for the person, and their decisions on it (R-CHG-2, R-CHG-9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orange_jupyter.change_documents import diff_of, results_document, sets_document
from orange_jupyter.commands.changes_text import Telling, answered, fenced, listed, sections, way_out
from orange_jupyter.commands.standing import ENGLISH, Standing, choose
from orange_jupyter.core.changes.showing import Shown, shown
from orange_jupyter.core.changes.values import OpState, Proposal
from orange_jupyter.core.errors import UsageError
from orange_jupyter.jupyter.ports import CommandReply
from orange_jupyter.reviewing import review_of
from orange_jupyter.session_changes import SessionChanges

USAGE = "%orange changes list | show [ID…] | apply [ID…] | reject [ID…] | undo [ID…]"
VERBS = ("list", "show", "apply", "reject", "undo")


@dataclass(frozen=True, slots=True)
class Desk:
    """A session's changes, and how they are told."""

    changes: SessionChanges
    telling: Telling


async def changes(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Run one verb; `list` without any."""
    verb, rest = choose(words, VERBS, "changes", at.say)
    reply = await run(desk(at), verb, rest)
    if verb in ("list", "show") and not rest:
        return replace(reply, review=review_of(at.app, at.opened))
    return reply


async def undo(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Take back one applied change, without an id the last one."""
    if len(words) > 1:
        raise UsageError(at.say("changes.needs_one"), hint=USAGE)
    return await run(desk(at), "undo", words)


def desk(at: Standing) -> Desk:
    """The changes of the session that a line is about."""
    app, session = at.app, at.opened.session
    known = SessionChanges(app.means, session.state.session_id, review_of(app, at.opened))
    return Desk(known, Telling(at.say, app.mask, app.find_secrets, known.command))


async def run(desk: Desk, verb: str, operation_ids: Sequence[str]) -> CommandReply:
    """Run one verb on a session's changes.

    Raises UsageError for an unknown id, RightsError, RunError busy, ChangeError where nothing was begun.
    """
    match verb:
        case "list":
            if operation_ids:
                return await _show(desk, operation_ids)
            return await _list(desk)
        case "show":
            return await _show(desk, operation_ids)
        case "apply":
            decided = await desk.changes.apply(operation_ids)
        case "reject":
            decided = await desk.changes.reject(operation_ids)
        case _:
            decided = await desk.changes.undo(operation_ids)
    text = answered(desk.telling, decided) if decided else desk.telling.say("changes.nothing")
    english = replace(desk.telling, say=ENGLISH)
    return CommandReply(text, results_document(decided, desk.telling.mask, lambda one: way_out(english, one)))


async def _list(desk: Desk) -> CommandReply:
    every = await desk.changes.every()
    waiting = [one for one in await looked_at(desk, every) if one.proposal.state.open]
    applied = [one.operation for one in every if one.state is OpState.APPLIED]
    applied.sort(key=lambda one: one.decided_at or "")
    document = {"ok": True, "changeSets": sets_document(every, desk.telling.mask)}
    errors = [f"{one.id}: {desk.telling.mask(one.error)}" for one in every if one.state.open and one.error]
    if errors:
        document["warnings"] = errors
    return CommandReply(listed(desk.telling, waiting, applied), document)


async def _show(desk: Desk, operation_ids: Sequence[str]) -> CommandReply:
    found = await chosen(desk, operation_ids)
    telling = desk.telling
    diffs = {one.proposal.id: diff_of(one, telling.find, telling.mask) for one in found}
    document = {"ok": True, "changeSets": sets_document([one.proposal for one in found], telling.mask, diffs)}
    parts = [f"{head}\n\n{fenced(diff)}" if diff else head for head, diff in sections(telling, found)]
    return CommandReply("\n\n".join(parts) or telling.say("changes.none"), document)


async def chosen(desk: Desk, operation_ids: Sequence[str]) -> list[Shown]:
    """These operations with their texts, or all that wait. Raises UsageError not_found."""
    wanted = await (desk.changes.named(operation_ids) if operation_ids else desk.changes.waiting())
    names = {one.id for one in wanted}
    return [one for one in await looked_at(desk, wanted) if one.proposal.id in names]


async def looked_at(desk: Desk, proposals: Sequence[Proposal]) -> tuple[Shown, ...]:
    """The operations with those of their change sets, which their texts build on."""
    named = any(not one.state.open for one in proposals)
    sets = {one.operation.change_set_id for one in proposals if one.state.open or named}
    means = desk.changes.means
    return await shown(means, await means.store.sets(list(sets)))
