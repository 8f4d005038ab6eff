"""Combines each step of the scenario with its OpenAPI operation: everything a collection format contains.

Also the description of a collection, and the variables that users may set. Does not belong here: variables that
requests pass on to later ones (`api.collections.scenario`), the file formats (`api.collections.postman`,
`api.collections.bruno`).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.collections.account_scenario import EXPORTS, REPEATABLE, WATCHLISTS, WEBHOOKS
from api.collections.scenario import (
    COMPANIES,
    EVENTS,
    FILINGS,
    FINANCIALS,
    GROUP,
    LOOKUPS,
    OWNERSHIP,
    RECONCILIATION,
    SERVICE,
    ScenarioStep,
)

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


WALK: Final[tuple[ScenarioStep, ...]] = (
    *SERVICE,
    *COMPANIES,
    *EVENTS,
    *FINANCIALS,
    *FILINGS,
    *OWNERSHIP,
    *LOOKUPS,
    *RECONCILIATION,
    *GROUP,
    *EXPORTS,
    *WATCHLISTS,
    *WEBHOOKS,
)
JSON: Final = "application/json"
_OF_LARGE_TIERS: Final = {
    "/api/v1/webhooks": "Pro or Business",
    "/api/v1/events": "Pro or Business",
    "/api/v1/exports": "Business",
}


@dataclass(frozen=True, slots=True)
class QueryParameter:
    name: str
    value: str
    is_sent: bool
    description: str


@dataclass(frozen=True, slots=True)
class CollectionRequest:
    """One request of a collection. `{{name}}` is the placeholder of a variable in all texts that are sent."""

    folder: str
    name: str
    method: str
    path: str
    query: tuple[QueryParameter, ...]
    headers: Mapping[str, str]
    body: str | None
    form: Mapping[str, str]
    """Fields of a body that is a form; empty if it is none."""
    is_public: bool
    needs_tier: bool
    description: str
    status: int
    response_members: Fields | None
    """None if there is nothing to check: no body, or one without declared members."""
    rows: Fields | None
    response_headers: tuple[str, ...]
    example: Any
    step: ScenarioStep

    @property
    def url(self) -> str:
        """Its URL with the parameters that are sent."""
        query = "&".join(f"{one.name}={one.value}" for one in self.query if one.is_sent)
        return f"{{{{base_url}}}}{self.path}" + (f"?{query}" if query else "")


def scenario_steps(document: Schema) -> list[ScenarioStep]:
    """The scenario, then each other operation with a body, as the document's example sends it.

    One with a parameter in its path, or that reads what others left, needs a step that says where its values come from.
    """
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    named = {step.operation_id for step in WALK}
    others = [one for one in operations if one["operationId"] not in named and "requestBody" in one]
    return [*WALK, *map(_example_step, others)]


def _example_step(operation: Schema) -> ScenarioStep:
    is_repeatable = {"$ref": "#/components/parameters/Idempotency-Key"} in operation.get("parameters", ())
    body = operation["requestBody"]["content"][JSON]["example"]
    return ScenarioStep(operation["operationId"], headers=REPEATABLE if is_repeatable else {}, body=body)


def collection_requests(document: Schema) -> list[CollectionRequest]:
    """All requests, folder by folder in the order of the scenario."""
    places = {
        operation["operationId"]: (path, method)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }
    return [_build_request(step, *places[step.operation_id], document) for step in scenario_steps(document)]


def folder_descriptions(document: Schema) -> dict[str, str]:
    """Names and descriptions of the folders, in the order of the scenario."""
    texts = {tag["name"]: tag["description"] for tag in document["tags"]}
    return {name: texts[name] for name in dict.fromkeys(one.folder for one in collection_requests(document))}


def _build_request(step: ScenarioStep, path: str, method: str, document: Schema) -> CollectionRequest:
    operation = document["paths"][path][method]
    success = next(int(status) for status in operation["responses"] if status.startswith("2"))
    status = step.status or success
    answer = operation["responses"][str(status)]
    content = answer.get("content", {}).get(JSON)
    components = document["components"]
    tiers = next((named for below, named in _OF_LARGE_TIERS.items() if path.startswith(below)), None)
    tier_note = "" if tiers is None else f"Needs the {tiers} tier; others are answered 403 `tier_required`."
    return CollectionRequest(
        folder=operation["tags"][0],
        name=step.name or operation["summary"],
        method=method.upper(),
        path=re.sub(r"{(\w+)}", lambda found: f"{{{{{step.path_variables[found[1]]}}}}}", path),
        query=tuple(_query_parameters(operation.get("parameters", ()), step.query)),
        headers=step.headers,
        body=None if step.body is None else json.dumps(step.body, indent=2, ensure_ascii=False),
        form=step.form,
        is_public={} in operation.get("security", ()),
        needs_tier=tiers is not None,
        description="\n\n".join(filter(None, (operation["description"], step.note, tier_note))),
        status=status,
        response_members=None if content is None else required_members(content["schema"], components),
        rows=None if content is None else row_members(content["schema"], components),
        response_headers=tuple(_required_headers(answer["headers"], components["headers"])),
        example=None if content is None else content.get("example"),
        step=step,
    )


def _query_parameters(parameters: Sequence[Schema], sent: Mapping[str, str]) -> Iterator[QueryParameter]:
    for parameter in parameters:
        if parameter.get("in") == "query":
            name = parameter["name"]
            value = sent.get(name, str(parameter.get("example", "")))
            yield QueryParameter(name, value, name in sent, parameter["description"])


def _required_headers(headers: Schema, components: Schema) -> Iterator[str]:
    """Headers that are required on every such response."""
    for name, header in headers.items():
        if components[header["$ref"].rpartition("/")[2]].get("required", False):
            yield name


@dataclass(frozen=True, slots=True)
class CollectionVariable:
    name: str
    value: str
    description: str
    is_secret: bool = False


VARIABLES: Final = (
    CollectionVariable(
        "base_url", "http://127.0.0.1:8000", "Base URL of the service; the default is that of `make run`."
    ),
    CollectionVariable(
        "company_id", "", "Company to request, for example firm:SE:5599999991; if empty, the first one found."
    ),
    CollectionVariable(
        "endpoint_url", "", "URL that receives deliveries; if empty, requests that need a subscription are skipped."
    ),
    CollectionVariable("delivery_subscription_id", "", "The subscription of `delivery_id`."),
    CollectionVariable("delivery_id", "", "Delivery to read and retry; if empty, the newest one."),
    CollectionVariable("key", "", "A secret key: firm_live_…", is_secret=True),
)
ABOUT: Final = """\
Every operation of the API, made from its OpenAPI document (/api/openapi.json), with checks of every answer. \
Generated: changes here are overwritten.

Set `key` to a secret key and `base_url` to the service, then send single requests or run the whole from top to \
bottom: each request keeps what later ones need (a company, a cursor, a subscription), and what lacks something is \
skipped.

Requests on webhooks need the tier Pro or Business and, in `endpoint_url`, an https address of yours. The \
subscription that a run makes is deleted at its end.\
"""
