"""Parameter objects of the OpenAPI document: those of queries come from the models that parse them.

Does not belong here: parsing (`api.http.query.model`), or the schemas of values (`api.schemas.json_schema`).
"""

from typing import Any

from api.http.query.model import QueryModel
from api.schemas.json_schema import Schema, parameter_schemas


def parameter_object(
    name: str, place: str, schema: Schema, description: str, *, required: bool, example: Any = None
) -> Schema:
    """One parameter in `place`; without an example if that is None."""
    described: Schema = {"name": name, "in": place, "required": required, "description": description, "schema": schema}
    return described if example is None else described | {"example": example}


def query_parameters(model: type[QueryModel]) -> list[Schema]:
    """The parameter objects of one operation, in the model's order."""
    return [_query_parameter(name, schema) for name, schema in parameter_schemas(model).items()]


def _query_parameter(name: str, schema: Schema) -> Schema:
    text, required, examples = schema.pop("description"), schema.pop("required", False), schema.pop("examples", [None])
    described = parameter_object(name, "query", schema, text, required=required, example=examples[0])
    return described | ({"style": "form", "explode": False} if schema.get("type") == "array" else {})
