"""Asks the person at a terminal, or refuses at once where there is none (R-APPR-4, R-HL-2)."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

from orange_jupyter.core.approval import ApprovalRequest, Outcome, TierRequest
from orange_jupyter.core.ports import Answer
from orange_jupyter.core.visible import for_terminal, visible

Input = Callable[[str], str]


class Nobody:
    """The Approver of a run without a person: nothing hangs, nothing is approved."""

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Refuse at once."""
        return Answer(Outcome.NEEDS_PERSON, request.digest)

    async def confirm(self, _: TierRequest) -> Outcome:
        """Refuse at once."""
        return Outcome.NEEDS_PERSON


class Yes(Nobody):
    """`--yes`: the person who typed the command approves this one call; never a tier."""

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Approve what the command line itself named."""
        return Answer(Outcome.APPROVED, request.digest)


class Terminal:
    """Asks at a terminal, one question at a time; the whole request is shown, invisible characters as escapes."""

    def __init__(self, read: Input, write: Callable[[str], object]) -> None:
        self._read = read
        self._write = write
        self._one = asyncio.Lock()

    async def ask(self, request: ApprovalRequest) -> Answer:
        """Approve with `yes`; anything else denies, and what follows `no` is told to the model."""
        async with self._one:
            typed = await asyncio.to_thread(self._prompt, _words(request), "Approve once? yes, or no and why: ")
        if typed is None:
            return Answer(Outcome.NEEDS_PERSON, request.digest)
        if typed.strip().lower() in ("yes", "y", "是"):
            return Answer(Outcome.APPROVED, request.digest)
        reason = typed.strip()
        return Answer(
            Outcome.DENIED, request.digest, reason.partition(" ")[2] if reason[:2].lower() == "no" else reason
        )

    async def confirm(self, request: TierRequest) -> Outcome:
        """Enter a full tier only by typing its name."""
        async with self._one:
            typed = await asyncio.to_thread(self._prompt, _opens(request), f"Type {request.wanted} to enter it: ")
        if typed is None:
            return Outcome.NEEDS_PERSON
        return Outcome.APPROVED if typed.strip() == request.wanted else Outcome.DENIED

    def _prompt(self, shown: str, question: str) -> str | None:
        self._write(for_terminal(shown) + "\n")
        try:
            return self._read(question)
        except (EOFError, OSError):
            return None


def at_terminal() -> Terminal | Nobody:
    """The person at this process's terminal, if there is one on both sides."""
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        return Terminal(_input_on_stderr, sys.stderr.write)
    return Nobody()


def _input_on_stderr(question: str) -> str:
    sys.stderr.write(question)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


def _words(request: ApprovalRequest) -> str:
    rows = [(request.operation, request.target), *request.facts, ("arguments", request.arguments)]
    lines = [f"{name}: {visible(value)[0]}" for name, value in rows]
    escapes = sum(visible(value)[1] for _, value in rows)
    warnings = [f"! {warning}" for warning in request.warnings]
    if escapes:
        warnings.append(f"! {escapes} invisible characters are shown as escapes.")
    return "\n".join(["", *lines, *warnings])


def _opens(request: TierRequest) -> str:
    servers = f", MCP servers ({', '.join(request.mcp_servers)})" if request.mcp_servers else ", MCP servers"
    text = f"\n{request.wanted} opens files outside the knowledge bases, commands, the network, the browser{servers}: "
    text += "all as your system user, with no sandbox."
    if request.wanted == "full-auto":
        return text + " Nothing will ask: operations run and this turn's changes are applied by themselves."
    return text + " Every single operation still asks first."
