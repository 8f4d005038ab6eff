"""What runs before each page: session and form checks; and the security headers of every page.

Pages are not part of the API: they count against no quota, and their errors are HTML pages. Does not belong
here: the content of a page (`api.dashboard.pages`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import parse_qs, urlsplit

from litestar import Request, Router
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import SkipValidation

from api.auth.api_keys import TokenKind, is_token, make_token
from api.dashboard import templating
from api.dashboard.html_forms import (
    FORM_LIMIT,
    TOKEN_FIELD,
    Form,
    PageError,
    check_form_origin,
    cross_origin_form_error,
    read_form,
)
from api.dashboard.sessions import AuthenticatedSession
from api.http.context import NO_KEY, ApiRequest, RequestContext, current_request
from api.http.response_headers import NO_STORE
from api.http.responses import Header, HttpResponse, problem_response
from api.http.routing import options_response
from api.problems.problem import ProblemError, new_problem, not_found_problem
from api.settings.tiers import Tier

if TYPE_CHECKING:
    from api.services import ApiServices

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
_SCRIPTS: Final = b"; script-src 'self'; connect-src 'self'"
_COMMON: Final = (
    # not `no-referrer`: browsers would then send forms without Origin
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
    (b"vary", b"Cookie"),
)
SAFETY: Final = ((b"content-security-policy", _POLICY), *_COMMON)
"""No scripts, no inline styles, nothing from other hosts, no framing."""
SCRIPTED: Final = ((b"content-security-policy", _POLICY + _SCRIPTS), *_COMMON)
"""The same for pages that run the service's own scripts: files, never what stands in a page."""


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
    runs_scripts: bool = False
    """True if the page runs scripts of this service (`PagePolicy`)."""

    @property
    def services(self) -> "ApiServices":
        return self.context.services

    @property
    def path_prefix(self) -> str:
        """The path prefix, if the service is reached below a path."""
        return urlsplit(self.services.settings.public_url).path

    @property
    def required_session(self) -> AuthenticatedSession:
        """The signed-in account; only for pages that require a session."""
        if self.session is None:
            raise RuntimeError("this page does not require a session")
        return self.session

    @property
    def account_id(self) -> str:
        return self.required_session.account.account_id

    def require_active_account(self) -> None:
        """403 if the account is suspended or has to pay: the API refuses its keys, so a page gives no more."""
        if self.required_session.account.status != "active":
            raise PageError(
                403,
                "Not possible while the account is inactive",
                "First resolve the issue shown at the top of the page.",
            )

    @property
    def is_operator(self) -> bool:
        """True if the signed-in account is listed in the settings."""
        if self.session is None or self.session.account.status == "suspended":
            return False
        return self.session.account.email in self.services.settings.operators

    @property
    def tier(self) -> Tier:
        """The signed-in account's tier."""
        return self.services.settings.tiers.tier_by_name(self.required_session.account.tier)

    def query_values(self, name: str) -> list[str]:
        """The values of a query parameter, in the order given."""
        return parse_qs(self.context.query_string.decode("latin-1")).get(name, [])

    def query_value(self, name: str) -> str:
        """The first value of a query parameter, or nothing."""
        return next(iter(self.query_values(name)), "")

    def render(self, template: str, status: int = 200, headers: Sequence[Header] = (), **values: Any) -> HttpResponse:
        """Renders a page for this request."""
        body = templating.render_template(
            template,
            root=self.path_prefix,
            form_field=TOKEN_FIELD,
            form_token=self.services.session_service.form_token(self.browser_token),
            account=None if self.session is None else self.session.account,
            is_operator=self.is_operator,
            path=self.context.scope["path"],
            request_id=self.context.request_id,
            **values,
        )
        safety = SCRIPTED if self.runs_scripts else SAFETY
        told = [_HTML, (b"content-length", b"%d" % len(body)), NO_STORE, *safety, *headers]
        if self.is_new_browser:
            told.append(self.cookies.write("visitor", self.browser_token))
        return HttpResponse(status, told, body)

    def redirect_to(self, path: str, headers: Sequence[Header] = ()) -> HttpResponse:
        """Redirects to another dashboard page; the target is never taken from a request."""
        location = (b"location", (self.path_prefix + path).encode())
        return HttpResponse(303, [location, (b"content-length", b"0"), NO_STORE, *SAFETY, *headers], b"")


CurrentPage: TypeAlias = NamedDependency[SkipValidation[PageRequest]]
"""The type of the dependency `page` of handlers."""


