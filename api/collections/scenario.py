"""The scenario of a collection: its requests, in the order in which a full run sends them.

Texts, parameters and fields come from the document. This module adds what the document cannot express: values
passed from a response to later requests, and checks beyond the types of fields. Expressions are JavaScript over
`answer` (the parsed body), `value(name)` (a variable) and `header(name)` (of the response).
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from warehouse.schema.codes import MARKETS


@dataclass(frozen=True, slots=True)
class ScenarioStep:
    """One request of the scenario."""

    operation_id: str
    name: str = ""
    """Empty: the summary of the operation."""
    path_variables: Mapping[str, str] = field(default_factory=dict)
    """Variable of each path parameter."""
    query: Mapping[str, str] = field(default_factory=dict)
    """Parameters that are sent; the operation's other parameters are listed but disabled."""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int | None = None
    """None: the operation's success status."""
    needs: tuple[str, ...] = ()
    """Variables without which the request is skipped."""
    keeps: Mapping[str, str] = field(default_factory=dict)
    """Variables set from the response, each by an expression."""
    offers: Mapping[str, str] = field(default_factory=dict)
    """The same, for variables that the user has not set."""
    checks: Mapping[str, str] = field(default_factory=dict)
    """Checks by name, each an expression that must be true."""
    note: str = ""
    """Appended to the document's own description."""


_COMPANY: Final = {"org_number": "company_id"}
_OF_COMPANY: Final = ("company_id",)
_SAME_COMPANY: Final = {
    "of the requested company": '[answer.company_id, answer.org_number].includes(value("company_id"))'
}
_NEXT_PAGE: Final = "All parameters except `limit` stay the same; `cursor` is `next_cursor` of the previous page."
_ROWS_BEFORE: Final = 'value("rows_before").split(" ")'
_IS_RISING: Final = "answer.data.every((row, at) => at === 0 || row.sequence > answer.data[at - 1].sequence)"

