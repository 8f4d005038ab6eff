"""Sign-in, sign-up and sign-out: by a mailed link, and a button on the page it opens.

The link alone changes nothing, because mail scanners open links too.
"""

from urllib.parse import parse_qs

from api.accounts.service import AccountError
from api.dashboard.errors import PageError
from api.dashboard.routing import HOME, SIGN_IN, PageRequest, dashboard_page
from api.dashboard.sessions import IDLE_LIFETIME, LINK_LIFETIME, SESSION_LIFETIME
from api.dashboard.sign_in_email import PATH
from api.http.context import RequestContext
from api.http.responses import HttpResponse

_SENT = f"{SIGN_IN}/sent"
_LONGEST_BROWSER = 200


@dashboard_page(SIGN_IN, for_anyone=True)
async def ask_for_link(visit: PageRequest) -> HttpResponse:
    return visit.render("sign_in.html", email="", error=None)


@dashboard_page(SIGN_IN, method="POST", for_anyone=True)
async def mail_link(visit: PageRequest) -> HttpResponse:
    """Gives the same response after the same work, whether the address has an account or not."""
    service, email = visit.call.service, visit.form.get("email", "")
    service.limits.check_sign_in(visit.call.client, visit.call.started)
    try:
        await service.doors.send_link(email)
    except AccountError:
        error = "Enter an e-mail address, for example name@example.com."
        return visit.render("sign_in.html", 422, email=email, error=error)
    return visit.go(_SENT)


@dashboard_page(_SENT, for_anyone=True)
async def show_sent(visit: PageRequest) -> HttpResponse:
    return visit.render("sent.html", minutes=int(LINK_LIFETIME.total_seconds() // 60))


@dashboard_page(PATH, for_anyone=True)
async def open_link(visit: PageRequest) -> HttpResponse:
    """Shows the address and asks for confirmation; the link stays valid."""
    service, token = visit.call.service, _link_token(visit.call)
    service.limits.try_client(visit.call.client, visit.call.started)
    email = await service.doors.address_of_link(token)
    if email is None:
        raise _used_link_error()
    service.limits.forgive_client(visit.call.client, visit.call.started)
    return visit.render("link.html", token=token, email=email, idle_days=IDLE_LIFETIME.days)


@dashboard_page(PATH, method="POST", for_anyone=True)
async def sign_in(visit: PageRequest) -> HttpResponse:
    service = visit.call.service
    service.limits.check_sign_in(visit.call.client, visit.call.started)
    made = await service.doors.sign_in(
        visit.form.get("token", ""), _browser_name(visit.call), visit.session_token
    )
    if made is None:
        raise _used_link_error()
    lasting = int(SESSION_LIFETIME.total_seconds())
    cookies = visit.cookies
    return visit.go(HOME, [cookies.write("session", made.token, lasting), cookies.forget("visitor")])


@dashboard_page("/dashboard/sign-out", method="POST")
async def sign_out(visit: PageRequest) -> HttpResponse:
    await visit.call.service.doors.end(visit.account_id, visit.known.session.session_id)
    return visit.go(SIGN_IN, [visit.cookies.forget("session")])


def _used_link_error() -> PageError:
    return PageError(
        410,
        "This link is no longer valid",
        "A link works once and for a short time. Request another one and use the link in the newest e-mail.",
    )


def _link_token(call: RequestContext) -> str:
    given = parse_qs(call.query.decode("latin-1")).get("token", [])
    return given[0] if len(given) == 1 else ""


def _browser_name(call: RequestContext) -> str | None:
    """The User-Agent, as one printable line."""
    told = call.incoming.get(b"user-agent", b"").decode("latin-1")
    return "".join(letter for letter in told if letter.isprintable())[:_LONGEST_BROWSER] or None
