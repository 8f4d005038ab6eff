"""Writes `src/firmdata/models.py` from the OpenAPI document: `python generate_models.py openapi.json models.py`.

The document's limits (lengths, patterns, ranges) bind the service. A client that checked them would refuse answers of a
later version that allows more, so they are taken away; closed sets of words are plain text for the same reason.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any, Final

from datamodel_code_generator import DataModelType, InputFileType, generate
from datamodel_code_generator.enums import OpenAPIScope
from datamodel_code_generator.format import Formatter, PythonVersion

LIMITS: Final = frozenset(
    {
        *(
            "multipleOf",
            "maxLength",
            "minLength",
            "pattern",
            "maximum",
            "minimum",
            "exclusiveMaximum",
            "exclusiveMinimum",
        ),
        *("maxItems", "minItems", "uniqueItems", "enum", "const", "x-extensible-enum", "additionalProperties"),
        *("example", "examples"),
    }
)
HEADER: Final = '''"""Objects of the API, generated from its OpenAPI document: do not edit (`make generate`)."""'''


def without_limits(schema: Any) -> Any:
    """A schema without limits of its values; members that are named like limits stay."""
    if isinstance(schema, list):
        return [without_limits(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: value for name, value in schema.items() if name not in LIMITS}
    if schema.get("format") == "uri":
        kept.pop("format")  # text is kept as it is sent
    return {
        name: {key: without_limits(one) for key, one in value.items()}
        if name == "properties"
        else without_limits(value)
        for name, value in kept.items()
    }


def with_later_kinds(schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas; each extensible choice of objects has, last, one for the kinds of a later version."""
    found: dict[str, Any] = {}
    for owner, schema in schemas.items():
        for member, choice in schema.get("properties", {}).items():
            if choice.get("x-extensible"):
                name = f"Later{owner}{member.title()}"
                found[name] = later_kind(member, [schemas[one["$ref"].rpartition("/")[2]] for one in choice["anyOf"]])
                choice["anyOf"].append({"$ref": f"#/components/schemas/{name}"})
        found[owner] = schema
    return found


def later_kind(member: str, known: list[dict[str, Any]]) -> dict[str, Any]:
    """The schema of an object with what all known kinds have; more that it has is kept as it is."""
    first, *others = known
    return {
        "type": "object",
        "description": f"`{member}` of a kind that a later version has: what is its own are extra members.",
        "properties": {
            name: schema
            for name, schema in first["properties"].items()
            if all(name in other["properties"] for other in others)
        },
        "required": [name for name in first["required"] if all(name in other["required"] for other in others)],
    }


def render_models(document: dict[str, Any]) -> str:
    """The module's text."""
    schemas = {name: without_limits(one) for name, one in document["components"]["schemas"].items()}
    schemas = with_later_kinds(schemas)
    plain = {**document, "components": {"schemas": schemas}, "paths": {}, "webhooks": {}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = generate(
            json.dumps(plain),
            input_file_type=InputFileType.OpenAPI,
            output_model_type=DataModelType.PydanticV2BaseModel,
            openapi_scopes=[OpenAPIScope.Schemas],
            target_python_version=PythonVersion.PY_310,
            use_standard_collections=True,
            use_union_operator=True,
            use_schema_description=True,
            use_field_description=True,
            snake_case_field=False,
            allow_population_by_field_name=True,
            extra_fields="allow",
            disable_timestamp=True,
            custom_file_header=HEADER,
            formatters=[Formatter.BLACK, Formatter.ISORT],
        )
    return f"{written}".rstrip() + "\n"


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(render_models(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")
