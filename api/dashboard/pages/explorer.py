"""The API explorer: every operation of the OpenAPI document as a form, run with a key given per request.

The key is sent in the form's body and goes into one Authorization header: it is never stored, never in a URL,
and no page shows it again. Does not belong here: forms and requests (`api.dashboard.explorer_forms`), sending
(`api.dashboard.explorer_client`).
"""

import msgspec

from api.auth.api_keys import kind_of
from api.dashboard import explorer_forms
from api.dashboard.explorer_client import ExplorerResponse, execute_request
from api.dashboard.explorer_forms import ExplorerRequest, OperationForm
from api.dashboard.routing import PageRequest, dashboard_page
from api.http.access_control import authenticate
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError, not_found

EXPLORER = "/dashboard/explorer"
_ONE = f"{EXPLORER}/{{operation:str}}"
_VALIDATION = 422
_LIMITS = ("ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@dashboard_page(EXPLORER)
async def list_operations(visit: PageRequest) -> HttpResponse:
    groups = explorer_forms.group_by_tag(explorer_forms.operation_forms(visit.call.service.openapi))
    return visit.render("explorer.html", groups=groups)


@dashboard_page(_ONE)
async def show_operation_form(visit: PageRequest) -> HttpResponse:
    return _operation_page(visit, _requested_operation(visit))


@dashboard_page(_ONE, method="POST")
async def try_operation(visit: PageRequest) -> HttpResponse:
    """Sends the request; one that may change something needs a confirmation."""
    operation, key = _requested_operation(visit), visit.form.get("key", "").strip()
    asked = explorer_forms.build_explorer_request(operation, visit.form)
    faults = [*asked.faults]
    if operation.changes and "confirm" not in visit.form:
        faults.append("This request changes your account: tick the box below to confirm.")
    fault = await _key_fault(visit, operation, key)
    if fault is not None:
        faults.append(fault)
    if faults:
        return _operation_page(visit, operation, asked, faults)
    return _operation_page(visit, operation, asked, answered=await execute_request(visit.call, asked, key))


def _requested_operation(visit: PageRequest) -> OperationForm:
    found = explorer_forms.operation_forms(visit.call.service.openapi).get(visit.call.places["operation"])
    if found is None:
        raise not_found(visit.call.path)
    return found


async def _key_fault(visit: PageRequest, operation: OperationForm, key: str) -> str | None:
    """Reason not to send the request with this key. Errors of a well-formed key are reported by the API."""
    if not key:
        return None if operation.is_public else "Enter a key of your account."
    if kind_of(key) is None:
        return "The key is mistyped or not a key: keys begin with firm_live_, firm_secret_ or firm_public_."
    authorization, authenticator = f"Bearer {key}".encode(), visit.call.service.authenticator
    try:
        caller = authenticator.known(authorization) or await authenticate(visit.call, authorization)
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
        curl=None if asked is None or faults else asked.curl(visit.call.service.settings.public_url),
        answered=answered,
        limits=() if answered is None else [one for one in answered.headers if one[0] in _LIMITS],
        body=None if answered is None else _response_text(answered),
    )


def _response_text(answered: ExplorerResponse) -> str:
    """Indented JSON; anything else, and a truncated body, unchanged."""
    text = answered.body.decode(errors="replace")
    if answered.is_cut or "json" not in (answered.header("content-type") or ""):
        return text
    try:
        return msgspec.json.format(answered.body).decode()
    except msgspec.DecodeError:
        return text
