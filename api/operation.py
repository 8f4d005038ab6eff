"""Describes one operation of the OpenAPI document: method, path, texts, parameters, body, response.

Does not belong here: the operations themselves (`api.operations`, `api.webhook_operations`), or their
serialisation (`api.openapi`).
"""

from dataclasses import dataclass
from typing import Any, Final

from api.links import Lead
from api.parameters import NO_PARAMETERS, Query
from api.schemas.kinds import Schema

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
    required: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation. A GET operation also answers HEAD, without a body."""

    path: str
    operation_id: str
    tag: str
    summary: str
    description: str
    answer: Schema | None
    """None for a response without a body (204)."""
    answer_description: str
    headers: tuple[str, ...]
    """Additional response headers."""
    method: str = "get"
    status: int = 200
    places: tuple[PathParameter, ...] = ()
    query: Query = NO_PARAMETERS
    asked_headers: tuple[str, ...] = ()
    """Names of request headers it reads (`api.schemas.request_headers`)."""
    body: RequestBody | None = None
    example: Any = None
    refusals: tuple[int, ...] = ()
    """Additional error statuses."""
    leads_to: tuple[Lead, ...] = ()
    public: bool = False
