"""Binds a page to its path: session, form checks, handler, and the security headers of every page.

Pages are not part of the API: they count against no quota, and their errors are HTML pages. Does not belong
here: the content of a page (`api.dashboard.pages`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import urlsplit

from litestar.types import Receive

from api.auth.session_tokens import make_token
from api.dashboard import templating
from api.dashboard.cookies import DashboardCookies
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
from api.http.release_headers import NO_STORE
from api.http.responses import Header, HttpResponse
from api.problems.problem import ProblemError, not_found_problem

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
class DashboardPage:
    """One page or form action."""

    path: str
    method: str
    name: str
    route_policy: RoutePolicy
    is_anonymous: bool
    is_operator_only: bool
    form_limit: int
    """Maximum size of the form in bytes."""
    handler: Handler
    is_keyless: bool = True
    """No API key is needed."""

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
        return DashboardPage(path, method, name, told, is_anonymous, is_operator_only, form_limit, handler)

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
