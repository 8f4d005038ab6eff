"""Describes one operation of the OpenAPI document: method, path, texts, parameters, body, response.

Does not belong here: the operations themselves (`api.companies.openapi`, `api.webhooks.openapi`), or their
serialisation (`api.openapi_document`).
"""

from dataclasses import dataclass
from typing import Any, Final

from api.http.query.params import NO_PARAMETERS, QueryParams
from api.openapi.links import OperationLink
from api.openapi.schema_types import Schema

JSON: Final = ("application/json",)
MERGE_PATCH: Final = ("application/json", "application/merge-patch+json")


@dataclass(frozen=True, slots=True)
class PathParameter:
    name: str
    description: str
    schema: Schema
    example: str


@dataclass(frozen=True, slots=True)
class RequestBody:
    """A request body: one JSON object."""

    schema: Schema
    description: str
    example: Any
    media_types: tuple[str, ...] = JSON
    is_required: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. A GET operation also answers HEAD, without a body."""

    path: str
    operation_id: str
    tag: str
    summary: str
    description: str
    response_schema: Schema | None
    """None for a response without a body (204)."""
    response_description: str
    response_headers: tuple[str, ...]
    """Additional response headers."""
    method: str = "get"
    status: int = 200
    path_parameters: tuple[PathParameter, ...] = ()
    query_params: QueryParams = NO_PARAMETERS
    request_headers: tuple[str, ...] = ()
    """Names of request headers it reads (`api.openapi.request_headers`)."""
    body: RequestBody | None = None
    example: Any = None
    error_statuses: tuple[int, ...] = ()
    """Additional error statuses."""
    links: tuple[OperationLink, ...] = ()
    is_public: bool = False
