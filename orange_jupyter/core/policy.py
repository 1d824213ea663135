"""The one policy: a pure function from (grant, effect) to allow, ask or refuse (R-PERM-7, R-SCH-8).

The same function trims the schemas that a model sees and gates every execution; nothing else decides.
"""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never

from orange_jupyter.core.codes import Code
from orange_jupyter.core.grant import Effect, Grant, Tier
from orange_jupyter.core.messages import Value


class Verdict(StrEnum):
    """The three answers of the policy."""

    ALLOW = "allow"
    ASK = "ask"
    REFUSE = "refuse"


class Decision(Value):
    """The answer with, for a refusal, its error code and a sentence that says what to do."""

    verdict: Verdict
    code: Code | None = None
    reason: str = ""


ALLOW = Decision(verdict=Verdict.ALLOW)
ASK = Decision(verdict=Verdict.ASK)

_NEEDS_FULL = frozenset(
    {
        Effect.LOOK_OUTSIDE,
        Effect.WEB,
        Effect.BROWSER_LOOK,
        Effect.BROWSER_ACT,
        Effect.RUN,
        Effect.MCP,
        Effect.SEND,
    }
)
_NEEDS_WRITE = frozenset({Effect.PROPOSE, Effect.APPLY, Effect.DELEGATE_WRITING, Effect.LASTING})
_ALWAYS_ASKS = frozenset({Effect.REMEMBER, Effect.LASTING})
_PLAN_ALLOWS = frozenset({Effect.LOOK, Effect.WEB, Effect.BROWSER_LOOK, Effect.DELEGATE, Effect.REJECT})
_CHILD_TOOLS = frozenset({"search", "read", "list"})


def decide(grant: Grant, effect: Effect, tool: str) -> Decision:
    """Decide on one call of `tool` with `effect` under `grant`. Pure; total over its domain.

    The switch is looked at after tier and plan, so that a person is told first what must change first.
    A model's call never has the effects APPLY and REJECT: these are the person's own acts.
    """
    return (
        _by_role(grant, effect, tool) or _by_tier(grant, effect) or _by_plan(grant, effect) or _by_switch(grant, effect)
    ) or _consent(grant, effect)


def _consent(grant: Grant, effect: Effect) -> Decision:
    if effect in _ALWAYS_ASKS:
        return ASK
    if effect in _NEEDS_FULL and grant.tier is Tier.FULL_CONFIRM:
        return ASK
    return ALLOW


def _by_tier(grant: Grant, effect: Effect) -> Decision | None:
    if effect in _NEEDS_FULL and not grant.tier.full:
        needed = Tier.FULL_CONFIRM
    elif effect in _NEEDS_WRITE and grant.tier is Tier.WORKSPACE_READONLY:
        needed = Tier.WORKSPACE_WRITE
    else:
        return None
    return _refuse(
        Code.OUTSIDE_WORKSPACE if effect is Effect.LOOK_OUTSIDE else Code.DENIED_BY_TIER,
        f"The tier {grant.tier} does not allow this ({effect}). The person must change it: %orange tier {needed}.",
    )


def _by_plan(grant: Grant, effect: Effect) -> Decision | None:
    if not grant.plan:
        return None
    outside_look = effect in (Effect.WEB, Effect.BROWSER_LOOK)
    if effect in _PLAN_ALLOWS and (grant.tier.full or not outside_look):
        return None
    return _refuse(
        Code.DENIED_BY_PLAN,
        f"Plan mode is on and does not allow this ({effect}). The person can leave it: %orange plan off.",
    )


def _by_switch(grant: Grant, effect: Effect) -> Decision | None:
    name = _switch_of(effect)
    if name is None or getattr(grant.switches, name):
        return None
    own = f"the setting `switches.{name}` in the person's own config.toml"
    where = "the session's memory switch" if name == "memory" else own
    return _refuse(Code.FEATURE_OFF, f"This needs {where}, which is off.")


def _switch_of(effect: Effect) -> str | None:
    match effect:
        case Effect.WEB:
            return "network"
        case Effect.BROWSER_LOOK | Effect.BROWSER_ACT:
            return "browser"
        case Effect.RUN:
            return "exec"
        case Effect.MCP:
            return "mcp"
        case Effect.REMEMBER:
            return "memory"
        case (
            Effect.LOOK
            | Effect.LOOK_OUTSIDE
            | Effect.PROPOSE
            | Effect.APPLY
            | Effect.REJECT
            | Effect.DELEGATE
            | Effect.DELEGATE_WRITING
            | Effect.OWN_STATE
            | Effect.SEND
            | Effect.LASTING
            | Effect.SCRIPT
        ):
            return None
        case _:
            assert_never(effect)


def _by_role(grant: Grant, effect: Effect, tool: str) -> Decision | None:
    if grant.child is None:
        return None
    if effect in (Effect.LOOK, Effect.LOOK_OUTSIDE):
        granted = tool in _CHILD_TOOLS and tool in grant.child.tools
    elif effect is Effect.WEB:
        granted = "web" in grant.child.tools
    elif effect is Effect.BROWSER_LOOK:
        granted = "browser-read" in grant.child.tools
    elif effect is Effect.PROPOSE:
        granted = tool in ("edit", "write") and tool in grant.child.tools
    else:
        granted = False
    if granted:
        return None
    return _refuse(Code.DENIED_BY_ROLE, f"The role {grant.child.name} does not have this ({tool}: {effect}).")


def _refuse(code: Code, reason: str) -> Decision:
    return Decision(verdict=Verdict.REFUSE, code=code, reason=reason)
