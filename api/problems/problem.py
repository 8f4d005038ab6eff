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
class InputError:
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

    kind: ProblemType
    status: int
    detail: str
    errors: Sequence[InputError] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    headers: Sequence[tuple[bytes, bytes]] = ()

    def __str__(self) -> str:
        return f"{self.status} {self.kind.code}: {self.detail}"


def new_problem(
    code: str, detail: str, *errors: InputError, status: int | None = None, **extra: Any
) -> ProblemError:
    """Creates a `ProblemError` by code; `status` overrides the type's own."""
    kind = KINDS[code]
    return ProblemError(kind, status or kind.status, detail, errors, extra)


def not_found(path: str) -> ProblemError:
    """404 for an unknown path; secrets in the path are redacted."""
    return new_problem("route_not_found", f"There is nothing at {redact(path)[:_SHOWN]}.")


def service_unavailable(why: str, retry_after: int) -> ProblemError:
    """503 for failures on our side; `retry_after` in seconds, in body and header."""
    detail = f"{why} Try again in {retry_after} seconds."
    trouble = new_problem("service_unavailable", detail, retry_after=retry_after)
    trouble.headers = [(b"retry-after", b"%d" % retry_after)]
    return trouble


def parameter_problem(parameter: str, code: str, requirement: str) -> ProblemError:
    """400 for an invalid query parameter; `requirement` continues «'limit' …»."""
    return new_problem(
        "invalid_parameter",
        f"'{parameter}' {requirement}.",
        InputError(code, requirement, parameter=parameter),
    )


def render_problem(trouble: ProblemError, request_id: str, public_url: str) -> bytes:
    """The JSON body: the mandatory members in the contract's order, then the others."""
    body: dict[str, Any] = {
        "type": trouble.kind.type_url(public_url),
        "title": trouble.kind.title,
        "status": trouble.status,
        "detail": trouble.detail,
        "instance": f"/requests/{request_id}",
        "code": trouble.kind.code,
        "request_id": request_id,
    }
    if trouble.errors:
        body["errors"] = [error.members() for error in trouble.errors]
    return msgspec.json.encode(body | dict(trouble.extra))