COMPANIES: Final = (
    ScenarioStep(
        "searchCompanies",
        query={"limit": "2"},
        keeps={"search_cursor": "answer.next_cursor", "rows_before": 'answer.data.map((row) => row.id).join(" ")'},
        offers={"company_id": "answer.data[0]?.id"},
        note="Later requests use the first company found, unless `company_id` is set.",
    ),
    ScenarioStep(
        "searchCompanies",
        "Search companies, next page",
        query={"limit": "2", "cursor": "{{search_cursor}}"},
        needs=("search_cursor",),
        checks={"no row of the previous page": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.id))"},
        note=_NEXT_PAGE,
    ),
    ScenarioStep(
        "getCompany",
        path_variables=_COMPANY,
        needs=_OF_COMPANY,
        keeps={
            "market": "answer.country.toLowerCase()",
            "org_number": "answer.org_number",
            "profile_etag": 'header("ETag")',
        },
        checks={"the requested company": '[answer.id, answer.org_number].includes(value("company_id"))'},
    ),
    ScenarioStep(
        "getCompany",
        "Get a company profile, unchanged",
        path_variables=_COMPANY,
        headers={"If-None-Match": "{{profile_etag}}"},
        status=304,
        needs=("company_id", "profile_etag"),
        note="If nothing has changed, the response is a 304 without a body, which is not counted.",
    ),
    ScenarioStep(
        "getCompanyInMarket",
        path_variables={"market": "market", "org_number": "org_number"},
        needs=("market", "org_number"),
        checks={"the requested number": 'answer.org_number === value("org_number")'},
    ),
)
LOOKUPS: Final = (
    ScenarioStep(
        "lookupCompanies",
        body={"items": [{"id": "{{company_id}}"}, {"lei": "969500NO030000004574"}], "fields": ["org_number", "name"]},
        needs=_OF_COMPANY,
        checks={
            "the requested company": 'answer.data[0].match === "exact" && '
            '[answer.data[0].company.id, answer.data[0].company.org_number].includes(value("company_id"))',
            "the wrong LEI is an error of its item": 'answer.data[1].errors[0].pointer === "/items/1/lei"',
        },
    ),
    ScenarioStep(
        "suggestCompanies",
        query={"q": "{{company_id}}", "limit": "5"},
        needs=_OF_COMPANY,
        checks={
            "the requested company first": "[answer.data[0].id, answer.data[0].org_number]"
            '.includes(value("company_id"))'
        },
    ),
)
EVENTS: Final = (
    ScenarioStep(
        "listCompanyEvents",
        "List events of a company, oldest first",
        path_variables={"company_id": "company_id"},
        query={"order": "asc", "limit": "2"},
        needs=_OF_COMPANY,
        keeps={"events_cursor": "answer.next_cursor", "last_sequence": "answer.data.slice(-1)[0]?.sequence"},
        checks=_SAME_COMPANY
        | {"sequence rises": _IS_RISING, "a cursor to continue from": "answer.next_cursor !== null"},
    ),
    ScenarioStep(
        "listCompanyEvents",
        "List events of a company, new ones only",
        path_variables={"company_id": "company_id"},
        query={"order": "asc", "limit": "2", "cursor": "{{events_cursor}}"},
        needs=("company_id", "events_cursor"),
        checks={
            "sequence rises": _IS_RISING,
            "only later events": 'answer.data.every((row) => row.sequence > Number(value("last_sequence")))',
        },
        note="Store `next_cursor` and repeat the request at any time to get the events since then.",
    ),
    ScenarioStep(
        "listEvents",
        query={"limit": "2"},
        keeps={"all_events_cursor": "answer.next_cursor", "last_of_all": "answer.data.slice(-1)[0]?.sequence"},
        checks={"sequence rises": _IS_RISING, "a cursor to continue from": "answer.next_cursor !== null"},
    ),
    ScenarioStep(
        "listEvents",
        "List events of all companies, next page",
        query={"limit": "2", "cursor": "{{all_events_cursor}}"},
        needs=("all_events_cursor",),
        checks={
            "sequence rises": _IS_RISING,
            "only later events": 'answer.data.every((row) => row.sequence > Number(value("last_of_all")))',
        },
        note="Store `next_cursor` and repeat the request at any time to get the events since then.",
    ),
)
FINANCIALS: Final = (
    ScenarioStep(
        "listFinancials",
        path_variables=_COMPANY,
        query={"limit": "2"},
        needs=_OF_COMPANY,
        keeps={
            "financials_cursor": "answer.next_cursor",
            "rows_before": 'answer.data.map((row) => row.period).join(" ")',
        },
        checks=_SAME_COMPANY
        | {
            "newest first": "answer.data.every((row, at) => at === 0 "
            "|| row.period_end <= answer.data[at - 1].period_end)"
        },
    ),
    ScenarioStep(
        "listFinancials",
        "List financials of a company, next page",
        path_variables=_COMPANY,
        query={"limit": "2", "cursor": "{{financials_cursor}}"},
        needs=("company_id", "financials_cursor"),
        checks={"no row of the previous page": f"answer.data.every((row) => !{_ROWS_BEFORE}.includes(row.period))"},
        note=_NEXT_PAGE,
    ),
)
FILINGS: Final = (
    ScenarioStep("listFilings", path_variables=_COMPANY, query={"limit": "2"}, needs=_OF_COMPANY, checks=_SAME_COMPANY),
)
OWNERSHIP: Final = (
    ScenarioStep(
        "listOwnership",
        path_variables=_COMPANY,
        needs=_OF_COMPANY,
        checks=_SAME_COMPANY
        | {
            "largest exact share first": "answer.data.map((row) => row.pct).filter((pct) => pct !== null)"
            ".every((pct, at, all) => at === 0 || pct <= all[at - 1])"
        },
    ),
)
GROUP: Final = (
    ScenarioStep(
        "getGroup",
        path_variables=_COMPANY,
        query={"depth": "3", "limit": "2"},
        needs=_OF_COMPANY,
        checks=_SAME_COMPANY
        | {
            "parents are one level away": "answer.parents.every((row) => row.level === 1)",
            "children are at most 3 levels away": "answer.children.data.every((row) => row.level <= 3)",
        },
    ),
    ScenarioStep(
        "listHoldings",
        path_variables=_COMPANY,
        query={"limit": "2"},
        needs=_OF_COMPANY,
        checks=_SAME_COMPANY
        | {"held by the company": "answer.data.every((row) => row.holder_company_id === answer.company_id)"},
    ),
)
SERVICE: Final = (
    ScenarioStep(
        "listMarkets",
        checks={
            "all markets": f"{json.dumps(MARKETS)}.every((market) => answer.data.some((row) => row.market === market))"
        },
    ),
    ScenarioStep(
        "getUsage",
        keeps={"webhooks": 'answer.webhooks_enabled ? "in this tier" : "not in this tier"'},
        checks={
            "remaining equals limit minus used": "answer.requests_remaining "
            "=== Math.max(answer.requests_limit - answer.requests_used, 0)"
        },
        note="Run this first: if the tier has no webhooks, requests on webhooks are skipped afterwards.",
    ),
    ScenarioStep(
        "getOpenApi", "Get the OpenAPI document", checks={"version 1": 'answer.info.version.split(".")[0] === "1"'}
    ),
)


