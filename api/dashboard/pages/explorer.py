"""The API explorer: every operation of the OpenAPI document as a form, run with a key given per request.

The key is sent in the form's body and goes into one Authorization header: it is never stored, never in a URL,
and no page shows it again. Does not belong here: forms and requests (`api.dashboard.explorer_forms`), sending
(`api.dashboard.explorer_client`).
"""

import msgspec

from api.auth.api_keys import key_kind
from api.dashboard import explorer_forms
from api.dashboard.explorer_client import ExplorerResponse, execute_request
from api.dashboard.explorer_forms import ExplorerRequest, OperationForm
from api.dashboard.routing import PageRequest, dashboard_page
from api.http.access_control import authenticate
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError, not_found_problem

EXPLORER = "/dashboard/explorer"
_ONE = f"{EXPLORER}/{{operation:str}}"
_VALIDATION = 422
_LIMITS = ("ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@dashboard_page(EXPLORER)
async def list_operations(request: PageRequest) -> HttpResponse:
    groups = explorer_forms.group_by_tag(explorer_forms.operation_forms(request.context.services.openapi_document))
    return request.render("explorer.html", groups=groups)


@dashboard_page(_ONE)
async def show_operation_form(request: PageRequest) -> HttpResponse:
    return _operation_page(request, _requested_operation(request))


@dashboard_page(_ONE, method="POST")
async def try_operation(request: PageRequest) -> HttpResponse:
    """Sends the request; one that may change something needs a confirmation."""
    operation, key = _requested_operation(request), request.form.get("key", "").strip()
    asked = explorer_forms.build_explorer_request(operation, request.form)
    faults = [*asked.faults]
    if operation.is_mutating and "confirm" not in request.form:
        faults.append("This request changes your account: tick the box below to confirm.")
    fault = await _key_fault(request, operation, key)
    if fault is not None:
        faults.append(fault)
    if faults:
        return _operation_page(request, operation, asked, faults)
    return _operation_page(request, operation, asked, answered=await execute_request(request.context, asked, key))


def _requested_operation(visit: PageRequest) -> OperationForm:
    found = explorer_forms.operation_forms(visit.context.services.openapi_document).get(
        visit.context.path_parameters["operation"]
    )
    if found is None:
        raise not_found_problem(visit.context.path)
    return found


async def _key_fault(visit: PageRequest, operation: OperationForm, key: str) -> str | None:
    """Reason not to send the request with this key. Errors of a well-formed key are reported by the API."""
    if not key:
        return None if operation.is_public else "Enter a key of your account."
    if key_kind(key) is None:
        return "The key is mistyped or not a key: keys begin with firm_live_, firm_secret_ or firm_public_."
    authorization, authenticator = f"Bearer {key}".encode(), visit.context.services.authenticator
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
        curl=None if asked is None or faults else asked.curl(visit.context.services.settings.public_url),
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
