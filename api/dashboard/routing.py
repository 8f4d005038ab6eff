"""Binds a page to its path: session, form checks, handler, and the security headers of every page.

Pages are not part of the API: they count against no quota, and their errors are HTML pages. Does not belong
here: the content of a page (`api.dashboard.pages`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit

from litestar.types import Receive

from api.auth.api_keys import TokenKind, is_token, make_token
from api.dashboard import templating
from api.dashboard.errors import PageError
from api.dashboard.html_forms import (
    FORM_LIMIT,
    TOKEN_FIELD,
    Form,
    check_form_origin,
    cross_origin_form_error,
    read_form,
)
from api.dashboard.sessions import AuthenticatedSession
from api.http.context import CorsPolicy, RequestContext, RoutePolicy
from api.http.response_headers import NO_STORE
from api.http.responses import Header, HttpResponse
from api.http.routing import HttpOperation
from api.problems.problem import ProblemError, not_found_problem
from api.settings.tiers import Tier

_NAMES: Final = {"session": "firm_session", "visitor": "firm_visitor"}
_ATTRIBUTES: Final = "Path=/; HttpOnly; SameSite=Lax"


class DashboardCookies:
    """The two cookies of the dashboard: the session after sign-in, the visitor before it.

    `is_secure` if the service is reached over https: then their names begin with `__Host-`, which no other host of
    the domain can set.
    """

    __slots__ = ("_attributes", "_prefix")

    def __init__(self, is_secure: bool) -> None:
        self._prefix = "__Host-" if is_secure else ""
        self._attributes = f"{_ATTRIBUTES}; Secure" if is_secure else _ATTRIBUTES

    def read(self, header: bytes | None, kind: TokenKind) -> str | None:
        """The token of that kind; None if there is none, or several: one of them was set by another site."""
        name = self._cookie_name(kind)
        found = [
            value.strip()
            for given, equals, value in (one.partition("=") for one in (header or b"").decode("latin-1").split(";"))
            if equals and given.strip() == name
        ]
        return found[0] if len(found) == 1 and is_token(kind, found[0]) else None

    def write(self, kind: TokenKind, token: str, seconds: int | None = None) -> Header:
        """Sets a cookie; without `seconds` it lasts until the browser is closed."""
        lasting = "" if seconds is None else f"; Max-Age={seconds}"
        return b"set-cookie", f"{self._cookie_name(kind)}={token}; {self._attributes}{lasting}".encode()

    def forget(self, kind: TokenKind) -> Header:
        return self.write(kind, "", 0)

    def _cookie_name(self, kind: TokenKind) -> str:
        return self._prefix + _NAMES[kind]


HOME: Final = "/dashboard"
SIGN_IN: Final = "/dashboard/sign-in"
OPERATOR: Final = "/dashboard/operator"
_HTML: Final = (b"content-type", b"text/html; charset=utf-8")
_POLICY: Final = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFETY: Final = (
    (b"content-security-policy", _POLICY),
    # not `no-referrer`: browsers would then send forms without Origin
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
    (b"vary", b"Cookie"),
)
"""No scripts, no inline styles, nothing from other hosts, no framing."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for a page. `shown` is the browser's own token, from which its CSRF tokens derive."""

    context: RequestContext
    cookies: DashboardCookies
    browser_token: str
    is_new_browser: bool
    """True if the browser does not have `shown` yet."""
    session: AuthenticatedSession | None
    session_token: str | None
    form: Form = field(default_factory=dict)

    @property
    def path_prefix(self) -> str:
        """The path prefix, if the service is reached below a path."""
        return urlsplit(self.context.services.settings.public_url).path

    @property
    def required_session(self) -> AuthenticatedSession:
        """The signed-in account; only for pages that require a session."""
        if self.session is None:
            raise RuntimeError("this page does not require a session")
        return self.session

    @property
    def account_id(self) -> str:
        return self.required_session.account.account_id

    @property
    def is_operator(self) -> bool:
        """True if the signed-in account is listed in the settings."""
        if self.session is None or self.session.account.status == "suspended":
            return False
        return self.session.account.email in self.context.services.settings.operators

    @property
    def tier(self) -> Tier:
        """The signed-in account's tier."""
        return self.context.services.settings.tiers.tier_by_name(self.required_session.account.tier)

    def query_values(self, name: str) -> list[str]:
        """The values of a query parameter, in the order given."""
        return parse_qs(self.context.query_string.decode("latin-1")).get(name, [])

    def render(self, template: str, status: int = 200, headers: Sequence[Header] = (), **values: Any) -> HttpResponse:
        """Renders a page for this request."""
        body = templating.render_template(
            template,
            root=self.path_prefix,
            form_field=TOKEN_FIELD,
            form_token=self.context.services.session_service.form_token(self.browser_token),
            account=None if self.session is None else self.session.account,
            is_operator=self.is_operator,
            path=self.context.scope["path"],
            request_id=self.context.request_id,
            **values,
        )
        told = [_HTML, (b"content-length", b"%d" % len(body)), NO_STORE, *SAFETY, *headers]
        if self.is_new_browser:
            told.append(self.cookies.write("visitor", self.browser_token))
        return HttpResponse(status, told, body)

    def redirect_to(self, path: str, headers: Sequence[Header] = ()) -> HttpResponse:
        """Redirects to another dashboard page; the target is never taken from a request."""
        location = (b"location", (self.path_prefix + path).encode())
        return HttpResponse(303, [location, (b"content-length", b"0"), NO_STORE, *SAFETY, *headers], b"")