NOT_IN_TIER: Final = "not in this tier"
"""Value of the variable `webhooks` if the account's tier has none."""
_ONE: Final = {"id": "subscription_id"}
_OWN: Final = ("subscription_id",)
_OF_DELIVERY: Final = {"id": "delivery_subscription_id", "delivery_id": "delivery_id"}
_REPEATABLE: Final = {"Idempotency-Key": "{{$guid}}"}
_SAME_SUBSCRIPTION: Final = {"the requested subscription": 'answer.id === value("subscription_id")'}
_HAS_SECRET: Final = {"a secret": 'answer.secret.startsWith("whsec_")'}
_SAME_DELIVERY: Final = {"the requested delivery": 'answer.id === value("delivery_id")'}
_LOGGED: Final = (
    "Set `delivery_id` and `delivery_subscription_id` to one of your deliveries; otherwise the "
    "newest delivery of the subscription created here is used, once there is one."
)

WEBHOOKS: Final = (
    ScenarioStep("listEventTypes", checks={"six types": "answer.data.length >= 6"}),
    ScenarioStep(
        "createWebhook",
        headers=_REPEATABLE,
        body={
            "endpoint_url": "{{endpoint_url}}",
            "event_types": ["filing.added", "ownership.changed", "status.changed"],
            "entity_ids": None,
            "description": "Created by the collection",
        },
        needs=("endpoint_url",),
        keeps={"subscription_id": "answer.id", "subscribed_at": "answer.created_at"},
        offers={"delivery_subscription_id": "answer.id"},
        checks=_HAS_SECRET | {"it delivers": 'answer.status === "active"'},
        note="Set `endpoint_url` to an https URL of yours first; otherwise this request and all "
        "requests on its subscription are skipped.",
    ),
    ScenarioStep(
        "listWebhooks",
        checks={
            "the created one is listed": '!value("subscription_id") '
            '|| answer.data.some((row) => row.id === value("subscription_id"))',
            "no secrets": 'answer.data.every((row) => !("secret" in row))',
        },
    ),
    ScenarioStep(
        "getWebhook",
        path_variables=_ONE,
        needs=_OWN,
        keeps={"subscription_etag": 'header("ETag")'},
        checks=_SAME_SUBSCRIPTION,
    ),
    ScenarioStep(
        "updateWebhook",
        path_variables=_ONE,
        headers={"If-Match": "{{subscription_etag}}"},
        body={"max_per_second": 10, "filters": {"ownership": {"thresholds": [10, 50]}}},
        needs=("subscription_id", "subscription_etag"),
        checks=_SAME_SUBSCRIPTION
        | {"changed": "answer.max_per_second === 10", "filtered": "answer.filters.ownership.thresholds.length === 2"},
    ),
    ScenarioStep(
        "testWebhook",
        path_variables=_ONE,
        headers=_REPEATABLE,
        body={"event_type": "status.changed"},
        needs=_OWN,
        checks={"a test": 'answer.trigger === "test"', "no delivery": "answer.delivery_id === null"},
        note="`outcome` shows how your endpoint responded.",
    ),
    ScenarioStep(
        "listWebhookDeliveries",
        path_variables={"id": "delivery_subscription_id"},
        needs=("delivery_subscription_id",),
        offers={"delivery_id": "answer.data[0]?.id"},
        checks={
            "of the requested subscription": "answer.data.every((row) => "
            'row.subscription_id === value("delivery_subscription_id"))'
        },
        note=_LOGGED,
    ),
    ScenarioStep(
        "getWebhookDelivery",
        path_variables=_OF_DELIVERY,
        needs=tuple(_OF_DELIVERY.values()),
        checks=_SAME_DELIVERY | {"the event as sent": "answer.payload.event_id === answer.event_id"},
        note=_LOGGED,
    ),
    ScenarioStep(
        "retryWebhookDelivery",
        path_variables=_OF_DELIVERY,
        headers=_REPEATABLE,
        needs=tuple(_OF_DELIVERY.values()),
        checks=_SAME_DELIVERY,
        note=_LOGGED,
    ),
    ScenarioStep(
        "createWebhookReplay",
        path_variables=_ONE,
        headers=_REPEATABLE,
        body={"since": "{{subscribed_at}}", "statuses": ["failed", "held"], "event_types": None},
        needs=("subscription_id", "subscribed_at"),
        keeps={"replay_id": "answer.id"},
        checks={"of the requested subscription": 'answer.subscription_id === value("subscription_id")'},
    ),
    ScenarioStep(
        "getWebhookReplay",
        path_variables={"id": "subscription_id", "replay_id": "replay_id"},
        needs=("subscription_id", "replay_id"),
        checks={
            "the requested replay": 'answer.id === value("replay_id")',
            "no delivery is counted twice": "answer.succeeded + answer.failed + answer.pending <= answer.matched",
        },
    ),
    ScenarioStep(
        "rotateWebhookSecret",
        path_variables=_ONE,
        headers=_REPEATABLE,
        body={"grace_period_seconds": 86400},
        needs=_OWN,
        checks=_SAME_SUBSCRIPTION | _HAS_SECRET,
    ),
    ScenarioStep(
        "deleteWebhook",
        path_variables=_ONE,
        needs=_OWN,
        keeps=dict.fromkeys(("subscription_id", "replay_id", "delivery_subscription_id", "delivery_id"), '""'),
    ),
)

