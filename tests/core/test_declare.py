"""What a model is told of the tools: R-PERM-7, R-SCH-1, R-SCH-2, R-SCH-8, R-SCH-9; case A01."""

from __future__ import annotations

import json

import pytest

from orange_jupyter.core.declare import declare
from orange_jupyter.core.grant import Child, Grant, Switches, Tier
from orange_jupyter.tools import TOOLS
from tests.core.stage import ALL_ON


def schemas(**grant):
    return {schema.name: schema.parameters for schema in declare(TOOLS, Grant(**grant))}


@pytest.mark.parametrize("tier", [Tier.WORKSPACE_READONLY, Tier.WORKSPACE_WRITE])
@pytest.mark.parametrize("plan", [False, True])
def test_a_workspace_tier_offers_no_way_outside(tier, plan):
    """R-SCH-8: a refused parameter value is missing from the schema; edit and write where they may propose."""
    offered = schemas(tier=tier, plan=plan, switches=ALL_ON)
    proposes = ["edit", "write"] if tier is Tier.WORKSPACE_WRITE and not plan else []
    assert sorted(offered) == sorted(["list", "read", "search", "tool_result_read", *proposes])
    assert "url" not in offered["read"]["properties"]
    assert offered["search"]["properties"]["target"]["enum"] == ["notes"]


def test_a_full_tier_with_the_network_on_offers_the_web():
    """R-SCH-8, R-PERM-4: and without the switch it does not."""
    on = schemas(tier=Tier.FULL_CONFIRM, switches=ALL_ON)
    off = schemas(tier=Tier.FULL_CONFIRM, switches=Switches())
    assert "url" in on["read"]["properties"]
    assert on["search"]["properties"]["target"]["enum"] == ["notes", "web"]
    assert "url" not in off["read"]["properties"]
    assert off["search"]["properties"]["target"]["enum"] == ["notes"]


def test_plan_mode_in_a_full_tier_keeps_the_web_and_nothing_else_outside():
    """R-PLAN-1."""
    offered = schemas(tier=Tier.FULL_AUTO, plan=True, switches=ALL_ON)
    assert "url" in offered["read"]["properties"]


def test_a_child_sees_its_roles_tools_only():
    """R-TASK-2, R-SCH-8."""
    offered = schemas(tier=Tier.FULL_AUTO, switches=ALL_ON, child=Child(name="r", tools=frozenset({"search", "list"})))
    assert sorted(offered) == ["list", "search"]
    assert offered["search"]["properties"]["target"]["enum"] == ["notes"]


def test_schemas_are_plain_stable_and_small():
    """Wire row 21, R-CTX-3: no $ref, no null, no title; the same bytes each time; strict objects."""
    first, second = (json.dumps([s.model_dump() for s in declare(TOOLS, Grant())]) for _ in range(2))
    assert first == second
    for word in ("$ref", "$defs", '"null"', '"title"', "effects"):
        assert word not in first
    assert len(first) < 6000
    whole = declare(TOOLS, Grant(tier=Tier.WORKSPACE_WRITE))
    assert len(json.dumps([schema.model_dump() for schema in whole])) < 7500
    assert all(schema.parameters["additionalProperties"] is False for schema in whole)


# name: (required, {parameter: (type, default, minimum, maximum)}) as 12-schemas.md has them.
BOUNDS = {
    "search": {"query": ("string", "", None, 1000), "limit": ("integer", 4, 1, 16)},
    "read": {
        "offset": ("integer", 0, 0, None),
        "limit": ("integer", 6000, 1, 8000),
        "page": ("integer", None, 1, None),
        "pageEnd": ("integer", None, 1, None),
        "block": ("integer", None, 1, None),
        "includeImages": ("string", "auto", None, None),
    },
    "list": {"depth": ("integer", None, 1, None), "limit": ("integer", 120, 1, 120)},
    "tool_result_read": {"offset": ("integer", 0, 0, None), "limit": ("integer", 12000, 1, None)},
    "edit": {
        "oldText": ("string", None, None, 5_242_880),
        "newText": ("string", None, None, 5_242_880),
        "occurrence": ("integer", None, 1, None),
        "content": ("string", None, None, 5_242_880),
    },
    "write": {"content": ("string", None, None, 5_242_880)},
    "exec": {"command": ("string", None, None, 100_000), "timeoutSeconds": ("integer", 120, 5, 1_800)},
}


@pytest.mark.parametrize(("tool", "parameters"), list(BOUNDS.items()))
def test_names_types_defaults_and_bounds_are_those_of_the_specification(tool, parameters):
    """R-SCH-1, R-SCH-2: a snapshot against 12-schemas.md."""
    properties = schemas(tier=Tier.FULL_AUTO if tool == "exec" else Tier.WORKSPACE_WRITE)[tool]["properties"]
    for name, (kind, default, low, high) in parameters.items():
        schema = properties[name]
        assert schema["type"] == kind
        assert schema.get("default") == default
        assert schema.get("minimum") == low
        assert schema.get("maximum", schema.get("maxLength")) == high


def test_the_parameters_are_exactly_those_that_work_now():
    """R-SCH-1: nothing is declared that does nothing."""
    names = {name: sorted(parameters["properties"]) for name, parameters in schemas(tier=Tier.WORKSPACE_WRITE).items()}
    assert names == {
        "search": [
            "fileTypes",
            "knowledgeBaseIds",
            "limit",
            "path",
            "pathPrefix",
            "query",
            "tags",
            "target",
            "updatedAfter",
            "updatedBefore",
        ],
        "read": ["block", "fileId", "heading", "includeImages", "limit", "offset", "page", "pageEnd", "path", "view"],
        "list": ["cursor", "depth", "fileType", "limit", "path", "prefix", "query"],
        "tool_result_read": ["limit", "offset", "ref"],
        "edit": [
            *("content", "destination", "destinationKnowledgeBaseId", "edits", "fileId", "newText"),
            *("occurrence", "oldText", "operation", "operationId", "path"),
        ],
        "write": ["content", "kind", "knowledgeBaseId", "targetPath"],
    }


def test_edit_and_write_take_what_the_specification_says():
    """R-SCH-1, R-EDIT-0, R-WRIT-0: operations, required fields, and 1 to 100 edits."""
    edit, write = (schemas(tier=Tier.WORKSPACE_WRITE)[name] for name in ("edit", "write"))
    kinds = ["replace", "append", "multi_replace", "rewrite", "move", "rename", "delete", "withdraw"]
    assert (edit["properties"]["operation"]["enum"], edit["required"]) == (kinds, ["operation"])
    edits = edit["properties"]["edits"]
    assert (edits["minItems"], edits["maxItems"], edits["items"]["required"]) == (1, 100, ["oldText", "newText"])
    assert (write["properties"]["kind"]["enum"], sorted(write["required"])) == (
        ["file", "folder"],
        ["kind", "targetPath"],
    )
