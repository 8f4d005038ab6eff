"""Binds a page to its path: session, form checks, handler, and the security headers of every page.

Pages are not part of the API: they count against no quota, and their errors are HTML pages. Does not belong
here: the content of a page (`api.dashboard.routes`).
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast
from urllib.parse import urlsplit

from litestar.types import Receive

from api.answers import Answer, Header
from api.call import Call, Route, Sharing
from api.dashboard import rendering
from api.dashboard.cookies import Cookies
from api.dashboard.doors import SignedIn
from api.dashboard.forms import FORM_LIMIT, TOKEN_FIELD, Form, check_origin, foreign, read_form
from api.dashboard.refusals import Refused
from api.problems import Problem, nothing_at
from api.stamps import NO_STORE
from api.tokens import make_token

HOME: Final = "/dashboard"
SIGN_IN: Final = "/dashboard/sign-in"
OPERATOR: Final = "/dashboard/operator"
_HTML: Final = (b"content-type", b"text/html; charset=utf-8")
_POLICY: Final = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; "
    b"frame-ancestors 'none'"
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
class Visit:
    """One request for a page. `shown` is the browser's own token, from which its CSRF tokens derive."""

    call: Call
    cookies: Cookies
    shown: str
    is_new: bool
    """True if the browser does not have `shown` yet."""
    signed_in: SignedIn | None
    session_token: str | None
    form: Form = field(default_factory=dict)

    @property
    def root(self) -> str:
        """The path prefix, if the service is reached below a path."""
        return urlsplit(self.call.service.settings.public_url).path

    @property
    def known(self) -> SignedIn:
        """The signed-in account; only for pages that require a session."""
        if self.signed_in is None:
            raise RuntimeError("this page does not require a session")
        return self.signed_in

    @property
    def account_id(self) -> str:
        return self.known.account.account_id

    @property
    def is_operator(self) -> bool:
        """True if the signed-in account is listed in the settings."""
        if self.signed_in is None or self.signed_in.account.status == "suspended":
            return False
        return self.signed_in.account.email in self.call.service.settings.operators

    def render(
        self, template: str, status: int = 200, headers: Sequence[Header] = (), **values: Any
    ) -> Answer:
        """Renders a page for this request."""
        body = rendering.page(
            template,
            root=self.root,
            form_field=TOKEN_FIELD,
            form_token=self.call.service.doors.form_token(self.shown),
            account=None if self.signed_in is None else self.signed_in.account,
            is_operator=self.is_operator,
            path=self.call.scope["path"],
            request_id=self.call.request_id,
            **values,
        )
        told = [_HTML, (b"content-length", b"%d" % len(body)), NO_STORE, *SAFETY, *headers]
        if self.is_new:
            told.append(self.cookies.write("visitor", self.shown))
        return Answer(status, told, body)

    def go(self, path: str, headers: Sequence[Header] = ()) -> Answer:
        """Redirects to another dashboard page; the target is never taken from a request."""
        location = (b"location", (self.root + path).encode())
        return Answer(303, [location, (b"content-length", b"0"), NO_STORE, *SAFETY, *headers], b"")


Handler = Callable[[Visit], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Page:
    """One page or form action."""

    path: str
    method: str
    name: str
    route: Route
    for_anyone: bool
    for_operators: bool
    form_limit: int
    """Maximum size of the form in bytes."""
    handler: Handler
    public: bool = True
    """No API key is needed."""

    async def answer(self, call: Call, receive: Receive) -> Answer:
        call.route = self.route
        cookies = _cookies(call)
        visit = _stranger(call, cookies)
        try:
            form = await self._read_form(call, receive)
            visit = await _visit(call, cookies, self.for_anyone, form)
            if not self.for_anyone and visit.signed_in is None:
                return visit.go(SIGN_IN, [cookies.forget("session")])
            if self.for_operators and not visit.is_operator:
                raise nothing_at(call.path)
            if self.method == "POST":
                _check_form(visit)
            return await self.handler(visit)
        except Refused as refused:
            return visit.render("refused.html", refused.status, refused=refused)
        except Problem as trouble:
            return _shown(visit, trouble)

    async def _read_form(self, call: Call, receive: Receive) -> Form:
        if self.method != "POST":
            return {}
        check_origin(call.incoming, call.service.settings.public_url)
        return await read_form(call.incoming, receive, self.form_limit)


def page(
    path: str,
    *,
    method: str = "GET",
    for_anyone: bool = False,
    for_operators: bool = False,
    form_limit: int = FORM_LIMIT,
) -> Callable[[Handler], Page]:
    """Registers a handler for one method of a path below /dashboard; GET includes HEAD.

    Pages require a session, others are redirected to sign-in. Pages `for_anyone` need no session, and their
    CSRF tokens derive from the visitor's token. Pages `for_operators` are 404 for others.
    """
    told = Route(path.replace(":str", ""), Sharing.NOBODY, counted=False)

    def bind(handler: Handler) -> Page:
        name = cast("str", getattr(handler, "__name__", path))
        return Page(path, method, name, told, for_anyone, for_operators, form_limit, handler)

    return bind


def is_of_pages(path: str) -> bool:
    """True for paths of dashboard pages."""
    return path == HOME or path.startswith(f"{HOME}/")


def error_page(call: Call, trouble: Problem) -> Answer:
    """The error page if no page could answer: unknown paths and methods, requests too large, failures."""
    return _shown(_stranger(call, _cookies(call)), trouble)


def _shown(visit: Visit, trouble: Problem) -> Answer:
    visit.call.problem = trouble.kind.code
    refused = Refused(trouble.status, trouble.kind.title, trouble.detail)
    return visit.render("refused.html", trouble.status, trouble.headers, refused=refused)


def _cookies(call: Call) -> Cookies:
    return Cookies(call.service.settings.public_url.startswith("https://"))


def _stranger(call: Call, cookies: Cookies) -> Visit:
    """An anonymous visit, for errors before the session is known."""
    return Visit(call, cookies, make_token("visitor"), False, None, None)


async def _visit(call: Call, cookies: Cookies, for_anyone: bool, form: Form) -> Visit:
    given = call.incoming.get(b"cookie")
    session = cookies.read(given, "session")
    if not for_anyone:
        signed_in = None if session is None else await _signed_in(call, session)
        shown = session or make_token("visitor")
        return Visit(call, cookies, shown, False, signed_in, session, form)
    visitor = cookies.read(given, "visitor")
    return Visit(call, cookies, visitor or make_token("visitor"), visitor is None, None, session, form)


async def _signed_in(call: Call, session: str) -> SignedIn | None:
    """The session of a token.

    Invalid tokens count as failed authentications, so a flood of them never reaches the database.
    """
    call.service.limits.try_client(call.client, call.started)
    found = await call.service.doors.signed_in(session)
    if found is not None:
        call.service.limits.forgive_client(call.client, call.started)
    return found


def _check_form(visit: Visit) -> None:
    """Checks the CSRF token, and limits the rate to what a person would send."""
    service = visit.call.service
    if not service.doors.is_form_token(visit.shown, visit.form.get(TOKEN_FIELD, "")):
        raise foreign()
    if visit.signed_in is not None:
        service.limits.check_change(visit.account_id, visit.call.started)
