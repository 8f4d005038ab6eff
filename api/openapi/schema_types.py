"""Schemas of single values in the OpenAPI document: parameters of paths, and headers.

Does not belong here: objects (models, `api.schemas.json_schema`).
"""

from collections.abc import Mapping
from typing import Any

from pydantic import create_model

from api.schemas.declare import id_pattern
from api.schemas.json_schema import Schema, parameter_schemas, schema_reference

__all__ = ["Schema", "field_schemas", "schema_reference", "ulid_schema"]


def field_schemas(fields: Mapping[str, Any]) -> dict[str, Schema]:
    """The schemas of fields by name; their bounds say whether they are numbers or texts."""
    members: dict[str, Any] = {name: (_type_of(field), field) for name, field in fields.items()}
    return parameter_schemas(create_model("Fields", **members))


def ulid_schema(prefix: str, description: str) -> Schema:
    """A prefixed ULID."""
    return {"type": "string", "description": description, "maxLength": 30, "pattern": id_pattern(prefix)}


def _type_of(field: Any) -> type:
    return int if any(hasattr(mark, "ge") for mark in field.metadata) else str
