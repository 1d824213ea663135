"""What a person is asked, and how it ended."""

from __future__ import annotations

from enum import StrEnum

from orange_jupyter.core.grant import Effect, Tier
from orange_jupyter.core.messages import Value


class ApprovalRequest(Value):
    """What a person is asked, rendered from the same frozen object that is executed (R-APPR-2).

    `arguments` is canonical JSON of every argument in full. `facts` are (name, value) rows for the card: for a
    file its real place, for a command the working folder. `digest` binds session, turn, permission version,
    tool, arguments, facts and operand hashes; an answer counts only with it.
    """

    operation_id: str
    session_id: str
    turn_id: str
    permission_version: int
    tool: str
    effect: Effect
    operation: str
    target: str
    arguments: str
    facts: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    operands: tuple[tuple[str, str], ...] = ()
    digest: str = ""
    asked_at: str = ""


class Outcome(StrEnum):
    """How a request for approval ended (R-APPR-5)."""

    APPROVED = "approved"
    DENIED = "denied"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    NEEDS_PERSON = "needs_person"


class TierRequest(Value):
    """Asks a person to enter a full tier (R-PERM-3). Only a live act in this process answers it."""

    operation_id: str
    session_id: str
    current: Tier
    wanted: Tier
    permission_version: int
    mcp_servers: tuple[str, ...] = ()
    asked_at: str = ""
