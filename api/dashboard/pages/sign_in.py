"""Sign-in, sign-up and sign-out: by a mailed link, and a button on the page it opens; signed-in browsers.

The link alone changes nothing, because mail scanners open links too.
"""

from api.accounts.service import AccountError
from api.dashboard.errors import PageError
from api.dashboard.routing import HOME, SIGN_IN, PageRequest, dashboard_page
from api.dashboard.sessions import IDLE_LIFETIME, LINK_LIFETIME, SESSION_LIFETIME
from api.dashboard.sign_in_mailer import PATH
from api.http.context import RequestContext
from api.http.responses import HttpResponse

_SENT = f"{SIGN_IN}/sent"
_LONGEST_BROWSER = 200


@dashboard_page(SIGN_IN, is_anonymous=True)
async def show_sign_in_form(request: PageRequest) -> HttpResponse:
    return request.render("sign_in.html", email="", error=None)


@dashboard_page(SIGN_IN, method="POST", is_anonymous=True)
async def send_sign_in_link(request: PageRequest) -> HttpResponse:
    """Gives the same response after the same work, whether the address has an account or not."""
    service, email = request.context.services, request.form.get("email", "")
    service.rate_limiter.check_sign_in_attempts(request.context.client_ip, request.context.started_at)
    try:
        await service.session_service.send_link(email)
    except AccountError:
        error = "Enter an e-mail address, for example name@example.com."
        return request.render("sign_in.html", 422, email=email, error=error)
    return request.redirect_to(_SENT)


@dashboard_page(_SENT, is_anonymous=True)
async def show_link_sent(request: PageRequest) -> HttpResponse:
    return request.render("sent.html", minutes=int(LINK_LIFETIME.total_seconds() // 60))


@dashboard_page(PATH, is_anonymous=True)
async def show_sign_in_confirmation(request: PageRequest) -> HttpResponse:
    """Shows the address and asks for confirmation; the link stays valid."""
    service, given = request.context.services, request.query_values("token")
    token = given[0] if len(given) == 1 else ""
    service.rate_limiter.check_failed_authentications(request.context.client_ip, request.context.started_at)
    email = await service.session_service.address_of_link(token)
    if email is None:
        raise _used_link_error()
    service.rate_limiter.reset_failed_authentications(request.context.client_ip, request.context.started_at)
    return request.render("link.html", token=token, email=email, idle_days=IDLE_LIFETIME.days)


@dashboard_page(PATH, method="POST", is_anonymous=True)
async def sign_in(request: PageRequest) -> HttpResponse:
    service = request.context.services
    service.rate_limiter.check_sign_in_attempts(request.context.client_ip, request.context.started_at)
    made = await service.session_service.sign_in(
        request.form.get("token", ""), _browser_name(request.context), request.session_token
    )
    if made is None:
        raise _used_link_error()
    lasting = int(SESSION_LIFETIME.total_seconds())
    cookies = request.cookies
    return request.redirect_to(HOME, [cookies.write("session", made.token, lasting), cookies.forget("visitor")])


@dashboard_page("/dashboard/sign-out", method="POST")
async def sign_out(request: PageRequest) -> HttpResponse:
    await request.context.services.session_service.end(request.account_id, request.required_session.session.session_id)
    return request.redirect_to(SIGN_IN, [request.cookies.forget("session")])


def _used_link_error() -> PageError:
    return PageError(
        410,
        "This link is no longer valid",
        "A link works once and for a short time. Request another one and use the link in the newest e-mail.",
    )


def _browser_name(call: RequestContext) -> str | None:
    """The User-Agent, as one printable line."""
    told = call.request_headers.get(b"user-agent", b"").decode("latin-1")
    return "".join(letter for letter in told if letter.isprintable())[:_LONGEST_BROWSER] or None


_ALL = "/dashboard/sessions"


@dashboard_page(_ALL)
async def list_sessions(request: PageRequest) -> HttpResponse:
    sessions = await request.context.services.session_service.sessions(request.account_id)
    return request.render("sessions.html", sessions=sessions, own_id=request.required_session.session.session_id)


@dashboard_page(f"{_ALL}/{{session_id:str}}/end", method="POST")
async def end_session(request: PageRequest) -> HttpResponse:
    session_id = request.context.path_parameters["session_id"]
    await request.context.services.session_service.end(request.account_id, session_id)
    if session_id == request.required_session.session.session_id:
        return request.redirect_to(SIGN_IN, [request.cookies.forget("session")])
    return request.redirect_to(_ALL)


@dashboard_page(f"{_ALL}/end-others", method="POST")
async def end_other_sessions(request: PageRequest) -> HttpResponse:
    await request.context.services.session_service.end_other_sessions(request.required_session.session)
    return request.redirect_to(_ALL)
