"""The API explorer: every operation of the OpenAPI document as a form, run with a key given per request.

The key is sent in the form's body and goes into one Authorization header: it is never stored, never in a URL,
and no page shows it again. The request runs in-process (`api.dashboard.inner_requests`). Does not belong here: forms
and requests (`api.dashboard.explorer_forms`).
"""

from dataclasses import dataclass
from typing import Final

import msgspec
from litestar import get, post
from litestar.params import FromPath

from api.auth.api_keys import key_kind
from api.dashboard import explorer_forms
from api.dashboard.explorer_forms import ExplorerRequest, OperationForm
from api.dashboard.inner_requests import InnerRequest, send_inner_request
from api.dashboard.routing import CurrentPage, PageRequest
from api.http.access_control import authenticate
from api.http.context import RequestContext
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError, not_found_problem

_SHOWN: Final = 100_000  # bytes of a response that a page shows


@dataclass(frozen=True, slots=True)
class ExplorerResponse:
    """The response. `body` is truncated if `is_truncated`."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    is_truncated: bool
    milliseconds: int

    def header(self, name: str) -> str | None:
        return next((value for given, value in self.headers if given == name), None)


async def execute_request(context: RequestContext, request: ExplorerRequest, key: str) -> ExplorerResponse:
    """The response to a request with that key; an empty key is not sent."""
    clock = context.services.clock
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in request.headers]
    if key:
        headers.append((b"authorization", b"Bearer " + key.encode("latin-1")))
    inner = InnerRequest(request.method, request.path, request.query, headers, (request.body or "").encode())
    began = clock.monotonic()
    got = await send_inner_request(context, inner)
    told = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in got.headers)
    lasted = int((clock.monotonic() - began) * 1_000)
    return ExplorerResponse(got.status, told, bytes(got.body[:_SHOWN]), len(got.body) > _SHOWN, lasted)


EXPLORER = "/dashboard/explorer"
_ONE = f"{EXPLORER}/{{operation:str}}"
_VALIDATION = 422
_LIMITS = ("ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@get(EXPLORER)
async def list_operations(page: CurrentPage) -> HttpResponse:
    groups = explorer_forms.group_by_tag(explorer_forms.operation_forms(page.services.openapi_document))
    return page.render("explorer.html", groups=groups)


@get(_ONE)
async def show_operation_form(page: CurrentPage, operation: FromPath[str]) -> HttpResponse:
    return _operation_page(page, _requested_operation(page, operation))


@post(_ONE)
async def try_operation(page: CurrentPage, operation: FromPath[str]) -> HttpResponse:
    """Sends the request; one that may change something needs a confirmation."""
    described, key = _requested_operation(page, operation), page.form.get("key", "").strip()
    asked = explorer_forms.build_explorer_request(described, page.form)
    faults = [*asked.faults]
    if described.is_mutating and "confirm" not in page.form:
        faults.append("This request changes your account: tick the box below to confirm.")
    fault = await _key_fault(page, described, key)
    if fault is not None:
        faults.append(fault)
    if faults:
        return _operation_page(page, described, asked, faults)
    return _operation_page(page, described, asked, answered=await execute_request(page.context, asked, key))


def _requested_operation(visit: PageRequest, operation_id: str) -> OperationForm:
    found = explorer_forms.operation_forms(visit.services.openapi_document).get(operation_id)
    if found is None:
        raise not_found_problem(visit.context.path)
    return found


async def _key_fault(visit: PageRequest, operation: OperationForm, key: str) -> str | None:
    """Reason not to send the request with this key. Errors of a well-formed key are reported by the API."""
    if not key:
        return None if operation.is_public else "Enter a key of your account."
    if key_kind(key) is None:
        return "The key is mistyped or not a key: keys begin with firm_live_, firm_secret_ or firm_public_."
    authorization, authenticator = f"Bearer {key}".encode(), visit.services.authenticator
    try:
        caller = authenticator.cached_caller(authorization) or await authenticate(visit.context, authorization)
    except ProblemError:
        return None
    return None if caller.account_id == visit.account_id else "This key belongs to another account."


def _operation_page(
    visit: PageRequest,
    operation: OperationForm,
    asked: ExplorerRequest | None = None,
    faults: list[str] | None = None,
    answered: ExplorerResponse | None = None,
) -> HttpResponse:
    return visit.render(
        "operation.html",
        _VALIDATION if faults else 200,
        operation=operation,
        written=visit.form,
        faults=faults or [],
        curl=None if asked is None or faults else asked.curl(visit.services.settings.public_url),
        answered=answered,
        limits=() if answered is None else [one for one in answered.headers if one[0] in _LIMITS],
        body=None if answered is None else _response_text(answered),
    )


def _response_text(answered: ExplorerResponse) -> str:
    """Indented JSON; anything else, and a truncated body, unchanged."""
    text = answered.body.decode(errors="replace")
    if answered.is_truncated or "json" not in (answered.header("content-type") or ""):
        return text
    try:
        return msgspec.json.format(answered.body).decode()
    except msgspec.DecodeError:
        return text
