"""What the document says of one operation: method, path, texts, parameters, body, answer.

Does not belong here: the operations themselves (`api.operations`, `api.webhook_operations`), or how they are
written down (`api.openapi`).
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
    """What is sent: one JSON object."""

    schema: Schema
    description: str
    example: Any
    media_types: tuple[str, ...] = JSON
    required: bool = True


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; with GET, HEAD is the same without a body."""

    path: str
    operation_id: str
    tag: str
    summary: str
    description: str
    answer: Schema | None
    """None where there is nothing to say (204)."""
    answer_description: str
    headers: tuple[str, ...]
    """Names of headers on its answers, beyond those that all answers have."""
    method: str = "get"
    status: int = 200
    places: tuple[PathParameter, ...] = ()
    query: Query = NO_PARAMETERS
    asked_headers: tuple[str, ...] = ()
    """Names of request headers it looks at (`api.schemas.request_headers`)."""
    body: RequestBody | None = None
    example: Any = None
    refusals: tuple[int, ...] = ()
    """Statuses of its errors, beyond those that all operations have."""
    leads_to: tuple[Lead, ...] = ()
    public: bool = False
