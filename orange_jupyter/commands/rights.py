"""`%orange tier` and `%orange plan`: the session's rights (R-PERM-3, R-PLAN-3)."""

from __future__ import annotations

from orange_jupyter.commands.standing import Standing, one
from orange_jupyter.core.errors import UsageError
from orange_jupyter.core.grant import Tier
from orange_jupyter.jupyter.options import nearest
from orange_jupyter.jupyter.ports import CommandReply


async def tier(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Say the tier, or change it; a full one asks the person first."""
    state = at.opened.session.state
    if not words:
        known = ", ".join(f"`{name}`" for name in Tier)
        return CommandReply(f"The tier is **{state.tier}**. Tiers: {known}.", {"ok": True, "tier": str(state.tier)})
    word = one(words, "%orange tier [TIER]")
    if word not in list(Tier):
        raise UsageError(f"There is no tier “{word}”.{nearest(word, list(Tier))}", hint=", ".join(Tier))
    now = await at.opened.session.set_tier(Tier(word))
    version = at.opened.session.state.permission_version
    end = f" It ends when the kernel stops or with `%orange tier {at.opened.session.state.workspace_tier}`."
    text = f"The tier is **{now}** now (permission version {version}).{end if now.full else ''}"
    return CommandReply(text, {"ok": True, "tier": str(now), "permissionVersion": version})


async def plan(at: Standing, words: tuple[str, ...]) -> CommandReply:
    """Say whether plan mode is on, or switch it."""
    session = at.opened.session
    if words:
        word = one(words, "%orange plan [on|off]")
        if word not in ("on", "off"):
            raise UsageError(f"“{word}” is neither on nor off: %orange plan [on|off]")
        await session.set_plan(word == "on")
    on = session.state.plan
    text = f"Plan mode is **{'on' if on else 'off'}**; the tier is {session.state.tier}."
    return CommandReply(text, {"ok": True, "plan": on})