Handler = Callable[[PageRequest], Awaitable[HttpResponse]]


@dataclass(frozen=True, slots=True)
class DashboardPage(HttpOperation):
    """One page or form action."""

    is_anonymous: bool
    is_operator_only: bool
    form_limit: int
    """Maximum size of the form in bytes."""
    handler: Handler

    async def handle_request(self, context: RequestContext, receive: Receive) -> HttpResponse:
        context.route_policy = self.route_policy
        cookies = _request_cookies(context)
        visit = _anonymous_request(context, cookies)
        try:
            form = await self._read_form(context, receive)
            visit = await _identify_request(context, cookies, self.is_anonymous, form)
            if not self.is_anonymous and visit.session is None:
                return visit.redirect_to(SIGN_IN, [cookies.forget("session")])
            if self.is_operator_only and not visit.is_operator:
                raise not_found_problem(context.path)
            if self.method == "POST":
                _check_form(visit)
            return await self.handler(visit)
        except PageError as refused:
            return visit.render("refused.html", refused.status, refused=refused)
        except ProblemError as trouble:
            return _problem_page(visit, trouble)

    async def _read_form(self, call: RequestContext, receive: Receive) -> Form:
        if self.method != "POST":
            return {}
        check_form_origin(call.request_headers, call.services.settings.public_url)
        return await read_form(call.request_headers, receive, self.form_limit)


def dashboard_page(
    path: str,
    *,
    method: str = "GET",
    is_anonymous: bool = False,
    is_operator_only: bool = False,
    form_limit: int = FORM_LIMIT,
) -> Callable[[Handler], DashboardPage]:
    """Registers a handler for one method of a path below /dashboard; GET includes HEAD.

    Pages require a session, others are redirected to sign-in. Pages `is_anonymous` need no session, and their
    CSRF tokens derive from the visitor's token. Pages `is_operator_only` are 404 for others.
    """
    told = RoutePolicy(path.replace(":str", ""), CorsPolicy.NO_ORIGIN, is_counted=False)

    def bind(handler: Handler) -> DashboardPage:
        name = cast("str", getattr(handler, "__name__", path))
        return DashboardPage(path, method, name, told, True, is_anonymous, is_operator_only, form_limit, handler)

    return bind


def is_dashboard_path(path: str) -> bool:
    """True for paths of dashboard pages."""
    return path == HOME or path.startswith(f"{HOME}/")


def error_page(context: RequestContext, problem: ProblemError) -> HttpResponse:
    """The error page if no page could answer: unknown paths and methods, requests too large, failures."""
    return _problem_page(_anonymous_request(context, _request_cookies(context)), problem)


def _problem_page(visit: PageRequest, trouble: ProblemError) -> HttpResponse:
    visit.context.problem_code = trouble.problem_type.code
    refused = PageError(trouble.status, trouble.problem_type.title, trouble.detail)
    return visit.render("refused.html", trouble.status, trouble.headers, refused=refused)


def _request_cookies(call: RequestContext) -> DashboardCookies:
    return DashboardCookies(call.services.settings.public_url.startswith("https://"))


def _anonymous_request(call: RequestContext, cookies: DashboardCookies) -> PageRequest:
    """An anonymous visit, for errors before the session is known."""
    return PageRequest(call, cookies, make_token("visitor"), False, None, None)


async def _identify_request(
    call: RequestContext, cookies: DashboardCookies, for_anyone: bool, form: Form
) -> PageRequest:
    given = call.request_headers.get(b"cookie")
    session = cookies.read(given, "session")
    if not for_anyone:
        signed_in = None if session is None else await _authenticate_session(call, session)
        shown = session or make_token("visitor")
        return PageRequest(call, cookies, shown, False, signed_in, session, form)
    visitor = cookies.read(given, "visitor")
    return PageRequest(call, cookies, visitor or make_token("visitor"), visitor is None, None, session, form)


async def _authenticate_session(call: RequestContext, session: str) -> AuthenticatedSession | None:
    """The session of a token.

    Invalid tokens count as failed authentications, so a flood of them never reaches the database.
    """
    call.services.rate_limiter.check_failed_authentications(call.client_ip, call.started_at)
    found = await call.services.session_service.signed_in(session)
    if found is not None:
        call.services.rate_limiter.reset_failed_authentications(call.client_ip, call.started_at)
    return found


def _check_form(visit: PageRequest) -> None:
    """Checks the CSRF token, and limits the rate to what a person would send."""
    service = visit.context.services
    if not service.session_service.is_form_token(visit.browser_token, visit.form.get(TOKEN_FIELD, "")):
        raise cross_origin_form_error()
    if visit.session is not None:
        service.rate_limiter.check_dashboard_changes(visit.account_id, visit.context.started_at)
