"""Breaks of the dashboard and of what pages of others may read."""

from typing import Final

from tests.mutants.mutant import Mutant

_EVERY = "tests/api/dashboard/test_dashboard_every_page.py::"
_SAFETY = "tests/api/dashboard/test_dashboard_safety.py::"
_CORS = "tests/api/test_api_cors.py::"
_FORGED = _EVERY + "test_forms_of_other_sites_are_refused_by_every_page"

DASHBOARD: Final = (
    Mutant(
        "dashboard: a form is taken whatever token it carries",
        "api/dashboard/pages.py",
        'if not service.doors.is_form_token(visit.shown, visit.form.get(TOKEN_FIELD, "")):',
        'if service.doors.is_form_token("", visit.form.get(TOKEN_FIELD, "")):',
        _FORGED,
    ),
    Mutant(
        "dashboard: a form is taken from a page of another origin",
        "api/dashboard/forms.py",
        'if not separator or scheme not in ("http", "https") or host not in hosts:',
        'if not separator or scheme not in ("http", "https"):',
        _FORGED,
    ),
    Mutant(
        "dashboard: where a page leads elsewhere it may stand in a frame",
        "api/dashboard/pages.py",
        'return Answer(303, [location, (b"content-length", b"0"), NO_STORE, *SAFETY, *headers], b"")',
        'return Answer(303, [location, (b"content-length", b"0"), NO_STORE, *headers], b"")',
        _EVERY + "test_every_page_is_in_nobodys_frame_and_runs_nothing",
    ),
    Mutant(
        "dashboard: pages are shown to who is not signed in",
        "api/dashboard/pages.py",
        "if not self.for_anyone and visit.signed_in is None:",
        'if not self.for_anyone and visit.signed_in is None and call.path == "/dashboard":',
        _EVERY + "test_pages_lead_who_is_not_signed_in_to_the_door",
    ),
    Mutant(
        "dashboard: what others wrote becomes part of a page",
        "api/dashboard/rendering.py",
        "autoescape=True,",
        "autoescape=False,",
        _SAFETY + "test_hostile_texts_stay_texts",
    ),
    Mutant(
        "dashboard: whatever calls itself an origin is sent back as one",
        "api/cors.py",
        "is_told = call.problem == _REFUSAL and _page_of(origin) is not None",
        "is_told = call.problem == _REFUSAL",
        _CORS + "test_a_page_elsewhere_may_read_why_not_and_nothing_else",
    ),
    Mutant(
        "dashboard: a page elsewhere reads what the account has left",
        "api/cors.py",
        'return ((b"access-control-allow-origin", origin),) if is_told else ()',
        'return ((b"access-control-allow-origin", origin), _EXPOSE) if is_told else ()',
        _CORS + "test_a_page_elsewhere_may_read_why_not_and_nothing_else",
    ),
)
