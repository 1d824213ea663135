"""The one way a tool call runs: parse, plan, decide, ask, decide again, run, mask, keep, clip (R-PERM-7, R-APPR-2).

The model's calls, the command line and everything later go through `run_call`; nothing else runs a tool.
"""

from __future__ import annotations

import asyncio
import difflib
import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from orange_jupyter.core.asking import Asked, ask, gate, rights
from orange_jupyter.core.codes import Code
from orange_jupyter.core.declare import parse
from orange_jupyter.core.desk import Desk, Refused, context, masked
from orange_jupyter.core.errors import ArgumentError, ToolError
from orange_jupyter.core.events import CallFinished, CallStarted
from orange_jupyter.core.held import held
from orange_jupyter.core.messages import ToolCall, ToolResult
from orange_jupyter.core.policy import Verdict, decide
from orange_jupyter.core.result import as_json, clip, envelope, failure, map_strings
from orange_jupyter.core.tool import Action, Arguments, Result, Tool, ToolContext

_log = logging.getLogger(__name__)

VIEWED = 40_000
"""Characters of one text of an envelope that views and transcript get."""


@dataclass(frozen=True, slots=True)
class Ran:
    """One call's outcome: `envelope` is the structured value, uncut and masked; `result` goes to the model."""

    result: ToolResult
    envelope: dict[str, Any]
    decision: str


@dataclass(frozen=True, slots=True)
class _Ended:
    whole: dict[str, Any]
    decision: str
    summary: str
    obtained: Result | None = None
    code: Code | None = None


async def run_call(desk: Desk, call: ToolCall) -> Ran:
    """Run one call to its end. Never raises ToolError: a failure is an envelope. Raises StoreError, CancelledError."""
    began = desk.clock.monotonic()
    tool = _find(desk.tools, call.name)
    await desk.hear(
        CallStarted(
            call_id=call.id,
            tool=tool.name if tool else call.name,
            arguments=masked(desk, call.arguments or {}),
            target=desk.mask(_target(tool, call)),
        )
    )
    try:
        ended = await _attempt(desk, call, tool)
    except Refused as refused:
        ended = _failed(refused.error, refused.decision)
    except ArgumentError as error:
        ended = _failed(error, "refused")
    except ToolError as error:
        ended = _failed(error, "allowed")
    except asyncio.CancelledError as stopped:
        await _stopped(desk, call, stopped, began)
        raise
    return await _finish(desk, call, ended, desk.clock.monotonic() - began)


async def _stopped(desk: Desk, call: ToolCall, stopped: asyncio.CancelledError, began: float) -> None:
    """Tell what a stopped call had obtained: a tool says it as a ToolError in the CancelledError that it passes on."""
    for said in stopped.args:
        if isinstance(said, ToolError):
            await _finish(desk, call, _failed(said, "allowed"), desk.clock.monotonic() - began)


def _target(tool: Tool[Any] | None, call: ToolCall) -> str:
    """What the tool line names; "" where the arguments cannot be understood."""
    if tool is None or call.arguments is None:
        return ""
    try:
        return tool.target(parse(tool.arguments, call.arguments, tool.name))
    except ToolError:
        return ""


def _failed(error: ToolError, decision: str) -> _Ended:
    return _Ended(failure(error), decision, error.message, code=error.code)


def _find(tools: Mapping[str, Tool[Any]], name: str) -> Tool[Any] | None:
    """By its exact name, else by case alone (R-MOD-3)."""
    return tools.get(name) or tools.get(name.strip().lower())


async def _attempt(desk: Desk, call: ToolCall, tool: Tool[Any] | None) -> _Ended:
    if tool is None:
        near = difflib.get_close_matches(call.name, desk.tools, n=1)
        hint = f"Nearest: {near[0]}." if near else f"Tools: {', '.join(sorted(desk.tools))}."
        raise ArgumentError(Code.UNKNOWN_TOOL, f"There is no tool `{call.name}`.", hint=hint)
    if call.arguments is None:
        raise ArgumentError(
            Code.MALFORMED_ARGUMENTS,
            f"The arguments are not a JSON object: {call.problem or 'unreadable'}.",
            details={"schema": tool.arguments.model_json_schema()["properties"]},
        )
    arguments = parse(tool.arguments, call.arguments, tool.name)
    action = await _plan(tool, context(desk, call.id), arguments)
    decision = "allowed"
    if gate(desk.grant(), action, tool.name).verdict is Verdict.ASK:
        action = await ask(desk, call, Asked(tool, arguments, action))
        decision = "approved"
    obtained = await _run(tool, context(desk, call.id), (arguments, action))
    whole = envelope(
        obtained.fields, warnings=obtained.warnings, notices=obtained.notices, untrusted=obtained.untrusted
    )
    return _Ended(whole, decision, obtained.summary, obtained)


async def _plan(tool: Tool[Any], context: ToolContext, arguments: Arguments) -> Action:
    """Work out the action; a tool of which every effect is refused is not even planned: nothing is looked at."""
    grant = context.grant
    decisions = [decide(grant, effect, tool.name) for effect in tool.effects]
    if all(decision.verdict is Verdict.REFUSE for decision in decisions):
        raise Refused(rights(decisions[0]), "refused")
    return await tool.plan(context, arguments)


async def _run(tool: Tool[Any], context: ToolContext, what: tuple[Arguments, Action]) -> Result:
    try:
        return await held(context, await tool.run(context, *what))
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        # A fault of ours must not end the session: a reference into the log, no traceback (12, `internal`).
        reference = hashlib.sha256(repr(error).encode()).hexdigest()[:8]
        _log.exception("internal fault %s in tool %s", reference, tool.name)
        raise ToolError(
            Code.INTERNAL, f"Something went wrong inside {tool.name} (log reference {reference})."
        ) from error


async def _finish(desk: Desk, call: ToolCall, ended: _Ended, seconds: float) -> Ran:
    whole = masked(desk, ended.whole)
    obtained = ended.obtained
    tool = _find(desk.tools, call.name)
    ref = None
    if tool is None or tool.clipped:
        cursor = obtained.cursor if obtained else None
        clipped = clip(whole, ref=None, cursor=cursor)
        if clipped.clipped:
            ref = await desk.evidence.keep(call.id, call.name, as_json(whole))
            clipped = clip(whole, ref=ref, cursor=cursor)
        text, total = clipped.text, clipped.total
    else:
        text = as_json(whole)
        total = len(text)
    images = obtained.images if obtained else ()
    result = ToolResult(call_id=call.id, name=call.name, content=text, ok=bool(whole["ok"]), images=images)
    await desk.hear(
        CallFinished(
            call_id=call.id,
            tool=tool.name if tool else call.name,
            arguments=masked(desk, call.arguments or {}),
            ok=result.ok,
            code=ended.code,
            decision=ended.decision,
            summary=desk.mask(ended.summary),
            seconds=seconds,
            result=result,
            envelope=_for_view(whole),
            citations=obtained.citations if obtained else (),
            details_ref=ref,
            total_chars=total,
        )
    )
    return Ran(result, whole, ended.decision)


def _for_view(whole: dict[str, Any]) -> dict[str, Any]:
    """The envelope for the record and the transcript: of a very long text head and tail."""
    shown: dict[str, Any] = map_strings(whole, _ends)
    return shown


def _ends(text: str) -> str:
    if len(text) <= VIEWED:
        return text
    half = VIEWED // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"
