"""Filters of a subscription as fields of a form, as its request body, and as words (docs/contract/contract.md 4.8c).

The rules are the API's: what cannot be read is passed on, so that its error is shown. Does not belong here: the pages
(`api.dashboard.pages.webhooks`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from api.dashboard.html_forms import Form
from api.webhooks.filters.models import CHANGED_FIELDS, Filters
from warehouse.schema.codes import INDUSTRY_SCHEMES, SERVED, THRESHOLDS

EMPTY: Final[Form] = {
    "industries": "",
    "industry_scheme": "",
    "is_listed": "",
    "min_change_pct": "",
    "watchlist_id": "",
}
CHOICES: Final = {"countries": SERVED, "schemes": INDUSTRY_SCHEMES, "thresholds": THRESHOLDS, "changed": CHANGED_FIELDS}
"""What the form offers, by the names that its template uses."""
NAMES: Final = {
    "countries": "Countries",
    "industries": "Industries",
    "industry_scheme": "Classification",
    "is_listed": "Listing",
    "min_change_pct": "Change of a share",
    "thresholds": "Thresholds",
    "changed_fields": "Changed fields",
    "watchlist_id": "Watchlist",
}
_COUNTRY, _THRESHOLD, _CHANGED = "country ", "threshold ", "changed "
_LISTED: Final = {"true": True, "false": False}
_NUMBER: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


def filter_values(filters: Filters | None) -> Form:
    """The form fields of existing filters."""
    chosen = filters or {}
    ownership = chosen.get("ownership", {})
    listed: dict[Any, str] = {value: name for name, value in _LISTED.items()}
    return {
        "industries": " ".join(chosen.get("industries", ())),
        "industry_scheme": chosen.get("industry_scheme", ""),
        "is_listed": listed.get(chosen.get("is_listed"), ""),
        "min_change_pct": str(ownership.get("min_change_pct", "")),
        "watchlist_id": chosen.get("watchlist_id", ""),
        **{_COUNTRY + one: "on" for one in chosen.get("countries", ())},
        **{f"{_THRESHOLD}{one}": "on" for one in ownership.get("thresholds", ())},
        **{_CHANGED + one: "on" for one in chosen.get("changed_fields", ())},
    }


def filters_body(form: Form) -> dict[str, Any]:
    """The filters as a request body and a merge patch: each member, null for an empty field."""
    share = form.get("min_change_pct", "").strip().replace(",", ".")
    listed = form.get("is_listed", "")
    return {
        "countries": [one for one in SERVED if _COUNTRY + one in form] or None,
        "industries": form.get("industries", "").replace(",", " ").split() or None,
        "industry_scheme": form.get("industry_scheme", "") or None,
        "is_listed": _LISTED.get(listed, listed or None),
        "ownership": {
            "min_change_pct": float(share) if _NUMBER.fullmatch(share) else share or None,
            "thresholds": [one for one in THRESHOLDS if f"{_THRESHOLD}{one}" in form] or None,
        },
        "changed_fields": [one for one in CHANGED_FIELDS if _CHANGED + one in form] or None,
        "watchlist_id": form.get("watchlist_id", "") or None,
    }


def is_filtered(form: Form) -> bool:
    """Whether a form has any filter."""
    body = filters_body(form)
    return any(value is not None for value in (*body.pop("ownership").values(), *body.values()))


def filter_words(filters: Filters | None, watchlists: Mapping[str, str]) -> list[str]:
    """Each filter in words; `watchlists`: names by id."""
    chosen = filters or {}
    ownership = chosen.get("ownership", {})
    words: Sequence[tuple[bool, str]] = (
        ("countries" in chosen, f"companies of {_listed(chosen.get('countries', ()))}"),
        ("industries" in chosen, f"industry codes beginning with {_listed(chosen.get('industries', ()))}"),
        ("industry_scheme" in chosen, f"classification {chosen.get('industry_scheme')}"),
        ("is_listed" in chosen, "listed companies" if chosen.get("is_listed") else "companies that are not listed"),
        ("min_change_pct" in ownership, f"shares that change by {ownership.get('min_change_pct')} points or more"),
        ("thresholds" in ownership, f"shares that cross {_listed(ownership.get('thresholds', ()))} percent"),
        ("changed_fields" in chosen, f"changes of {_listed(chosen.get('changed_fields', ()))}"),
        ("watchlist_id" in chosen, f"the watchlist «{watchlists.get(chosen.get('watchlist_id', ''), '')}»"),
    )
    return [text for is_set, text in words if is_set]


def field_name(pointer: str) -> str:
    """The form's name of the filter that an error points at; of anything else it is the form."""
    names = [NAMES[step] for step in pointer.split("/") if step in NAMES]
    return names[0] if names else "The form"


def _listed(values: Sequence[Any]) -> str:
    *most, last = [str(one) for one in values] or [""]
    return f"{', '.join(most)} or {last}" if most else last
