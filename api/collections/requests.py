"""Combines each step of the scenario with its OpenAPI operation: everything a collection format contains.

Does not belong here: the file formats (`api.collections.postman`, `api.collections.bruno`).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from api.collections.response_checks import Fields, Schema, required_members, row_members
from api.collections.scenario import COMPANIES, EVENTS, FINANCIALS, OWNERSHIP, SERVICE, ScenarioStep
from api.collections.webhook_scenario import WEBHOOKS

WALK: Final[tuple[ScenarioStep, ...]] = (*COMPANIES, *EVENTS, *FINANCIALS, *OWNERSHIP, *SERVICE, *WEBHOOKS)
JSON: Final = "application/json"
_OF_WEBHOOKS: Final = "/api/v1/webhooks"
_TIERS: Final = "Needs the Pro or Business tier; others are answered 403 `tier_required`."


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


def collection_requests(document: Schema) -> list[CollectionRequest]:
    """All requests, folder by folder in the order of the scenario."""
    places = {operation["operationId"]: (path, method) for path, method, operation in _iterate_operations(document)}
    return [_build_request(step, *places[step.operation_id], document) for step in WALK]


def folder_descriptions(document: Schema) -> dict[str, str]:
    """Names and descriptions of the folders, in the document's order."""
    return {tag["name"]: tag["description"] for tag in document["tags"]}


def _iterate_operations(document: Schema) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _build_request(step: ScenarioStep, path: str, method: str, document: Schema) -> CollectionRequest:
    operation = document["paths"][path][method]
    success = next(int(status) for status in operation["responses"] if status.startswith("2"))
    status = step.status or success
    answer = operation["responses"][str(status)]
    content = answer.get("content", {}).get(JSON)
    components = document["components"]
    needs_tier = path.startswith(_OF_WEBHOOKS)
    return CollectionRequest(
        folder=operation["tags"][0],
        name=step.name or operation["summary"],
        method=method.upper(),
        path=_path_with_variables(path, step.path_variables),
        query=tuple(_query_parameters(operation.get("parameters", ()), step.query)),
        headers=step.headers,
        body=None if step.body is None else json.dumps(step.body, indent=2, ensure_ascii=False),
        is_public={} in operation.get("security", ()),
        needs_tier=needs_tier,
        description=_join_paragraphs(operation["description"], step.note, _TIERS if needs_tier else ""),
        status=status,
        response_members=None if content is None else required_members(content["schema"], components),
        rows=None if content is None else row_members(content["schema"], components),
        response_headers=tuple(_required_headers(answer["headers"], components["headers"])),
        example=None if content is None else content.get("example"),
        step=step,
    )


def _path_with_variables(path: str, places: Mapping[str, str]) -> str:
    """The path with variables in place of its parameters."""
    return re.sub(r"{(\w+)}", lambda found: f"{{{{{places[found[1]]}}}}}", path)


def _query_parameters(parameters: Sequence[Schema], sent: Mapping[str, str]) -> Iterator[QueryParameter]:
    for parameter in parameters:
        if parameter.get("in") == "query":
            name = parameter["name"]
            value = sent.get(name, str(parameter.get("example", "")))
            yield QueryParameter(name, value, name in sent, parameter["description"])


def _join_paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def _required_headers(headers: Schema, components: Schema) -> Iterator[str]:
    """Headers that are required on every such response."""
    for name, header in headers.items():
        if components[header["$ref"].rpartition("/")[2]].get("required", False):
            yield name
