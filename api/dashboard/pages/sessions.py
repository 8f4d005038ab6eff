"""Session pages: list signed-in browsers, and sign them out from another one."""

from api.dashboard.routing import SIGN_IN, PageRequest, dashboard_page
from api.http.responses import HttpResponse

_ALL = "/dashboard/sessions"


@dashboard_page(_ALL)
async def list_sessions(visit: PageRequest) -> HttpResponse:
    sessions = await visit.call.service.doors.sessions(visit.account_id)
    return visit.render("sessions.html", sessions=sessions, own_id=visit.known.session.session_id)


@dashboard_page(f"{_ALL}/{{session_id:str}}/end", method="POST")
async def end_session(visit: PageRequest) -> HttpResponse:
    session_id = visit.call.places["session_id"]
    await visit.call.service.doors.end(visit.account_id, session_id)
    if session_id == visit.known.session.session_id:
        return visit.go(SIGN_IN, [visit.cookies.forget("session")])
    return visit.go(_ALL)


@dashboard_page(f"{_ALL}/end-others", method="POST")
async def end_other_sessions(visit: PageRequest) -> HttpResponse:
    await visit.call.service.doors.end_others(visit.known.session)
    return visit.go(_ALL)
