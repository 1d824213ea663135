"""`%orange tier` and `%orange plan`: the session's rights (R-PERM-3, R-PLAN-3)."""

from __future__ import annotations

from orange_jupyter.commands.standing import Standing, one
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.options import near
from orange_jupyter.jupyter.ports import CommandReply


async def tier(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Say the tier, or change it; a full one asks the person first."""
    state = at.opened.session.state
    if not words:
        known = ", ".join(f"`{name}`" for name in Tier)
        return CommandReply(at.say("tier", tier=state.tier, tiers=known), {"ok": True, "tier": str(state.tier)})
    word = one(words, "%orange tier [TIER]", at.say)
    if word not in list(Tier):
        raise UsageError(at.say("tier.unknown", word=word, near=near(word, list(Tier))), hint=", ".join(Tier))
    now = await at.opened.session.set_tier(Tier(word))
    version = at.opened.session.state.permission_version
    end = at.say("tier.end", tier=at.opened.session.state.workspace_tier) if now.full else ""
    text = at.say("tier.now", tier=now, version=version) + end
    return CommandReply(text, {"ok": True, "tier": str(now), "permissionVersion": version})


async def plan(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Say whether plan mode is on, or switch it."""
    session = at.opened.session
    if words:
        word = one(words, "%orange plan [on|off]", at.say)
        if word not in ("on", "off"):
            raise UsageError(at.say("plan.word", word=word))
        await session.set_plan(word == "on")
    on = session.state.plan
    text = at.say("plan", state=at.say("on" if on else "off"), tier=session.state.tier)
    return CommandReply(text, {"ok": True, "plan": on})
