"""JSON Schemas as every server takes them: references inlined, nothing that only some understand (wire row 21)."""

from __future__ import annotations

from typing import Any

_UNSUPPORTED = frozenset({"$schema", "$id", "$comment", "$defs", "definitions", "discriminator", "examples"})
_SHAPE = ("type", "properties", "required", "items", "enum", "const", "anyOf", "oneOf", "additionalProperties")
_MAPS_OF_SCHEMAS = frozenset({"properties", "patternProperties"})


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without `$ref` and `$defs`; a schema that refers to itself ends in an open object there."""
    definitions = {**schema.get("definitions", {}), **schema.get("$defs", {})}
    plain = _plain(schema, definitions, ())
    result: dict[str, Any] = {"type": "object", "properties": {}} | (plain if isinstance(plain, dict) else {})
    return result


def structural(schema: dict[str, Any]) -> dict[str, Any]:
    """The shape alone: what every server can turn into a grammar. Patterns, formats and bounds are checked here."""
    shape = _shape(portable(schema))
    result: dict[str, Any] = shape
    return result


def _shape(node: Any) -> Any:
    if isinstance(node, list):
        return [_shape(inner) for inner in node]
    if not isinstance(node, dict):
        return node
    kept = {key: node[key] if key in ("enum", "const") else _shape(node[key]) for key in _SHAPE if key in node}
    if isinstance(node.get("properties"), dict):
        kept["properties"] = {name: _shape(inner) for name, inner in node["properties"].items()}
    return kept


def _plain(node: Any, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_plain(inner, definitions, inside) for inner in node]
    if not isinstance(node, dict):
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        return _resolved(node, reference.rpartition("/")[2], definitions, inside)
    return {
        key: _members(value, definitions, inside)
        if key in _MAPS_OF_SCHEMAS and isinstance(value, dict)
        else _plain(value, definitions, inside)
        for key, value in node.items()
        if key not in _UNSUPPORTED
    }


def _members(members: dict[str, Any], definitions: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    """Properties by name: a property may be called `examples` or `$id`."""
    return {name: _plain(inner, definitions, inside) for name, inner in members.items()}


def _resolved(node: dict[str, Any], name: str, definitions: dict[str, Any], inside: tuple[str, ...]) -> Any:
    beside = {key: value for key, value in node.items() if key != "$ref"}
    if name in inside or name not in definitions:
        return {"type": "object"} | _plain(beside, definitions, inside)
    target = _plain(definitions[name], definitions, (*inside, name))
    return target | _plain(beside, definitions, inside) if isinstance(target, dict) else target
