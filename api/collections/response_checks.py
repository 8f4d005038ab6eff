"""Extracts the response members and their types that a collection's scripts check.

Does not belong here: the scripts (`api.collections.scripts`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Schema = Mapping[str, Any]
Fields = dict[str, str]
"""Names of members with their allowed JSON types, such as `string null`."""

_KINDS: Final = {"integer": "number"}


def required_members(schema: Schema, components: Schema) -> Fields:
    """The required members of an object. Of alternatives the first is used, which is the complete object."""
    resolved = _resolve_schema(schema, components)
    properties = resolved.get("properties", {})
    return {
        name: " ".join(dict.fromkeys(_json_types(properties[name], components)))
        for name in resolved.get("required", ())
    }


def row_members(schema: Schema, components: Schema) -> Fields | None:
    """The members of every row, if the schema is that of a list."""
    data = _resolve_schema(schema, components).get("properties", {}).get("data", {})
    return required_members(data["items"], components) if "items" in data else None


def _resolve_schema(schema: Schema, components: Schema) -> Schema:
    if "anyOf" in schema:
        return _resolve_schema(schema["anyOf"][0], components)
    return _resolve_schema(_resolve_ref(schema["$ref"], components), components) if "$ref" in schema else schema


def _json_types(schema: Schema, components: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield from _json_types(_resolve_ref(schema["$ref"], components), components)
    for alternative in schema.get("anyOf", ()):
        yield from _json_types(alternative, components)
    told = schema.get("type", ())
    for kind in (told,) if isinstance(told, str) else told:
        yield _KINDS.get(kind, kind)


def _resolve_ref(reference: str, components: Schema) -> Schema:
    return components["schemas"][reference.rpartition("/")[2]]
