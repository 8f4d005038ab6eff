"""The form of a webhook subscription and the interface's body, each out of the other.

Does not belong here: whether what is written makes sense (`api.webhooks.validation`), or what is done with it
(`api.dashboard.routes.webhooks`).
"""

import json
from typing import Any, Final

from api.dashboard.forms import Form
from api.db.subscription_records import SubscriptionRecord
from api.problems import Problem
from warehouse.schema.codes import EVENT_TYPES

EMPTY: Final[Form] = {"endpoint_url": "", "entity_ids": "", "description": "", "max_per_second": ""}
LIMIT: Final = 1 << 19
"""Bytes of a form: 10,000 companies, escaped, take half of it."""
_TYPE: Final = "type "
_DIGITS: Final = 10
_NAMES: Final = {
    "endpoint_url": "Endpoint",
    "event_types": "Event types",
    "entity_ids": "Companies",
    "description": "Description",
    "max_per_second": "Most per second",
}


def chosen(form: Form) -> list[str]:
    """The event types that are ticked."""
    return [one for one in EVENT_TYPES if _TYPE + one in form]


def written(record: SubscriptionRecord) -> Form:
    """The form that says what a subscription is."""
    companies = [] if record.companies is None else json.loads(record.companies)
    return {
        "endpoint_url": record.endpoint_url,
        "entity_ids": "\n".join(companies),
        "description": record.description or "",
        "max_per_second": "" if record.max_per_second is None else str(record.max_per_second),
        **{_TYPE + one: "on" for one in record.event_types},
    }


def new_body(form: Form) -> dict[str, Any]:
    """A new subscription; what is empty is left out."""
    return {name: value for name, value in _members(form).items() if value is not None}


def changes(form: Form, record: SubscriptionRecord) -> dict[str, Any]:
    """What a form changes of a subscription, as a merge patch; what is empty is null.

    An address that stays is left out: it would be looked up again, and keep everything else from being changed
    while nobody answers there.
    """
    members = _members(form)
    if members["endpoint_url"] == record.endpoint_url:
        del members["endpoint_url"]
    return members


def errors(trouble: Problem) -> list[str]:
    """What is wrong, by the names that the form has."""
    return [
        f"{_NAMES.get((one.pointer or '').split('/')[1], 'The form')}: {one.detail}"
        if one.pointer
        else one.detail
        for one in trouble.errors
    ] or [trouble.detail]


def _members(form: Form) -> dict[str, Any]:
    """Every member; null where nothing is written that may be left empty."""
    fastest = form.get("max_per_second", "").strip()
    is_whole = fastest.isascii() and fastest.isdigit() and len(fastest) < _DIGITS
    return {
        "endpoint_url": form.get("endpoint_url", "").strip(),
        "event_types": chosen(form),
        "entity_ids": form.get("entity_ids", "").replace(",", " ").split() or None,
        "description": form.get("description", "").strip() or None,
        "max_per_second": int(fastest) if is_whole else fastest or None,
    }
