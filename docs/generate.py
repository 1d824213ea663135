"""Writes docs/reference.md from the code itself: tools, the policy's table, error codes. `--check` only compares."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from orange_jupyter.core.codes import Code
from orange_jupyter.core.grant import Effect, Grant, Switches, Tier
from orange_jupyter.core.policy import Verdict, decide
from orange_jupyter.tools import TOOLS

TARGET = Path(__file__).parent / "reference.md"
ALL_ON = Switches(network=True, browser=True, exec=True, mcp=True, memory=True)
SIGNS = {Verdict.ALLOW: "✓", Verdict.ASK: "?", Verdict.REFUSE: "–"}


def reference() -> str:
    """The whole page."""
    return "\n".join(
        [
            "# Reference",
            "",
            "Written by `make docs` from the code; do not edit.",
            "",
            *tools(),
            *policy(),
            *codes(),
        ]
    )


def tools() -> list[str]:
    """A table of parameters for each tool."""
    lines = ["## Tools", ""]
    for tool in TOOLS:
        lines += [
            f"### {tool.name}",
            "",
            tool.description,
            "",
            "| parameter | type, bounds | meaning |",
            "|---|---|---|",
        ]
        schema = tool.arguments.model_json_schema()
        for name, field in schema["properties"].items():
            star = "*" if name in schema.get("required", ()) else ""
            lines.append(f"| `{name}`{star} | {kind(field, schema)} | {field.get('description', '')} |")
        lines.append("")
    return lines


def kind(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """A parameter's type, bounds and default in words."""
    if "$ref" in field:
        return kind(schema["$defs"][field["$ref"].rsplit("/", 1)[-1]] | {"default": field.get("default")}, schema)
    options = [option for option in field.get("anyOf", [field]) if option.get("type") != "null"]
    words = " or ".join(_one(option, schema) for option in options)
    default = field.get("default")
    return words if default in (None, [], "") else f"{words}; {default}"


def _one(option: dict[str, Any], schema: dict[str, Any]) -> str:
    if "$ref" in option:
        option = schema["$defs"][option["$ref"].rsplit("/", 1)[-1]]
    if "enum" in option:
        return " · ".join(f"`{value}`" for value in option["enum"])
    if option.get("type") == "array":
        return f"list of {_one(option['items'], schema)}"
    bounds = [
        f"{sign} {option[key]:,}"
        for key, sign in (("minimum", "≥"), ("maximum", "≤"), ("maxLength", "≤"))
        if key in option
    ]
    return " ".join([str(option.get("type", "value")), ", ".join(bounds)]).strip()


def policy() -> list[str]:
    """What the one policy answers for each effect in each tier, with every feature switch on."""
    tiers = list(Tier)
    lines = [
        "## Policy",
        "",
        "✓ allowed, ? asks, – refused; with every feature switch on. Web, browser and MCP are off unless the person's",
        "own settings switch them on. The table also decides on tools that do not exist yet.",
        "",
        f"| effect | {' | '.join(tiers)} | {' | '.join(f'plan, {tier}' for tier in tiers)} |",
        "|---" * (1 + 2 * len(tiers)) + "|",
    ]
    for effect in Effect:
        cells = [sign(effect, tier, plan=plan) for plan in (False, True) for tier in tiers]
        lines.append(f"| {effect} | {' | '.join(cells)} |")
    return [*lines, ""]


def sign(effect: Effect, tier: Tier, *, plan: bool) -> str:
    """One cell of the table."""
    return SIGNS[decide(Grant(tier=tier, plan=plan, switches=ALL_ON), effect, "tool").verdict]


def codes() -> list[str]:
    """The closed list of error codes."""
    return ["## Error codes", "", "A failed call has one of: " + ", ".join(f"`{code}`" for code in Code) + ".", ""]


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` say whether it is what the code says."""
    text = reference()
    if "--check" not in arguments:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.is_file() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("docs/reference.md is not what the code says: run `make docs`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
