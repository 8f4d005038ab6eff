"""The API explorer: every operation of the OpenAPI document as a form, run with a key given per request.

The key is sent in the form's body and goes into one Authorization header: it is never stored, never in a URL,
and no page shows it again. Does not belong here: forms and requests (`api.dashboard.explorer`), sending
(`api.dashboard.trying`).
"""

import msgspec

from api.admission import recognised
from api.answers import Answer
from api.dashboard import explorer
from api.dashboard.explorer import Asked, Described
from api.dashboard.pages import Visit, page
from api.dashboard.trying import Answered, tried
from api.keys import kind_of
from api.problems import Problem, nothing_at

EXPLORER = "/dashboard/explorer"
_ONE = f"{EXPLORER}/{{operation:str}}"
_VALIDATION = 422
_LIMITS = ("ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@page(EXPLORER)
async def list_operations(visit: Visit) -> Answer:
    groups = explorer.by_tag(explorer.described(visit.call.service.openapi))
    return visit.render("explorer.html", groups=groups)


@page(_ONE)
async def show_operation_form(visit: Visit) -> Answer:
    return _shown(visit, _operation(visit))


@page(_ONE, method="POST")
async def try_operation(visit: Visit) -> Answer:
    """Sends the request; one that may change something needs a confirmation."""
    operation, key = _operation(visit), visit.form.get("key", "").strip()
    asked = explorer.asked_of(operation, visit.form)
    faults = [*asked.faults]
    if operation.changes and "confirm" not in visit.form:
        faults.append("This request changes your account: tick the box below to confirm.")
    fault = await _key_fault(visit, operation, key)
    if fault is not None:
        faults.append(fault)
    if faults:
        return _shown(visit, operation, asked, faults)
    return _shown(visit, operation, asked, answered=await tried(visit.call, asked, key))


def _operation(visit: Visit) -> Described:
    found = explorer.described(visit.call.service.openapi).get(visit.call.places["operation"])
    if found is None:
        raise nothing_at(visit.call.path)
    return found


async def _key_fault(visit: Visit, operation: Described, key: str) -> str | None:
    """Reason not to send the request with this key. Errors of a well-formed key are reported by the API."""
    if not key:
        return None if operation.is_public else "Enter a key of your account."
    if kind_of(key) is None:
        return "The key is mistyped or not a key: keys begin with firm_live_, firm_secret_ or firm_public_."
    authorization, authenticator = f"Bearer {key}".encode(), visit.call.service.authenticator
    try:
        caller = authenticator.known(authorization) or await recognised(visit.call, authorization)
    except Problem:
        return None
    return None if caller.account_id == visit.account_id else "This key belongs to another account."


def _shown(
    visit: Visit,
    operation: Described,
    asked: Asked | None = None,
    faults: list[str] | None = None,
    answered: Answered | None = None,
) -> Answer:
    return visit.render(
        "operation.html",
        _VALIDATION if faults else 200,
        operation=operation,
        written=visit.form,
        faults=faults or [],
        curl=None if asked is None or faults else asked.curl(visit.call.service.settings.public_url),
        answered=answered,
        limits=() if answered is None else [one for one in answered.headers if one[0] in _LIMITS],
        body=None if answered is None else _readable(answered),
    )


def _readable(answered: Answered) -> str:
    """Indented JSON; anything else, and a truncated body, unchanged."""
    text = answered.body.decode(errors="replace")
    if answered.is_cut or "json" not in (answered.header("content-type") or ""):
        return text
    try:
        return msgspec.json.format(answered.body).decode()
    except msgspec.DecodeError:
        return text
