"""Parameter objects of the OpenAPI document: those of queries come from the models that parse them.

Does not belong here: parsing (`api.http.query.model`), or the schemas of values (`api.schemas.json_schema`).
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from api.http.query.model import QueryModel
from api.schemas.json_schema import Schema, field_schemas, parameter_schemas


def parameter_object(
    name: str, place: str, schema: Schema, description: str, *, required: bool, example: Any = None
) -> Schema:
    """One parameter in `place`; without an example if that is None."""
    described: Schema = {"name": name, "in": place, "required": required, "description": description, "schema": schema}
    return described if example is None else described | {"example": example}


def header_parameters(headers: Mapping[str, tuple[Any, Any]], required: Collection[str] = ()) -> dict[str, Schema]:
    """The parameter objects of headers, by name: of each its declared field and an example."""
    schemas = field_schemas({name: field for name, (field, _) in headers.items()})
    return {
        name: parameter_object(
            name, "header", schema, schema.pop("description"), required=name in required, example=headers[name][1]
        )
        for name, schema in schemas.items()
    }


def header_references(names: Iterable[str]) -> list[Schema]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def query_parameters(model: type[QueryModel]) -> list[Schema]:
    """The parameter objects of one operation, in the model's order."""
    return [_query_parameter(name, schema) for name, schema in parameter_schemas(model).items()]


def _query_parameter(name: str, schema: Schema) -> Schema:
    text, required, examples = schema.pop("description"), schema.pop("required", False), schema.pop("examples", [None])
    described = parameter_object(name, "query", schema, text, required=required, example=examples[0])
    return described | ({"style": "form", "explode": False} if schema.get("type") == "array" else {})
