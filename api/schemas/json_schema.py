"""JSON schema of models, in the style of the OpenAPI document: null as a type, widths of integers, no titles.

Does not belong here: fields (`api.schemas.declare`), or the document (`api.openapi_document`).
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import BaseModel, create_model
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core import core_schema

Schema = dict[str, Any]
_REFERENCE: Final = "#/components/schemas/{model}"
_INT32: Final = 2**31
_ORDER: Final = (
    *("type", "description", "anyOf", "properties", "additionalProperties", "required", "items", "format"),
    *("minimum", "maximum", "minItems", "maxItems", "uniqueItems"),
)
"""Keywords in the document's order; others follow."""
_OR_NULL: Final = ["null"]
"""The type beside a reference to an object that may be null, until the object stands there."""


def schema_reference(model: type[BaseModel]) -> Schema:
    return {"$ref": _REFERENCE.format(model=model.__name__)}


def component_schemas(models: Iterable[type[BaseModel]], inlined: Iterable[type[BaseModel]]) -> dict[str, Schema]:
    """`components.schemas` of models and of those that they have; `inlined` and private ones stand inside these."""
    _, found = models_json_schema(
        [(model, "validation") for model in dict.fromkeys(models)],
        ref_template=_REFERENCE,
        schema_generator=_ComponentSchema,
    )
    schemas: dict[str, Schema] = found["$defs"]
    hidden = {model.__name__ for model in inlined}
    inside = {name: one for name, one in schemas.items() if name in hidden or name.startswith("_")}
    by_reference = {_REFERENCE.format(model=name): one for name, one in inside.items()}
    return {name: _with_inlined(one, by_reference) for name, one in schemas.items() if name not in inside}


def parameter_schemas(model: type[BaseModel]) -> dict[str, Schema]:
    """Schemas of a model's fields by name, as parameters: absent instead of null."""
    return model.model_json_schema(schema_generator=_ParameterSchema).get("properties", {})


def field_schemas(fields: Mapping[str, Any]) -> dict[str, Schema]:
    """The schemas of fields by name; their bounds say whether they are numbers or texts."""
    members: dict[str, Any] = {name: (_type_of(field), field) for name, field in fields.items()}
    return parameter_schemas(create_model("Fields", **members))


def _type_of(field: Any) -> type:
    return int if any(hasattr(mark, "ge") for mark in field.metadata) else str


def _with_inlined(value: Any, schemas: dict[str, Schema]) -> Any:
    """A schema that contains these schemas instead of references to them."""
    if isinstance(value, list):
        return [_with_inlined(one, schemas) for one in value]
    if not isinstance(value, dict):
        return value
    if value.get("$ref") in schemas:
        found = _with_inlined(schemas[value["$ref"]], schemas)
        described = {"description": value["description"]} if "description" in value else {}
        null = {"type": [found["type"], "null"]} if value.get("type") == _OR_NULL else {}
        return found | described | null
    return {key: _with_inlined(one, schemas) for key, one in value.items()}


class _ComponentSchema(GenerateJsonSchema):
    """An object in a body."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        inner = self.generate_inner(schema["schema"])
        if "$ref" in inner:
            return inner | {"type": _OR_NULL}
        if "anyOf" in inner:
            return {"anyOf": [*inner["anyOf"], {"type": "null"}]}
        return inner | {"type": [inner["type"], "null"]}

    def int_schema(self, schema: core_schema.IntSchema) -> JsonSchemaValue:
        low, high = schema.get("ge"), schema.get("le")
        if low is None or high is None:
            raise ValueError("an integer lacks bounds")
        return super().int_schema(schema) | {"format": "int32" if low >= -_INT32 and high < _INT32 else "int64"}

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        described = super().dict_schema(schema)
        return described | ({"additionalProperties": {}} if described["additionalProperties"] is True else {})

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        words = schema["expected"]
        return {"type": ["string", "null"] if None in words else "string", "enum": words}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        described = super().default_schema(schema)
        if not described.get("default"):
            described.pop("default", None)
        return described

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described = super().model_schema(schema)
        described.pop("title", None)
        return described

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 -- named by pydantic
        return False

    def sort(self, value: JsonSchemaValue, parent_key: str | None = None) -> JsonSchemaValue:  # noqa: ARG002
        return {key: _sorted(one, is_named=key in ("$defs", "properties")) for key, one in value.items()}


class _ParameterSchema(_ComponentSchema):
    """The parameters of a query."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        words = [word for word in schema["expected"] if word is not None]
        return super().literal_schema(core_schema.literal_schema(words))


def _sorted(value: Any, *, is_named: bool = False) -> Any:
    """A schema with its keywords in the document's order; `is_named`: its keys are names of properties."""
    if isinstance(value, list):
        return [_sorted(one) for one in value]
    if not isinstance(value, dict):
        return value
    keys = value if is_named else sorted(value, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))
    return {key: _sorted(value[key], is_named=key == "properties" and not is_named) for key in keys}
