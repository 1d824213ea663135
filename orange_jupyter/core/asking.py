"""Asks a person about one call and looks again before it runs (R-APPR-2, R-APPR-3, R-PERM-8)."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.approval import ApprovalRequest, Outcome
from orange_jupyter.core.codes import Code
from orange_jupyter.core.desk import Desk, Refused, context
from orange_jupyter.core.errors import RightsError, ToolError
from orange_jupyter.core.events import ApprovalAsked, ApprovalEnded
from orange_jupyter.core.grant import Effect, Grant
from orange_jupyter.core.messages import ToolCall
from orange_jupyter.core.policy import Decision, Verdict, decide
from orange_jupyter.core.result import canonical
from orange_jupyter.core.tool import Action, Arguments, Tool


def gate(grant: Grant, action: Action, tool: str) -> Decision:
    """The policy's answer to one action; a refusal is raised."""
    decision = decide(grant, action.effect, tool)
    if decision.verdict is Verdict.REFUSE:
        raise Refused(rights(decision), "refused")
    return decision


def rights(decision: Decision) -> RightsError:
    """A refusal as the error that the model reads."""
    return RightsError(decision.code or Code.DENIED_BY_TIER, decision.reason)


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that must be asked for: its parsed arguments and its action."""

    tool: Tool[Any]
    arguments: Arguments
    action: Action


async def ask(desk: Desk, call: ToolCall, asked: Asked) -> Action:
    """Ask the person, then look again: same rights, same digest, or nothing runs.

    Returns the action that was planned anew and is the approved one. Raises Refused.
    """
    request = approval_request(desk, call, asked)
    await desk.hear(ApprovalAsked(call_id=call.id, request=_shown(desk, request)))
    try:
        answer = await desk.approver.ask(request)
    except asyncio.CancelledError:
        await _ended(desk, call.id, request, Outcome.CANCELLED)
        raise
    error = _answer_error(answer.outcome, answer.reason)
    if error is not None:
        await _ended(desk, call.id, request, answer.outcome, answer.reason)
        raise Refused(error, str(answer.outcome))
    try:
        action = await _again(desk, call, asked, (request, answer.digest))
    except ToolError as changed:
        await _ended(desk, call.id, request, Outcome.EXPIRED, changed.message)
        raise Refused(changed, str(Outcome.EXPIRED)) from None
    await _ended(desk, call.id, request, Outcome.APPROVED, answer.reason)
    return action


async def ask_to_go_on(desk: Desk, call_id: str, tool: str) -> bool:
    """Whether the person wants a turn that goes in circles to go on (R-MOD-5); False where nobody is there."""
    request = ApprovalRequest(
        operation_id=f"op_{desk.turn_id}_{call_id}_go_on",
        session_id=desk.session_id,
        turn_id=desk.turn_id,
        permission_version=desk.grant().version,
        tool=tool,
        effect=Effect.OWN_STATE,
        operation="go on, although the same calls repeat",
        target="",
        arguments="{}",
    )
    request = request.model_copy(update={"digest": _digest(desk, request), "asked_at": desk.clock.now()})
    await desk.hear(ApprovalAsked(call_id=call_id, request=_shown(desk, request)))
    try:
        answer = await desk.approver.ask(request)
    except asyncio.CancelledError:
        await _ended(desk, call_id, request, Outcome.CANCELLED)
        raise
    await _ended(desk, call_id, request, answer.outcome, answer.reason)
    return answer.outcome is Outcome.APPROVED and answer.digest == request.digest


async def _again(desk: Desk, call: ToolCall, asked: Asked, given: tuple[ApprovalRequest, str]) -> Action:
    """Plan and decide once more, right before execution. Raises ToolError where anything differs."""
    request, digest = given
    grant = desk.grant()
    if grant.version != request.permission_version:
        raise RightsError(Code.APPROVAL_EXPIRED, "The rights changed while this waited. Nothing ran.")
    action = await asked.tool.plan(context(desk, call.id), asked.arguments)
    gate(grant, action, asked.tool.name)
    now = approval_request(desk, call, Asked(asked.tool, asked.arguments, action))
    if digest != request.digest or now.digest != request.digest:
        raise RightsError(
            Code.APPROVAL_MISMATCH, "What was approved is not what would run now (something changed). Nothing ran."
        )
    return action


def _answer_error(outcome: Outcome, reason: str) -> RightsError | None:
    match outcome:
        case Outcome.APPROVED:
            return None
        case Outcome.DENIED:
            said = f" Reason: {reason}" if reason else ""
            return RightsError(Code.APPROVAL_DENIED, f"The person denied this call.{said}")
        case Outcome.NEEDS_PERSON:
            return RightsError(
                Code.NEEDS_PERSON,
                "Nobody is here to approve this, so it was refused.",
                hint="Go on without it, or say what the person should run in JupyterLab.",
            )
        case Outcome.CANCELLED | Outcome.EXPIRED:
            return RightsError(Code.APPROVAL_EXPIRED, reason or "The approval expired. Nothing ran.")


def approval_request(desk: Desk, call: ToolCall, asked: Asked) -> ApprovalRequest:
    """The frozen object that the card shows and the digest binds (architecture, decision 6)."""
    action, arguments = asked.action, asked.arguments
    request = ApprovalRequest(
        operation_id=f"op_{desk.turn_id}_{call.id}",
        session_id=desk.session_id,
        turn_id=desk.turn_id,
        permission_version=desk.grant().version,
        tool=asked.tool.name,
        effect=action.effect,
        operation=action.operation,
        target=action.target,
        arguments=canonical(arguments.model_dump(mode="json", by_alias=True, exclude_unset=True)),
        facts=action.facts,
        warnings=action.warnings,
        operands=action.operands,
    )
    return request.model_copy(update={"digest": _digest(desk, request), "asked_at": desk.clock.now()})


def _digest(desk: Desk, request: ApprovalRequest) -> str:
    body = desk.nonce + canonical(request.model_dump(mode="json", exclude={"digest", "asked_at"}))
    return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


def _shown(desk: Desk, request: ApprovalRequest) -> ApprovalRequest:
    """The form for record and transcript: masked, without the digest, which only the live card holds (U04)."""
    return request.model_copy(
        update={
            "digest": "",
            "arguments": desk.mask(request.arguments),
            "target": desk.mask(request.target),
            "facts": tuple((name, desk.mask(value)) for name, value in request.facts),
            "warnings": tuple(map(desk.mask, request.warnings)),
            "operands": tuple((desk.mask(path), state) for path, state in request.operands),
        }
    )


async def _ended(desk: Desk, call_id: str, request: ApprovalRequest, outcome: Outcome, reason: str = "") -> None:
    await desk.hear(
        ApprovalEnded(
            call_id=call_id,
            operation_id=request.operation_id,
            outcome=outcome,
            reason=desk.mask(reason),
            permission_version=desk.grant().version,
            at=desk.clock.now(),
        )
    )
