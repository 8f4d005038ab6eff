"""The contract's examples: shown in the OpenAPI document, validated against the schemas by tests.

Companies and numbers are invented; identifiers have valid check digits. Does not belong here: examples of
errors (`api.openapi.problem_responses` builds them from the types).
"""

from typing import Any, Final

from api.openapi.examples.events import DELIVERIES


def last_page(*rows: dict[str, Any]) -> dict[str, Any]:
    """The last page of a list."""
    return {"data": list(rows), "next_cursor": None, "has_more": False}


PROFILE: Final[dict[str, Any]] = {
    "id": "firm:SE:5599999991",
    "org_number": "5599999991",
    "name": "Exempelbolaget AB",
    "country": "SE",
    "sni_code": "70100",
    "sni_label": "Verksamheter som utövas av huvudkontor",
    "municipality": "Göteborg",
    "county": "Västra Götalands län",
    "registered_date": "1915-05-05",
    "status": "active",
    "is_listed": True,
    "latest_revenue": 526816000000,
    "latest_currency": "SEK",
    "latest_year": 2024,
}
_OTHER_PROFILE: Final[dict[str, Any]] = {
    "id": "firm:NO:999999999",
    "org_number": "999999999",
    "name": "EKSEMPEL ASA",
    "country": "NO",
    "sni_code": "06100",
    "sni_label": "Utvinning av råolje",
    "municipality": "STAVANGER",
    "county": "Rogaland",
    "registered_date": "1995-03-12",
    "status": "active",
    "is_listed": True,
    "latest_revenue": 103774000000,
    "latest_currency": "USD",
    "latest_year": 2024,
}
COMPANY_LIST: Final[dict[str, Any]] = {
    "data": [_OTHER_PROFILE],
    "next_cursor": "AQFjb21wYW5pZXMAQ1x0b3Bz8n2kq0YxTg",
    "has_more": True,
}


def _head_of(profile: dict[str, Any]) -> dict[str, Any]:
    """Top-level company fields of a list about one company."""
    return {"company_id": profile["id"], "org_number": profile["org_number"], "name": profile["name"]}


_QUARTER: Final[dict[str, Any]] = {
    "period": "2026-Q3",
    "period_type": "quarterly",
    "fiscal_year": 2026,
    "fiscal_quarter": 3,
    "period_start": "2026-07-01",
    "period_end": "2026-09-30",
    "currency": "USD",
    "revenue": 24410000000,
    "operating_result": 5270000000,
    "net_result": 1210000000,
    "equity": 41900000000,
    "total_assets": 131000000000,
    "employees": None,
    "is_consolidated": True,
    "accounting_standard": "IFRS",
    "filing_id": "fil_3k8v2m9q4w7x1z5t6y0r2n8b4c",
    "filed_at": "2026-10-28",
    "version": 1,
    "is_restated": False,
    "derived": [],
    "period_months": 3,
}
_YEAR: Final[dict[str, Any]] = _QUARTER | {
    "period": "2025",
    "period_type": "annual",
    "fiscal_year": 2025,
    "fiscal_quarter": None,
    "period_start": "2025-01-01",
    "period_end": "2025-12-31",
    "revenue": 105400000000,
    "operating_result": 26100000000,
    "net_result": 6900000000,
    "equity": 42600000000,
    "total_assets": 130500000000,
    "employees": 24900,
    "filing_id": "fil_2d9fm8n4c6xk3jq7wz5t1v0r8e",
    "filed_at": "2026-06-02",
    "version": 2,
    "is_restated": True,
    "period_months": 12,
}
FINANCIALS: Final[dict[str, Any]] = _head_of(_OTHER_PROFILE) | last_page(_QUARTER, _YEAR)
_OWNER: Final[dict[str, Any]] = {
    "holder_id": "own_7h2k9m4p1q8s3t6v0w5x2y7z4b",
    "holder_name": "Exempel Förvaltning AB",
    "holder_type": "company",
    "holder_company_id": "firm:SE:5599999983",
    "holder_country": "SE",
    "pct": 10.7,
    "pct_min": 10.7,
    "pct_max": 10.7,
    "votes_pct": 27.1,
    "share_class": None,
    "basis": "exact",
    "is_direct": True,
    "as_of": "2026-11-18",
    "first_seen": "2019-04-30",
    "reconciliation": "agreed",
    "sources": [
        {"register": "se.fi.flaggning", "native_id": "2026-4411", "url": None, "as_of": "2026-11-18", "pct": 10.7},
        {"register": "se.annual_report", "native_id": "2025", "url": None, "as_of": "2025-12-31", "pct": 8.2},
    ],
}
_OWNER_IN_BAND: Final[dict[str, Any]] = {
    "holder_id": "own_1a2b3c4d5e6f7g8h9j0k1m2n3p",
    "holder_name": "Example Person",
    "holder_type": "person",
    "holder_company_id": None,
    "holder_country": "GB",
    "pct": None,
    "pct_min": 25,
    "pct_max": 50,
    "votes_pct": None,
    "share_class": None,
    "basis": "band",
    "is_direct": True,
    "as_of": "2026-02-01",
    "first_seen": "2021-02-01",
    "reconciliation": "single",
    "sources": [{"register": "uk.ch.psc", "native_id": "abc", "url": None, "as_of": "2026-02-01", "pct": None}],
}
OWNERSHIP: Final[dict[str, Any]] = {
    **_head_of(PROFILE),
    "as_of": "2026-11-18",
    "known_pct": 10.7,
    **last_page(_OWNER, _OWNER_IN_BAND),
}
_EVENT_DATA: Final = DELIVERIES["ownership.changed"]["data"]
EVENTS: Final[dict[str, Any]] = _head_of(PROFILE) | last_page(
    {
        "event_id": DELIVERIES["ownership.changed"]["event_id"],
        "event_type": "ownership.changed",
        "company_id": _EVENT_DATA["company_id"],
        "occurred_at": _EVENT_DATA["occurred_at"],
        "recorded_at": "2026-11-20T04:12:09Z",
        "sequence": _EVENT_DATA["sequence"],
        "data": _EVENT_DATA,
    }
)
MARKETS: Final[dict[str, Any]] = last_page(
    {
        "market": "NO",
        "name": "Norway",
        "state": "served",
        "companies": 6076,
        "observed_at": "2026-11-20T02:00:00Z",
        "datasets": [
            {
                "dataset": "no.enheter",
                "observed_at": "2026-11-20T02:00:00Z",
                "checked_at": "2026-11-20T03:30:00Z",
                "held_since": None,
                "licence": "NLOD-2.0",
                "licence_url": "https://data.norge.no/nlod/en/2.0",
                "attribution": "Contains data under NLOD from the Brønnøysund Register Centre.",
            }
        ],
    },
    {"market": "DK", "name": "Denmark", "state": "announced", "companies": 0, "observed_at": None, "datasets": []},
)
USAGE: Final[dict[str, Any]] = {
    "tier": "pro",
    "period_start": "2026-11-01T00:00:00Z",
    "period_end": "2026-12-01T00:00:00Z",
    "requests_used": 1204,
    "requests_limit": 60000,
    "requests_remaining": 58796,
    "burst_per_second": 25,
    "burst_capacity": 50,
    "webhooks_enabled": True,
    "subscriptions_used": 2,
    "subscriptions_limit": 10,
    "trial_ends_at": None,
    "account_status": "active",
}
