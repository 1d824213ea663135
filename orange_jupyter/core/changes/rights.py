"""Applying and undoing are a person's own acts, and the policy decides on them too (R-SCH-8, R-PLAN-2)."""

from __future__ import annotations

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import RightsError
from orange_jupyter.core.grant import Effect, Grant
from orange_jupyter.core.policy import Verdict, decide


def require_applying(grant: Grant) -> None:
    """Raises RightsError denied_by_tier, denied_by_plan where these rights do not allow to change files."""
    decision = decide(grant, Effect.APPLY, "changes")
    if decision.verdict is not Verdict.ALLOW:
        raise RightsError(decision.code or Code.DENIED_BY_TIER, decision.reason)
