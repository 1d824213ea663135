"""The rights in force as values: tier, plan switch, feature switches, a child's role; and what calls do (R-SCH-8)."""

from __future__ import annotations

from enum import StrEnum

from orange_jupyter.core.messages import Value


class Tier(StrEnum):
    """A session's safety level; the order of the members is the order of rights."""

    WORKSPACE_READONLY = "workspace-readonly"
    WORKSPACE_WRITE = "workspace-write"
    FULL_CONFIRM = "full-confirm"
    FULL_AUTO = "full-auto"

    @property
    def rank(self) -> int:
        """0 for the narrowest tier, 3 for the widest."""
        return list(Tier).index(self)

    @property
    def full(self) -> bool:
        """Whether the tier reaches outside the workspace (R-PERM-3)."""
        return self.rank >= 2


class Effect(StrEnum):
    """What a call does to the world: the rows of R-SCH-8."""

    LOOK = "look"
    LOOK_OUTSIDE = "look outside"
    WEB = "web"
    BROWSER_LOOK = "browser look"
    BROWSER_ACT = "browser act"
    PROPOSE = "propose"
    APPLY = "decide: apply"
    REJECT = "decide: reject"
    RUN = "run"
    MCP = "MCP"
    DELEGATE = "delegate"
    DELEGATE_WRITING = "delegate writing"
    OWN_STATE = "own state"
    REMEMBER = "remember"
    SEND = "send"
    LASTING = "lasting"
    SCRIPT = "script"


class Switches(Value):
    """Feature switches of the person's own settings (R-PERM-4) and the session's memory switch."""

    network: bool = False
    browser: bool = False
    exec: bool = True
    mcp: bool = False
    memory: bool = False


class Child(Value):
    """A sub-agent's role as far as the policy sees it: the abilities that the role declares (R-TASK-2, R-TASK-3)."""

    name: str
    tools: frozenset[str] = frozenset({"search", "read", "list"})


class Grant(Value):
    """The rights in force: who may do what now. `version` moves with every change (R-PERM-8)."""

    tier: Tier = Tier.WORKSPACE_READONLY
    plan: bool = False
    switches: Switches = Switches()
    child: Child | None = None
    version: int = 1
