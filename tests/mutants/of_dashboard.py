"""Breaks of the dashboard and of what pages of others may read."""

from typing import Final

from tests.mutants.mutant import Mutant

_EVERY = "tests/api/dashboard/test_every_page.py::"
_SAFETY = "tests/api/dashboard/test_safety.py::"
_CORS = "tests/api/http/test_cors.py::"
_OPERATOR = "tests/api/dashboard/pages/test_operator.py::"
_COMPANIES = "tests/api/dashboard/pages/test_companies.py::"
_EXPLORER = "tests/api/dashboard/test_explorer_forms.py::"
_SHOWN = "tests/api/dashboard/test_one_time_secrets.py::"
_EDIT = "tests/api/dashboard/pages/test_webhook_edit.py::"
_FORGED = _EVERY + "test_forms_of_other_sites_are_refused_by_every_page"

DASHBOARD: Final = (
    Mutant(
        "dashboard: a form is taken whatever token it carries",
        "api/dashboard/routing.py",
        'if not service.session_service.is_form_token(visit.browser_token, visit.form.get(TOKEN_FIELD, "")):',
        'if service.session_service.is_form_token("", visit.form.get(TOKEN_FIELD, "")):',
        _FORGED,
    ),
    Mutant(
        "dashboard: a form is taken from a page of another origin",
        "api/dashboard/html_forms.py",
        'if not separator or scheme not in ("http", "https") or host not in hosts:',
        'if not separator or scheme not in ("http", "https"):',
        _FORGED,
    ),
    Mutant(
        "dashboard: where a page leads elsewhere it may stand in a frame",
        "api/dashboard/routing.py",
        'return HttpResponse(303, [location, (b"content-length", b"0"), NO_STORE, *SAFETY, *headers], b"")',
        'return HttpResponse(303, [location, (b"content-length", b"0"), NO_STORE, *headers], b"")',
        _EVERY + "test_every_page_is_in_nobodys_frame_and_runs_nothing",
    ),
    Mutant(
        "dashboard: pages are shown to who is not signed in",
        "api/dashboard/routing.py",
        "if not access.is_anonymous and page.session is None:",
        'if not access.is_anonymous and page.session is None and context.path == "/dashboard":',
        _EVERY + "test_pages_lead_who_is_not_signed_in_to_the_door",
    ),
    Mutant(
        "dashboard: what others wrote becomes part of a page",
        "api/dashboard/templating.py",
        "autoescape=True,",
        "autoescape=False,",
        _SAFETY + "test_hostile_texts_stay_texts",
    ),
    Mutant(
        "dashboard: whatever calls itself an origin is sent back as one",
        "api/http/cors.py",
        "is_told = context.problem_code in _KEY_REFUSALS and _page_origin(origin) is not None",
        "is_told = context.problem_code in _KEY_REFUSALS",
        _CORS + "test_a_page_elsewhere_may_read_why_not_and_nothing_else",
    ),
    Mutant(
        "dashboard: a page elsewhere reads what the account has left",
        "api/http/cors.py",
        'return ((b"access-control-allow-origin", origin),) if is_told else ()',
        'return ((b"access-control-allow-origin", origin), _EXPOSE) if is_told else ()',
        _CORS + "test_a_page_elsewhere_may_read_why_not_and_nothing_else",
    ),
    Mutant(
        "dashboard: whoever is signed in is an operator",
        "api/dashboard/routing.py",
        "return self.session.account.email in self.services.settings.operators",
        "return self.session.account.email not in ()",
        _OPERATOR + "test_for_everybody_else_there_is_no_such_page",
    ),
    Mutant(
        "explorer: a parameter leads to another path",
        "api/dashboard/explorer_forms.py",
        'path = path.replace(f"{{{field.name}}}", quote(value, safe=":"))',
        'path = path.replace(f"{{{field.name}}}", quote(value, safe="/:"))',
        _EXPLORER + "test_a_parameter_stays_in_its_place",
    ),
    Mutant(
        "explorer: what changes something is sent without being meant",
        "api/dashboard/pages/explorer.py",
        'if described.is_mutating and "confirm" not in page.form:',
        'if described.is_mutating and "key" not in page.form:',
        _EXPLORER + "test_what_changes_something_is_sent_when_it_is_meant",
    ),
    Mutant(
        "explorer: a key of another account is used",
        "api/dashboard/pages/explorer.py",
        'return None if caller.account_id == visit.account_id else "This key belongs to another account."',
        'return None if caller.account_id else "This key belongs to another account."',
        _EXPLORER + "test_nothing_is_sent_with_a_key_that_is_not_the_accounts",
    ),
    Mutant(
        "dashboard: whoever reads the database can read what is to be shown once",
        "api/dashboard/one_time_secrets.py",
        "return SecretBox([visit.session_token.encode()])",
        "return visit.call.service.sealer",
        _SHOWN + "test_the_database_cannot_tell_it",
    ),
    Mutant(
        "dashboard: a change overwrites what somebody else has changed meanwhile",
        "api/dashboard/pages/webhooks.py",
        "await subscriptions.change(owner, record.subscription_id, body, _seen_etag(page.form))",
        "await subscriptions.change(owner, record.subscription_id, body, None)",
        _EDIT + "test_a_change_that_makes_no_sense_or_comes_late_changes_nothing",
    ),
    Mutant(
        "company pages: pages of other sites read by the session",
        "api/dashboard/routing.py",
        "if access.is_data:",
        "if access.is_data and not context.method:",
        _COMPANIES + "test_pages_of_other_sites_read_nothing",
    ),
    Mutant(
        "company pages: the session reads what the pages do not show",
        "api/dashboard/pages/company_data.py",
        "if part not in _PARTS:",
        "if not part:",
        _COMPANIES + "test_no_path_leads_to_other_operations",
    ),
    Mutant(
        "company pages: a cell of a download is a formula",
        "api/dashboard/pages/company_tables.py",
        """return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value""",
        "return value",
        _COMPANIES + "test_cells_run_nothing_in_a_spreadsheet_and_unknown_is_empty",
    ),
)
