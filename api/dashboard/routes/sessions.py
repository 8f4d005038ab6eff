"""Session pages: list signed-in browsers, and sign them out from another one."""

from api.answers import Answer
from api.dashboard.pages import SIGN_IN, Visit, page

_ALL = "/dashboard/sessions"


@page(_ALL)
async def list_sessions(visit: Visit) -> Answer:
    sessions = await visit.call.service.doors.sessions(visit.account_id)
    return visit.render("sessions.html", sessions=sessions, own_id=visit.known.session.session_id)


@page(f"{_ALL}/{{session_id:str}}/end", method="POST")
async def end_session(visit: Visit) -> Answer:
    session_id = visit.call.places["session_id"]
    await visit.call.service.doors.end(visit.account_id, session_id)
    if session_id == visit.known.session.session_id:
        return visit.go(SIGN_IN, [visit.cookies.forget("session")])
    return visit.go(_ALL)


@page(f"{_ALL}/end-others", method="POST")
async def end_other_sessions(visit: Visit) -> Answer:
    await visit.call.service.doors.end_others(visit.known.session)
    return visit.go(_ALL)
