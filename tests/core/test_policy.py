"""The one policy, cell by cell: R-PERM-2, R-PERM-4, R-PERM-7, R-PLAN-1, R-PLAN-2, R-SCH-8, R-TASK-2; cases A01, A13, A14."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_jupyter.core.codes import Code
from orange_jupyter.core.grant import Child, Effect, Grant, Switches, Tier
from orange_jupyter.core.policy import Verdict, decide

ALL_ON = Switches(network=True, browser=True, exec=True, mcp=True, memory=True)
ALL_OFF = Switches(network=False, browser=False, exec=False, mcp=False, memory=False)

# effect: readonly, write, confirm, auto | the same with plan mode on. `+` allow, `?` ask, `-` refuse. From 12-schemas.md.
TABLE = {
    Effect.LOOK: ("+", "+", "+", "+", "+", "+", "+", "+"),
    Effect.LOOK_OUTSIDE: ("-", "-", "?", "+", "-", "-", "-", "-"),
    Effect.WEB: ("-", "-", "?", "+", "-", "-", "?", "+"),
    Effect.BROWSER_LOOK: ("-", "-", "?", "+", "-", "-", "?", "+"),
    Effect.BROWSER_ACT: ("-", "-", "?", "+", "-", "-", "-", "-"),
    Effect.PROPOSE: ("-", "+", "+", "+", "-", "-", "-", "-"),
    Effect.APPLY: ("-", "+", "+", "+", "-", "-", "-", "-"),
    Effect.REJECT: ("+", "+", "+", "+", "+", "+", "+", "+"),
    Effect.RUN: ("-", "-", "?", "+", "-", "-", "-", "-"),
    Effect.MCP: ("-", "-", "?", "+", "-", "-", "-", "-"),
    Effect.DELEGATE: ("+", "+", "+", "+", "+", "+", "+", "+"),
    Effect.DELEGATE_WRITING: ("-", "+", "+", "+", "-", "-", "-", "-"),
    Effect.OWN_STATE: ("+", "+", "+", "+", "-", "-", "-", "-"),
    Effect.REMEMBER: ("?", "?", "?", "?", "-", "-", "-", "-"),
    Effect.SEND: ("-", "-", "?", "+", "-", "-", "-", "-"),
    Effect.LASTING: ("-", "?", "?", "?", "-", "-", "-", "-"),
    Effect.SCRIPT: ("+", "+", "+", "+", "-", "-", "-", "-"),
}
SIGN = {Verdict.ALLOW: "+", Verdict.ASK: "?", Verdict.REFUSE: "-"}
SWITCHED = {
    Effect.WEB: "network",
    Effect.BROWSER_LOOK: "browser",
    Effect.BROWSER_ACT: "browser",
    Effect.RUN: "exec",
    Effect.MCP: "mcp",
    Effect.REMEMBER: "memory",
}
CELLS = [
    (effect, tier, plan, TABLE[effect][index + 4 * plan])
    for effect in Effect
    for index, tier in enumerate(Tier)
    for plan in (False, True)
]


def test_the_table_has_every_effect():
    """R-SCH-8: no row is missing."""
    assert set(TABLE) == set(Effect)
    assert len(CELLS) == 17 * 4 * 2


@pytest.mark.parametrize(("effect", "tier", "plan", "expected"), CELLS)
def test_the_main_agent_gets_the_cell_of_the_table(effect, tier, plan, expected):
    """R-SCH-8, R-PERM-7, A01: tier and plan, all switches on."""
    decision = decide(Grant(tier=tier, plan=plan, switches=ALL_ON), effect, "tool")
    assert SIGN[decision.verdict] == expected


# What a child with each declared ability gets: never more than its parent, and only these effects (R-TASK-2, R-TASK-3).
CHILD = {
    (Effect.LOOK, "search"): "search",
    (Effect.LOOK, "read"): "read",
    (Effect.LOOK, "list"): "list",
    (Effect.LOOK_OUTSIDE, "read"): "read",
    (Effect.WEB, "read"): "web",
    (Effect.WEB, "search"): "web",
    (Effect.BROWSER_LOOK, "browser"): "browser-read",
    (Effect.PROPOSE, "edit"): "edit",
    (Effect.PROPOSE, "write"): "write",
}
EVERYTHING = frozenset({"search", "read", "list", "web", "browser-read", "edit", "write"})
TOOLS = (
    "search",
    "read",
    "list",
    "grep",
    "tool_result_read",
    "edit",
    "write",
    "exec",
    "browser",
    "task",
    "memory",
    "x.y",
)


@pytest.mark.parametrize(("tier", "plan"), list(itertools.product(Tier, (False, True))))
@pytest.mark.parametrize("effect", Effect)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_child_gets_its_role_within_its_parents_rights(effect, tool, tier, plan):
    """R-SCH-8 child column, R-TASK-2, A14: never exec, browser changes, MCP, task, memory or anything lasting."""
    child = Child(name="writer", tools=EVERYTHING)
    own = decide(Grant(tier=tier, plan=plan, switches=ALL_ON, child=child), effect, tool)
    parent = decide(Grant(tier=tier, plan=plan, switches=ALL_ON), effect, tool)
    reading = effect in (Effect.LOOK, Effect.LOOK_OUTSIDE) and tool in ("search", "read", "list")
    allowed = (
        reading
        or effect in (Effect.WEB, Effect.BROWSER_LOOK)
        or (effect is Effect.PROPOSE and tool in ("edit", "write"))
    )
    assert own.verdict is (parent.verdict if allowed else Verdict.REFUSE)
    if not allowed:
        assert own.code is Code.DENIED_BY_ROLE


@pytest.mark.parametrize(("row", "ability"), list(CHILD.items()))
def test_a_child_needs_the_ability_its_role_declares(row, ability):
    """R-TASK-3: without the declared word the same call is refused."""
    effect, tool = row
    grant = Grant(tier=Tier.FULL_AUTO, switches=ALL_ON)
    having = grant.model_copy(update={"child": Child(name="r", tools=frozenset({ability}))})
    lacking = grant.model_copy(update={"child": Child(name="r", tools=EVERYTHING - {ability})})
    assert decide(having, effect, tool).verdict is Verdict.ALLOW
    assert decide(lacking, effect, tool).code is Code.DENIED_BY_ROLE


@pytest.mark.parametrize(("effect", "switch"), list(SWITCHED.items()))
def test_a_switch_that_is_off_refuses(effect, switch):
    """R-PERM-4: network, browser, exec, MCP and memory have switches of their own; nothing else depends on them."""
    off = Grant(tier=Tier.FULL_AUTO, switches=ALL_ON.model_copy(update={switch: False}))
    decision = decide(off, effect, "tool")
    assert (decision.verdict, decision.code) == (Verdict.REFUSE, Code.FEATURE_OFF)
    assert decide(off.model_copy(update={"switches": ALL_ON}), effect, "tool").verdict is not Verdict.REFUSE


def test_by_default_only_exec_is_on():
    """R-PERM-4: network, browser and MCP are off, exec is on; R-PERM-1: a new session reads only."""
    assert Switches() == Switches(network=False, browser=False, exec=True, mcp=False, memory=False)
    assert Grant().tier is Tier.WORKSPACE_READONLY


@pytest.mark.parametrize("effect", [effect for effect in Effect if TABLE[effect][0] == "-"])
def test_a_refusal_by_tier_names_the_tier_that_is_needed(effect):
    """R-PERM-2: one approval cannot allow it; the message says that the person must change the tier."""
    decision = decide(Grant(tier=Tier.WORKSPACE_READONLY, switches=ALL_ON), effect, "tool")
    outside = effect is Effect.LOOK_OUTSIDE
    assert decision.code is (Code.OUTSIDE_WORKSPACE if outside else Code.DENIED_BY_TIER)
    assert "%orange tier" in decision.reason


@given(
    effect=st.sampled_from(list(Effect)),
    plan=st.booleans(),
    tool=st.sampled_from(TOOLS),
    switches=st.sampled_from([ALL_ON, ALL_OFF, Switches()]),
    pair=st.sampled_from([(low, high) for low in Tier for high in Tier if low.rank < high.rank]),
)
def test_a_wider_tier_never_refuses_what_a_narrower_one_allows(effect, plan, tool, switches, pair):
    """R-PERM-7: rights grow with the tier; plan mode and switches only narrow them."""
    rank = {Verdict.REFUSE: 0, Verdict.ASK: 1, Verdict.ALLOW: 2}
    low, high = (decide(Grant(tier=tier, plan=plan, switches=switches), effect, tool).verdict for tier in pair)
    assert rank[low] <= rank[high]
    without_plan = decide(Grant(tier=pair[0], switches=ALL_ON), effect, tool).verdict
    assert rank[low] <= rank[without_plan]