EXPORTS: Final = (
    ScenarioStep(
        "listExports",
        query={"limit": "2", "format": "parquet"},
        checks={
            "of the requested format": 'answer.data.every((row) => row.format === "parquet")',
            "a link to each": "answer.data.every((row) => row.url.length > 0)",
        },
        note="Open `url` within 15 minutes; it needs no key.",
    ),
)

_LIST: Final = {"id": "watchlist_id"}
_OF_LIST: Final = ("watchlist_id",)
_WATCHED: Final = {"id": "watchlist_id", "company_id": "company_id"}
_SAME_LIST: Final = {"the requested watchlist": 'answer.id === value("watchlist_id")'}
_OF_WATCHED: Final = ("watchlist_id", "company_id")

WATCHLISTS: Final = (
    ScenarioStep(
        "createWatchlist",
        headers=_REPEATABLE,
        body={"name": "Created by the collection"},
        keeps={"watchlist_id": "answer.id"},
        checks={"no company yet": "answer.company_count === 0"},
    ),
    ScenarioStep("listWatchlists"),
    ScenarioStep("addWatchlistCompany", path_variables=_WATCHED, needs=_OF_WATCHED),
    ScenarioStep(
        "listWatchlistCompanies",
        path_variables=_LIST,
        needs=_OF_WATCHED,
        checks={
            "the company that was added": "answer.data.some((row) => "
            '[row.company_id, row.org_number].includes(value("company_id")))'
        },
    ),
    ScenarioStep(
        "changeWatchlistCompanies",
        path_variables=_LIST,
        headers=_REPEATABLE,
        body={"add": ["firm:SE:5599999991", "firm:NO:999999999"]},
        needs=_OF_LIST,
        checks=_SAME_LIST,
    ),
    ScenarioStep("removeWatchlistCompany", path_variables=_WATCHED, needs=_OF_WATCHED),
    ScenarioStep(
        "getWatchlist",
        path_variables=_LIST,
        needs=_OF_LIST,
        keeps={"watchlist_etag": 'header("ETag")'},
        checks=_SAME_LIST,
    ),
    ScenarioStep(
        "updateWatchlist",
        path_variables=_LIST,
        headers={"If-Match": "{{watchlist_etag}}"},
        body={"name": "Renamed by the collection"},
        needs=("watchlist_id", "watchlist_etag"),
        checks=_SAME_LIST,
    ),
    ScenarioStep("deleteWatchlist", path_variables=_LIST, needs=_OF_LIST, keeps={"watchlist_id": '""'}),
)
