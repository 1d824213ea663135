"""Changes as `%orange changes` tells them: Markdown for people, in their language, without secrets."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from orange_jupyter.change_documents import diff_of, operation_masked
from orange_jupyter.commands.standing import plain, table
from orange_jupyter.core.changes.applying import Decided
from orange_jupyter.core.changes.showing import Shown
from orange_jupyter.core.changes.values import Operation, OpState
from orange_jupyter.core.codes import Code
from orange_jupyter.core.masking import MASK, FindSecrets
from orange_jupyter.core.visible import visible
from orange_jupyter.jupyter.changes.listing import trashed_size
from orange_jupyter.jupyter.strings import Say

LATELY = 10


@dataclass(frozen=True, slots=True)
class Telling:
    """How changes are told: words, what hides secrets, and how a line to type is spelled."""

    say: Say
    mask: Callable[[str], str]
    find: FindSecrets
    command: Callable[[str], str]


def listed(telling: Telling, shown: Sequence[Shown], applied: Sequence[Operation]) -> str:
    """What waits as a table, what is wrong with it, the last that were applied, and what can be typed."""
    say = telling.say
    parts = [_waiting(telling, shown)] if shown else [say("changes.none")]
    if applied:
        rows = [_told(telling, one, one.decided_at or "") for one in applied[-LATELY:]]
        head = [say(f"changes.{key}") for key in ("id", "what", "path", "when")]
        parts += [say("changes.applied"), table(head, rows), say("changes.undo", undo=telling.command("undo"))]
    return "\n\n".join(parts)


def _waiting(telling: Telling, shown: Sequence[Shown]) -> str:
    say = telling.say
    head = [say(f"changes.{key}") for key in ("id", "state", "what", "path", "size")]
    rows = []
    for one in shown:
        identity, kind, path, size = _told(telling, one.proposal.operation, _size(say, one))
        rows.append((identity, say(f"changes.state.{one.proposal.state}"), kind, path, size))
    lines = [f"- {one.proposal.id}: {plain(line)}" for one in shown for line in remarks(telling, one)]
    how = say("changes.how", **{verb: telling.command(verb) for verb in ("show", "apply", "reject")})
    return "\n\n".join(
        [say("changes.waiting", n=len(shown)), table(head, rows), *(["\n".join(lines)] if lines else []), how]
    )


def _told(telling: Telling, operation: Operation, last: str) -> tuple[str, str, str, str]:
    return operation.operation_id, telling.say(f"changes.kind.{operation.kind}"), _path(telling, operation), last


def _path(telling: Telling, operation: Operation) -> str:
    masked = operation_masked(operation, telling.mask)
    path = f"{masked.path} → {masked.destination}" if masked.destination else masked.path
    return visible(path)[0]


def _size(say: Say, shown: Shown) -> str:
    operation = shown.proposal.operation
    lines = f"+{shown.added:,} −{shown.removed:,}" if shown.below is not None else ""
    if lines and operation.affected_files == 1:
        return lines
    return " ".join([lines, say("changes.files", n=operation.affected_files), trashed_size(shown.proposal)]).strip()


def remarks(telling: Telling, shown: Shown) -> list[str]:
    """What a person should know of one operation: what it builds on, its warnings, why it was not applied."""
    proposal = shown.proposal
    said = [telling.mask(line) for line in proposal.operation.warnings]
    if proposal.operation.depends_on and proposal.state.open:
        said.append(telling.say("changes.builds", names=", ".join(proposal.operation.depends_on)))
    if proposal.error:
        said.append(f"{telling.mask(proposal.error)} {what_to_do(telling, proposal.id, proposal.code)}".strip())
    return [visible(line)[0] for line in said]


def what_to_do(telling: Telling, identity: str, code: Code | None) -> str:
    """The way out of an error, with the lines to type."""
    known = code if code in (Code.STALE_SOURCE, Code.TARGET_EXISTS) else "other"
    lines = {verb: telling.command(f"{verb} {identity}") for verb in ("apply", "reject")}
    return telling.say(f"changes.do.{known}", **lines)


def way_out(telling: Telling, decided: Decided) -> str:
    """What to do about an operation that was not done as asked; "" where nothing is to be done."""
    error, operation = decided.error, decided.proposal.operation
    if error is None or error.hint:
        return (error.hint or "") if error else ""
    if operation.state.open:
        return what_to_do(telling, operation.operation_id, error.code)
    if operation.state is OpState.APPLIED and error.code in (Code.STALE_SOURCE, Code.TARGET_EXISTS):
        return telling.say("changes.do.undo", show=telling.command(f"show {operation.operation_id}"))
    return ""


def sections(telling: Telling, shown: Sequence[Shown]) -> list[tuple[str, str]]:
    """(Markdown that says what an operation is, its diff as it may be shown) of each."""
    made = []
    for one in shown:
        operation, say = one.proposal.operation, telling.say
        identity, kind, path, size = _told(telling, operation, _size(say, one))
        state = say(f"changes.state.{operation.state}")
        lines = [f"**{identity}** {state}: {kind} {plain(path)} {plain(size)}"]
        lines += [f"- {plain(line)}" for line in remarks(telling, one)]
        if one.below is None and operation.kind.text:
            lines.append(f"- {say('changes.unkept')}")
        masked = diff_of(one, telling.find, telling.mask).replace("\r\n", "\n")
        diff, escapes = visible(masked)
        if escapes:
            lines.append(f"- {say('changes.escapes', n=escapes)}")
        if MASK in diff:
            lines.append(f"- {say('changes.masked')}")
        made.append(("\n".join(lines), diff))
    return made


def fenced(diff: str) -> str:
    """A diff as a block of code that nothing in it can end."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", diff)), default=0))
    ended = diff if diff.endswith("\n") else f"{diff}\n"
    return f"{fence}diff\n{ended}{fence}"


def answered(telling: Telling, decided: Sequence[Decided]) -> str:
    """How a decision went, a line for each operation."""
    return "\n".join(f"- {plain(line)}" for one in decided for line in _outcome(telling, one))


def _outcome(telling: Telling, decided: Decided) -> list[str]:
    operation, say = decided.proposal.operation, telling.say
    identity, state = operation.operation_id, say(f"changes.state.{operation.state}")
    more = [
        f"{identity}: {telling.mask(line)}" for line in (*decided.warnings, *([decided.note] if decided.note else []))
    ]
    error = decided.error
    if error is None:
        about = f"{say(f'changes.kind.{operation.kind}')} {_path(telling, operation)}"
        return [say("changes.done", id=identity, state=state, about=about), *more]
    message = f"{telling.mask(error.message)} {telling.mask(way_out(telling, decided))}".strip()
    return [say("changes.failed", id=identity, state=state, message=visible(message)[0]), *more]
