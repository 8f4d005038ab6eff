"""Converts between the form of a webhook subscription and the API's request body.

Does not belong here: validation (`api.webhooks.subscriptions.requests`), or the actions
(`api.dashboard.pages.webhooks`).
"""

import json
from typing import Any, Final

from api.dashboard.html_forms import Form
from api.problems.problem import ProblemError
from api.webhooks.subscriptions.models import SubscriptionRecord
from warehouse.schema.codes import EVENT_TYPES

EMPTY: Final[Form] = {"endpoint_url": "", "entity_ids": "", "description": "", "max_per_second": ""}
LIMIT: Final = 1 << 19
"""Maximum size of the form in bytes: 10,000 companies, escaped, take half of it."""
_TYPE: Final = "type "
_DIGITS: Final = 10
_NAMES: Final = {
    "endpoint_url": "Endpoint",
    "event_types": "Event types",
    "entity_ids": "Companies",
    "description": "Description",
    "max_per_second": "Maximum per second",
}


def chosen_event_types(form: Form) -> list[str]:
    """The event types that are ticked."""
    return [one for one in EVENT_TYPES if _TYPE + one in form]


def form_values(record: SubscriptionRecord) -> Form:
    """The form fields of an existing subscription."""
    companies = [] if record.companies is None else json.loads(record.companies)
    return {
        "endpoint_url": record.endpoint_url,
        "entity_ids": "\n".join(companies),
        "description": record.description or "",
        "max_per_second": "" if record.max_per_second is None else str(record.max_per_second),
        **{_TYPE + one: "on" for one in record.event_types},
    }


def new_subscription_body(form: Form) -> dict[str, Any]:
    """Request body of a new subscription; empty fields are omitted."""
    return {name: value for name, value in _parse_members(form).items() if value is not None}


def merge_patch_body(form: Form, record: SubscriptionRecord) -> dict[str, Any]:
    """The changes as a merge patch; empty fields are null.

    An unchanged URL is omitted: it would be resolved again, and a failing endpoint would then block every other
    change.
    """
    members = _parse_members(form)
    if members["endpoint_url"] == record.endpoint_url:
        del members["endpoint_url"]
    return members


def error_messages(problem: ProblemError) -> list[str]:
    """Validation errors with the form's field names."""
    return [
        f"{_NAMES.get((one.pointer or '').split('/')[1], 'The form')}: {one.detail}" if one.pointer else one.detail
        for one in problem.errors
    ] or [problem.detail]


def _parse_members(form: Form) -> dict[str, Any]:
    """All members; null for empty optional fields."""
    fastest = form.get("max_per_second", "").strip()
    is_whole = fastest.isascii() and fastest.isdigit() and len(fastest) < _DIGITS
    return {
        "endpoint_url": form.get("endpoint_url", "").strip(),
        "event_types": chosen_event_types(form),
        "entity_ids": form.get("entity_ids", "").replace(",", " ").split() or None,
        "description": form.get("description", "").strip() or None,
        "max_per_second": int(fastest) if is_whole else fastest or None,
    }