@dataclass(frozen=True, slots=True)
class PagePolicy:
    """Who may open a page; the `access` in a handler's `opt`. Pages without one need a session."""

    is_anonymous: bool = False
    """No session is needed; CSRF tokens derive from the visitor's token."""
    is_operator_only: bool = False
    """The page is 404 for others."""
    form_limit: int = FORM_LIMIT
    """Maximum size of the form in bytes."""
    runs_scripts: bool = False
    """The page runs scripts of this service."""
    is_data: bool = False
    """What scripts of pages read: errors are problem documents, and requests of other sites are refused."""


SIGNED_IN: Final = PagePolicy()
ANONYMOUS: Final = PagePolicy(is_anonymous=True)
OPERATOR_ONLY: Final = PagePolicy(is_operator_only=True)
COMPONENTS: Final = PagePolicy(runs_scripts=True)
PUBLIC_COMPONENTS: Final = PagePolicy(is_anonymous=True, runs_scripts=True)
DATA: Final = PagePolicy(is_data=True)
_PAGE: Final = "firm_page"


def dashboard_router(pages: Sequence[HTTPRouteHandler]) -> Router:
    """The pages, with what runs before each of them and how their errors are shown."""
    on_errors: dict[int | type[Exception], Any] = {PageError: _on_page_error, ProblemError: _on_problem}
    return Router(
        path="/",
        route_handlers=pages,
        before_request=_open_page,
        dependencies={"page": Provide(_current_page, sync_to_thread=False)},
        exception_handlers=on_errors,
    )


async def _open_page(request: Request[Any, Any, Any]) -> HttpResponse | None:
    """Reads the form, then the session; redirects to sign-in, or checks that the form comes from our own page."""
    context, state = current_request(), request.scope["state"]
    context.route_policy = NO_KEY
    if context.method == "OPTIONS":
        return options_response(request)
    access: PagePolicy = request.route_handler.opt.get("access", SIGNED_IN)
    cookies = _request_cookies(context)
    state[_PAGE] = _anonymous_request(context, cookies)
    form: Form = {}
    if access.is_data:
        check_form_origin(context.request_headers, context.services.settings.public_url)
    if context.method == "POST":
        check_form_origin(context.request_headers, context.services.settings.public_url)
        form = await read_form(context.request_headers, request.receive, access.form_limit)
    page = await _identify_request(context, cookies, access.is_anonymous, form)
    state[_PAGE] = page = replace(page, runs_scripts=access.runs_scripts)
    if access.is_data and page.session is None:
        raise new_problem("missing_api_key", "The session has ended. Sign in again.")
    if not access.is_anonymous and page.session is None:
        return page.redirect_to(SIGN_IN, [cookies.forget("session")])
    if access.is_operator_only and not page.is_operator:
        raise not_found_problem(context.path)
    if context.method == "POST":
        _check_form(page)
    return None


def _current_page(request: ApiRequest[Any]) -> PageRequest:
    return request.scope["state"][_PAGE]


def _on_page_error(request: ApiRequest[Any], refused: PageError) -> HttpResponse:
    return _current_page(request).render("refused.html", refused.status, refused=refused)


def _on_problem(request: ApiRequest[Any], problem: ProblemError) -> HttpResponse:
    if request.route_handler.opt.get("access", SIGNED_IN).is_data:
        told = problem_response(_current_page(request).context, problem)
        return HttpResponse(told.status, [*told.headers, *SAFETY], told.body)
    return _problem_page(_current_page(request), problem)


def is_dashboard_path(path: str) -> bool:
    """True for paths of dashboard pages."""
    return path == HOME or path.startswith(f"{HOME}/")


def error_page(context: RequestContext, problem: ProblemError) -> HttpResponse:
    """The error page if no page could answer: unknown paths and methods, requests too large, failures."""
    return _problem_page(_anonymous_request(context, _request_cookies(context)), problem)


def _problem_page(visit: PageRequest, trouble: ProblemError) -> HttpResponse:
    visit.context.problem_code = trouble.problem_type.code
    visit.context.route_policy = NO_KEY
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
    service = visit.services
    if not service.session_service.is_form_token(visit.browser_token, visit.form.get(TOKEN_FIELD, "")):
        raise cross_origin_form_error()
    if visit.session is not None:
        service.rate_limiter.check_dashboard_changes(visit.account_id, visit.context.started_at)
