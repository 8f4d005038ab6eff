"""Query parameters of the OpenAPI document, from the models that parse queries.

Does not belong here: parsing (`api.http.query.model`), or the schemas of values (`api.schemas.json_schema`).
"""

from api.http.query.model import QueryModel
from api.schemas.json_schema import Schema, parameter_schemas


def query_parameters(model: type[QueryModel]) -> list[Schema]:
    """The parameter objects of one operation, in the model's order."""
    return [_parameter_object(name, schema) for name, schema in parameter_schemas(model).items()]


def _parameter_object(name: str, schema: Schema) -> Schema:
    described: Schema = {
        "name": name,
        "in": "query",
        "required": schema.pop("required", False),
        "description": schema.pop("description"),
        "schema": schema,
    }
    if schema.get("type") == "array":
        described |= {"style": "form", "explode": False}
    if examples := schema.pop("examples", ()):
        described["example"] = examples[0]
    return described
