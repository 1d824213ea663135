"""How tools are declared to a model and how its arguments are parsed: JSON Schema out, frozen values in.

A tool that the policy refuses is not declared; a parameter or value with a refused effect is cut from its schema
(R-PERM-7, R-SCH-8). The same `decide` gates execution again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orange_jupyter.core.codes import Code
from orange_jupyter.core.errors import ArgumentError
from orange_jupyter.core.grant import Effect, Grant
from orange_jupyter.core.messages import ToolSchema
from orange_jupyter.core.policy import Verdict, decide
from orange_jupyter.core.tool import Arguments, Tool

A = TypeVar("A", bound=Arguments)
_DROPPED = frozenset({"title", "effects"})


def declare(tools: Iterable[Tool[Any]], grant: Grant) -> tuple[ToolSchema, ...]:
    """The schemas that a model gets under `grant`, sorted by name so that prompts stay byte-stable."""
    declared = [_declare_one(tool, grant) for tool in tools if _allowed(grant, tool.effects, tool.name)]
    return tuple(sorted(declared, key=lambda schema: schema.name))


def _allowed(grant: Grant, effects: Iterable[Effect], tool: str) -> bool:
    return any(decide(grant, effect, tool).verdict is not Verdict.REFUSE for effect in effects)


def _declare_one(tool: Tool[Any], grant: Grant) -> ToolSchema:
    whole = tool.arguments.model_json_schema()
    definitions = whole.pop("$defs", {})
    properties = {
        name: _plain(_trimmed(schema, grant, tool.name), definitions)
        for name, schema in whole["properties"].items()
        if not _refused(schema.get("effects"), grant, tool.name)
    }
    parameters: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    required = [name for name in whole.get("required", []) if name in properties]
    if required:
        parameters["required"] = required
    return ToolSchema(name=tool.name, description=tool.description, parameters=parameters)


def _refused(effects: Any, grant: Grant, tool: str) -> bool:
    """Whether a whole parameter has an effect that is refused; a mapping names values, not the parameter."""
    return isinstance(effects, str) and not _allowed(grant, (Effect(effects),), tool)


def _trimmed(schema: dict[str, Any], grant: Grant, tool: str) -> dict[str, Any]:
    """An enum without the values whose effect is refused."""
    effects = schema.get("effects")
    if not isinstance(effects, dict) or "enum" not in schema:
        return schema
    kept = [value for value in schema["enum"] if value not in effects or not _refused(effects[value], grant, tool)]
    return schema | {"enum": kept}


def _plain(schema: Any, definitions: dict[str, Any]) -> Any:
    """`$defs` inlined, `null` alternatives and titles dropped: what every server understands (wire row 21)."""
    if isinstance(schema, list):
        return [_plain(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _plain(
            definitions[schema["$ref"].rsplit("/", 1)[1]] | {k: v for k, v in schema.items() if k != "$ref"},
            definitions,
        )
    if "anyOf" in schema:
        real = [item for item in schema["anyOf"] if item.get("type") != "null"]
        if len(real) == 1:
            rest = {key: value for key, value in schema.items() if key != "anyOf"}
            return _plain(real[0] | rest, definitions)
    return {
        key: _plain(value, definitions)
        for key, value in schema.items()
        if key not in _DROPPED and not (key == "default" and value is None)
    }


def parse(arguments: type[A], given: dict[str, Any], tool: str) -> A:
    """Validate a call's arguments strictly. Raises ArgumentError invalid_argument with field, value and bounds."""
    try:
        return arguments.model_validate_json(json.dumps(given))
    except ValidationError as error:
        raise _argument_error(error.errors(include_url=False)[0], arguments, tool) from None


def _has_own_effect(extra: Any) -> bool:
    """Whether a parameter exists only under an effect that most sessions do not have, such as the web."""
    return isinstance(extra, dict) and isinstance(extra.get("effects"), str)


def _argument_error(error: ErrorDetails, arguments: type[Arguments], tool: str) -> ArgumentError:
    field = ".".join(str(part) for part in error["loc"]) or "arguments"
    details: dict[str, Any] = {"field": field}
    if error["type"] == "missing":
        return ArgumentError(Code.INVALID_ARGUMENT, f"{tool} needs `{field}`.", details=details)
    if error["type"] == "extra_forbidden":
        fields = {field.alias or name: field.json_schema_extra for name, field in arguments.model_fields.items()}
        names = sorted(name for name, extra in fields.items() if not _has_own_effect(extra))
        return ArgumentError(
            Code.INVALID_ARGUMENT,
            f"{tool} has no parameter `{field}`.",
            hint=f"Its parameters: {', '.join(names)}.",
            details=details,
        )
    value = error.get("input")
    if isinstance(value, str | int | float | bool):
        strict = not isinstance(value, float) or math.isfinite(value)
        details["value"] = value if strict and len(str(value)) <= 200 else f"{str(value)[:200]}…"
    bounds = {key: item for key, item in error.get("ctx", {}).items() if isinstance(item, str | int | float)}
    if bounds:
        details["bounds"] = bounds
    reason = error["msg"].removeprefix("Value error, ")
    return ArgumentError(Code.INVALID_ARGUMENT, f"{tool}: `{field}`: {reason}.", details=details)
