"""Session pages: list signed-in browsers, and sign them out from another one."""

from api.dashboard.routing import SIGN_IN, PageRequest, dashboard_page
from api.http.responses import HttpResponse

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
