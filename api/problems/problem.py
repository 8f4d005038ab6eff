"""Error responses as problem+json (RFC 9457; docs/contract/contract.md 4.10).

Exception tree: `ProblemError` (carries a `ProblemType` of `KINDS`). Code anywhere in `api` raises `problem(code,
detail, …)`; `render` builds the body, `api.http.middleware` and the exception handlers of `api.app` send it. Does
not belong here: the catalogue of types (`api.problems.catalogue`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from api.common.redaction import redact
from api.problems.catalogue import KINDS, ProblemType

MEDIA_TYPE: Final = b"application/problem+json"
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class ProblemDetail:
    """One entry of `errors[]`: the error in one parameter, header or body member."""

    code: str
    detail: str
    parameter: str | None = None
    pointer: str | None = None
    header: str | None = None

    def members(self) -> dict[str, str]:
        places = {"pointer": self.pointer, "parameter": self.parameter, "header": self.header}
        named = {name: place for name, place in places.items() if place is not None}
        return {"code": self.code, "detail": self.detail} | named


@dataclass(eq=False, slots=True)
class ProblemError(Exception):
    """An error response. `extra`: further members of the body; `headers`: further response headers."""

    problem_type: ProblemType
    status: int
    detail: str
    errors: Sequence[ProblemDetail] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    headers: Sequence[tuple[bytes, bytes]] = ()

    def __str__(self) -> str:
        return f"{self.status} {self.problem_type.code}: {self.detail}"


def new_problem(
    code: str,
    detail: str,
    *errors: ProblemDetail,
    status: int | None = None,
    headers: Sequence[tuple[bytes, bytes]] = (),
    **extra: Any,
) -> ProblemError:
    """Creates a `ProblemError` by code; `status` overrides the type's own."""
    kind = KINDS[code]
    return ProblemError(kind, status or kind.status, detail, errors, extra, headers)


def not_found_problem(path: str) -> ProblemError:
    """404 for an unknown path; secrets in the path are redacted."""
    return new_problem("route_not_found", f"There is nothing at {redact(path)[:_SHOWN]}.")


def service_unavailable_problem(reason: str, retry_after: int) -> ProblemError:
    """503 for failures on our side; `retry_after` in seconds, in body and header."""
    detail = f"{reason} Try again in {retry_after} seconds."
    headers = [(b"retry-after", b"%d" % retry_after)]
    return new_problem("service_unavailable", detail, headers=headers, retry_after=retry_after)


def parameter_problem(parameter: str, code: str, requirement: str) -> ProblemError:
    """400 for an invalid query parameter; `requirement` continues «'limit' …»."""
    return new_problem(
        "invalid_parameter", f"'{parameter}' {requirement}.", ProblemDetail(code, requirement, parameter=parameter)
    )


def render_problem(problem: ProblemError, request_id: str, public_url: str) -> bytes:
    """The JSON body: the mandatory members in the contract's order, then the others."""
    body: dict[str, Any] = {
        "type": problem.problem_type.type_url(public_url),
        "title": problem.problem_type.title,
        "status": problem.status,
        "detail": problem.detail,
        "instance": f"/requests/{request_id}",
        "code": problem.problem_type.code,
        "request_id": request_id,
    }
    if problem.errors:
        body["errors"] = [error.members() for error in problem.errors]
    return msgspec.json.encode(body | dict(problem.extra))
