"""Sign-in, sign-up and sign-out: by a mailed link, and a button on the page it opens; signed-in browsers.

The link alone changes nothing, because mail scanners open links too.
"""

from litestar import get, post
from litestar.params import FromPath

from api.accounts.service import AccountError
from api.common.redaction import redact
from api.dashboard.html_forms import PageError
from api.dashboard.routing import ANONYMOUS, HOME, SIGN_IN, CurrentPage
from api.dashboard.sessions import IDLE_LIFETIME, LINK_LIFETIME, SESSION_LIFETIME
from api.dashboard.sign_in_mailer import PATH
from api.http.context import RequestContext
from api.http.responses import HttpResponse

_SENT = f"{SIGN_IN}/sent"
_LONGEST_BROWSER = 200


@get(SIGN_IN, access=ANONYMOUS)
async def show_sign_in_form(page: CurrentPage) -> HttpResponse:
    return page.render("sign_in.html", email="", error=None, has_mail=_has_mail(page))


@post(SIGN_IN, access=ANONYMOUS)
async def send_sign_in_link(page: CurrentPage) -> HttpResponse:
    """Gives the same response after the same work, whether the address has an account or not."""
    service, email = page.services, page.form.get("email", "")
    service.rate_limiter.check_sign_in_attempts(page.context.client_ip, page.context.started_at)
    try:
        await service.session_service.send_link(email)
    except AccountError:
        error = "Enter an e-mail address, for example name@example.com."
        return page.render("sign_in.html", 422, email=email, error=error, has_mail=_has_mail(page))
    return page.redirect_to(_SENT)


@get(_SENT, access=ANONYMOUS)
async def show_link_sent(page: CurrentPage) -> HttpResponse:
    minutes = int(LINK_LIFETIME.total_seconds() // 60)
    return page.render("sent.html", minutes=minutes, has_mail=_has_mail(page))


@get(PATH, access=ANONYMOUS)
async def show_sign_in_confirmation(page: CurrentPage) -> HttpResponse:
    """Shows the address and asks for confirmation; the link stays valid."""
    service, given = page.services, page.query_values("token")
    token = given[0] if len(given) == 1 else ""
    service.rate_limiter.check_failed_authentications(page.context.client_ip, page.context.started_at)
    email = await service.session_service.address_of_link(token)
    if email is None:
        raise _used_link_error()
    service.rate_limiter.reset_failed_authentications(page.context.client_ip, page.context.started_at)
    return page.render("link.html", token=token, email=email, idle_days=IDLE_LIFETIME.days)


@post(PATH, access=ANONYMOUS)
async def sign_in(page: CurrentPage) -> HttpResponse:
    service = page.services
    service.rate_limiter.check_sign_in_attempts(page.context.client_ip, page.context.started_at)
    made = await service.session_service.sign_in(
        page.form.get("token", ""), _browser_name(page.context), page.session_token
    )
    if made is None:
        raise _used_link_error()
    lasting = int(SESSION_LIFETIME.total_seconds())
    cookies = page.cookies
    return page.redirect_to(HOME, [cookies.write("session", made.token, lasting), cookies.forget("visitor")])


@post("/dashboard/sign-out")
async def sign_out(page: CurrentPage) -> HttpResponse:
    await page.services.session_service.end(page.account_id, page.required_session.session.session_id)
    return page.redirect_to(SIGN_IN, [page.cookies.forget("session")])


def _has_mail(page: CurrentPage) -> bool:
    """Whether the service can send links at all; who asks for one must not wait for it in vain."""
    return bool(page.services.settings.mail.host)


def _used_link_error() -> PageError:
    return PageError(
        410,
        "This link is no longer valid",
        "A link works once and for a short time. Request another one and use the link in the newest e-mail.",
    )


def _browser_name(call: RequestContext) -> str | None:
    """The User-Agent, as one printable line without secrets."""
    told = call.request_headers.get(b"user-agent", b"").decode("latin-1")
    return redact("".join(letter for letter in told if letter.isprintable()))[:_LONGEST_BROWSER] or None


_ALL = "/dashboard/sessions"


@get(_ALL)
async def list_sessions(page: CurrentPage) -> HttpResponse:
    sessions = await page.services.session_service.sessions(page.account_id)
    return page.render("sessions.html", sessions=sessions, own_id=page.required_session.session.session_id)


@post(f"{_ALL}/{{session_id:str}}/end")
async def end_session(page: CurrentPage, session_id: FromPath[str]) -> HttpResponse:
    await page.services.session_service.end(page.account_id, session_id)
    if session_id == page.required_session.session.session_id:
        return page.redirect_to(SIGN_IN, [page.cookies.forget("session")])
    return page.redirect_to(_ALL)


@post(f"{_ALL}/end-others")
async def end_other_sessions(page: CurrentPage) -> HttpResponse:
    await page.services.session_service.end_other_sessions(page.required_session.session)
    return page.redirect_to(_ALL)
