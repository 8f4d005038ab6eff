"""The scenario of what belongs to an account: webhooks, bulk files, watchlists.

Does not belong here: requests for data (`api.collections.scenario`, which says how a step is written).
"""

from typing import Final

from api.collections.scenario import ScenarioStep

NOT_IN_TIER: Final = "not in this tier"
"""Value of the variable `webhooks` if the account's tier has none."""
_ONE: Final = {"id": "subscription_id"}
_OF_DELIVERY: Final = {"id": "delivery_subscription_id", "delivery_id": "delivery_id"}
REPEATABLE: Final = {"Idempotency-Key": "{{$guid}}"}
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
        headers=REPEATABLE,
        body={
            "endpoint_url": "{{endpoint_url}}",
            "event_types": ["filing.added", "ownership.changed", "status.changed"],
            "entity_ids": None,
            "description": "Created by the collection",
        },
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
        "getWebhook", path_variables=_ONE, keeps={"subscription_etag": 'header("ETag")'}, checks=_SAME_SUBSCRIPTION
    ),
    ScenarioStep(
        "updateWebhook",
        path_variables=_ONE,
        headers={"If-Match": "{{subscription_etag}}"},
        body={"max_per_second": 10, "filters": {"ownership": {"thresholds": [10, 50]}}},
        checks=_SAME_SUBSCRIPTION
        | {"changed": "answer.max_per_second === 10", "filtered": "answer.filters.ownership.thresholds.length === 2"},
    ),
    ScenarioStep(
        "testWebhook",
        path_variables=_ONE,
        headers=REPEATABLE,
        body={"event_type": "status.changed"},
        checks={"a test": 'answer.trigger === "test"', "no delivery": "answer.delivery_id === null"},
        note="`outcome` shows how your endpoint responded.",
    ),
    ScenarioStep(
        "listWebhookDeliveries",
        path_variables={"id": "delivery_subscription_id"},
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
        checks=_SAME_DELIVERY | {"the event as sent": "answer.payload.event_id === answer.event_id"},
        note=_LOGGED,
    ),
    ScenarioStep(
        "retryWebhookDelivery", path_variables=_OF_DELIVERY, headers=REPEATABLE, checks=_SAME_DELIVERY, note=_LOGGED
    ),
    ScenarioStep(
        "createWebhookReplay",
        path_variables=_ONE,
        headers=REPEATABLE,
        body={"since": "{{subscribed_at}}", "statuses": ["failed", "held"], "event_types": None},
        keeps={"replay_id": "answer.id"},
        checks={"of the requested subscription": 'answer.subscription_id === value("subscription_id")'},
    ),
    ScenarioStep(
        "getWebhookReplay",
        path_variables={"id": "subscription_id", "replay_id": "replay_id"},
        checks={
            "the requested replay": 'answer.id === value("replay_id")',
            "no delivery is counted twice": "answer.succeeded + answer.failed + answer.pending <= answer.matched",
        },
    ),
    ScenarioStep(
        "rotateWebhookSecret",
        path_variables=_ONE,
        headers=REPEATABLE,
        body={"grace_period_seconds": 86400},
        checks=_SAME_SUBSCRIPTION | _HAS_SECRET,
    ),
    ScenarioStep(
        "deleteWebhook",
        path_variables=_ONE,
        keeps=dict.fromkeys(("subscription_id", "replay_id", "delivery_subscription_id", "delivery_id"), '""'),
    ),
)

EXPORTS: Final = (
    ScenarioStep(
        "listExports",
        query={"limit": "2", "format": "parquet"},
        also_needs=("exports",),
        checks={
            "of the requested format": 'answer.data.every((row) => row.format === "parquet")',
            "a link to each": "answer.data.every((row) => row.url.length > 0)",
        },
        note="Open `url` within 15 minutes; it needs no key. Skipped unless `exports` is set, which the usage does for "
        "the Business tier.",
    ),
)

_LIST: Final = {"id": "watchlist_id"}
_WATCHED: Final = {"id": "watchlist_id", "company_id": "company_id"}
_SAME_LIST: Final = {"the requested watchlist": 'answer.id === value("watchlist_id")'}

WATCHLISTS: Final = (
    ScenarioStep(
        "createWatchlist",
        headers=REPEATABLE,
        body={"name": "Created by the collection"},
        keeps={"watchlist_id": "answer.id"},
        checks={"no company yet": "answer.company_count === 0"},
    ),
    ScenarioStep("listWatchlists"),
    ScenarioStep("addWatchlistCompany", path_variables=_WATCHED),
    ScenarioStep(
        "listWatchlistCompanies",
        path_variables=_LIST,
        also_needs=("company_id",),
        checks={
            "the company that was added": "answer.data.some((row) => "
            '[row.company_id, row.org_number].includes(value("company_id")))'
        },
    ),
    ScenarioStep(
        "changeWatchlistCompanies",
        path_variables=_LIST,
        headers=REPEATABLE,
        body={"add": ["firm:SE:5599999991", "firm:NO:999999999"]},
        checks=_SAME_LIST,
    ),
    ScenarioStep("removeWatchlistCompany", path_variables=_WATCHED),
    ScenarioStep("getWatchlist", path_variables=_LIST, keeps={"watchlist_etag": 'header("ETag")'}, checks=_SAME_LIST),
    ScenarioStep(
        "updateWatchlist",
        path_variables=_LIST,
        headers={"If-Match": "{{watchlist_etag}}"},
        body={"name": "Renamed by the collection"},
        checks=_SAME_LIST,
    ),
    ScenarioStep("deleteWatchlist", path_variables=_LIST, keeps={"watchlist_id": '""'}),
)
