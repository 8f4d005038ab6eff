"""The API explorer: every operation of the OpenAPI document as a form, run with a key given per request.

The key is sent in the form's body and goes into one Authorization header: it is never stored, never in a URL,
and no page shows it again. The request passes through the whole service in-process, as if it came from that
browser: every check, limit and count applies, and it appears in the access log. No connection is opened, so form
input cannot direct it to another server (SSRF). Does not belong here: forms and requests
(`api.dashboard.explorer_forms`).
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import unquote

import msgspec
from litestar import get, post
from litestar.params import FromPath
from litestar.types import ASGIApp, HTTPScope, Message

from api.auth.api_keys import key_kind
from api.dashboard import explorer_forms
from api.dashboard.explorer_forms import ExplorerRequest, OperationForm
from api.dashboard.routing import CurrentPage, PageRequest
from api.http.access_control import authenticate
from api.http.client_ip import FORWARDING
from api.http.context import RequestContext
from api.http.responses import HttpResponse
from api.problems.problem import ProblemError, not_found_problem

_PASSED_ON: Final = (b"host", b"user-agent", *FORWARDING)
"""Headers from which the service derives its own address and the client's."""
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


@dataclass(slots=True)
class _AsgiExchange:
    """ASGI receive and send of one request: supplies the body once, and collects the response."""

    body: bytes
    status: int = 0
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    received: bytearray = field(default_factory=bytearray)
    is_taken: bool = False

    async def receive(self) -> dict[str, Any]:
        if self.is_taken:
            return {"type": "http.disconnect"}
        self.is_taken = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            self.received += message["body"]


async def execute_request(context: RequestContext, request: ExplorerRequest, key: str) -> ExplorerResponse:
    """The response to a request with that key; an empty key is not sent."""
    clock = context.services.clock
    body = (request.body or "").encode()
    exchange, began = _AsgiExchange(body), clock.monotonic()
    app = cast("ASGIApp", context.scope["litestar_app"])
    run = app(_asgi_scope(context, request, key, body), exchange.receive, exchange.send)  # type: ignore[arg-type]
    # a separate task, because the current call is a context variable (`api.http.context`)
    await asyncio.ensure_future(run)
    headers = tuple((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in exchange.headers)
    shown = bytes(exchange.received[:_SHOWN])
    lasted = int((clock.monotonic() - began) * 1_000)
    return ExplorerResponse(exchange.status, headers, shown, len(exchange.received) > _SHOWN, lasted)


def _asgi_scope(call: RequestContext, asked: ExplorerRequest, key: str, body: bytes) -> HTTPScope:
    """The ASGI scope, as a server would create it."""
    given = [(name.lower().encode(), value.encode("latin-1")) for name, value in asked.headers]
    headers = [(name, value) for name, value in call.request_headers.items() if name in _PASSED_ON] + given
    if key:
        headers.append((b"authorization", b"Bearer " + key.encode("latin-1")))
    if body:
        headers.append((b"content-length", b"%d" % len(body)))
    here: Any = call.scope
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": here["asgi"],
        "http_version": here["http_version"],
        "method": asked.method,
        "scheme": here["scheme"],
        "path": unquote(asked.path),
        "raw_path": asked.path.encode(),
        "query_string": asked.query.encode(),
        "root_path": here.get("root_path", ""),
        "headers": headers,
        "client": here.get("client"),
        "server": here.get("server"),
    }
    return cast("HTTPScope", scope)


EXPLORER = "/dashboard/explorer"
_ONE = f"{EXPLORER}/{{operation:str}}"
_VALIDATION = 422
_LIMITS = ("ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-remaining", "retry-after")


@get(EXPLORER)
async def list_operations(page: CurrentPage) -> HttpResponse:
    groups = explorer_forms.group_by_tag(explorer_forms.operation_forms(page.context.services.openapi_document))
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
    found = explorer_forms.operation_forms(visit.context.services.openapi_document).get(operation_id)
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
