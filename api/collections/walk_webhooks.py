"""The requests on webhooks: a subscription is made, tried, read, changed and deleted again.

What is theirs of `api.collections.walk`, and under the same rules.
"""

from typing import Final

from api.collections.walk import Step

NOT_IN_TIER: Final = "not in this tier"
"""What the variable `webhooks` says where the account's tier has none."""
_ONE: Final = {"id": "subscription_id"}
_OWN: Final = ("subscription_id",)
_OF_DELIVERY: Final = {"id": "delivery_subscription_id", "delivery_id": "delivery_id"}
_REPEATABLE: Final = {"Idempotency-Key": "{{$guid}}"}
_SAME_SUBSCRIPTION: Final = {"the subscription asked for": 'answer.id === value("subscription_id")'}
_HAS_SECRET: Final = {"a secret": 'answer.secret.startsWith("whsec_")'}
_SAME_DELIVERY: Final = {"the delivery asked for": 'answer.id === value("delivery_id")'}
_LOGGED: Final = (
    "`delivery_id` and `delivery_subscription_id` may be set to a delivery of yours; else they are those of the "
    "newest delivery to the subscription that was made here, once there is one."
)

WEBHOOKS: Final = (
    Step("listEventTypes", checks={"six types": "answer.data.length >= 6"}),
    Step(
        "createWebhook",
        headers=_REPEATABLE,
        body={
            "endpoint_url": "{{endpoint_url}}",
            "event_types": ["filing.added", "ownership.changed", "status.changed"],
            "entity_ids": None,
            "description": "Made by the collection",
        },
        needs=("endpoint_url",),
        keeps={"subscription_id": "answer.id", "subscribed_at": "answer.created_at"},
        offers={"delivery_subscription_id": "answer.id"},
        checks=_HAS_SECRET | {"it delivers": 'answer.status === "active"'},
        note="Set `endpoint_url` first, to an https address of yours; without it this request and those on the "
        "subscription that it makes are skipped.",
    ),
    Step(
        "listWebhooks",
        checks={
            "the one made is among them": '!value("subscription_id") '
            '|| answer.data.some((row) => row.id === value("subscription_id"))',
            "no secrets": 'answer.data.every((row) => !("secret" in row))',
        },
    ),
    Step(
        "getWebhook",
        places=_ONE,
        needs=_OWN,
        keeps={"subscription_etag": 'header("ETag")'},
        checks=_SAME_SUBSCRIPTION,
    ),
    Step(
        "updateWebhook",
        places=_ONE,
        headers={"If-Match": "{{subscription_etag}}"},
        body={"max_per_second": 10},
        needs=("subscription_id", "subscription_etag"),
        checks=_SAME_SUBSCRIPTION | {"changed": "answer.max_per_second === 10"},
    ),
    Step(
        "testWebhook",
        places=_ONE,
        headers=_REPEATABLE,
        body={"event_type": "status.changed"},
        needs=_OWN,
        checks={"a test": 'answer.trigger === "test"', "no delivery": "answer.delivery_id === null"},
        note="`outcome` says what your endpoint answered.",
    ),
    Step(
        "listWebhookDeliveries",
        places={"id": "delivery_subscription_id"},
        needs=("delivery_subscription_id",),
        offers={"delivery_id": "answer.data[0]?.id"},
        checks={
            "of the subscription asked for": "answer.data.every((row) => "
            'row.subscription_id === value("delivery_subscription_id"))'
        },
        note=_LOGGED,
    ),
    Step(
        "getWebhookDelivery",
        places=_OF_DELIVERY,
        needs=tuple(_OF_DELIVERY.values()),
        checks=_SAME_DELIVERY | {"the event as it was sent": "answer.payload.event_id === answer.event_id"},
        note=_LOGGED,
    ),
    Step(
        "retryWebhookDelivery",
        places=_OF_DELIVERY,
        headers=_REPEATABLE,
        needs=tuple(_OF_DELIVERY.values()),
        checks=_SAME_DELIVERY,
        note=_LOGGED,
    ),
    Step(
        "createWebhookReplay",
        places=_ONE,
        headers=_REPEATABLE,
        body={"since": "{{subscribed_at}}", "statuses": ["failed", "held"], "event_types": None},
        needs=("subscription_id", "subscribed_at"),
        keeps={"replay_id": "answer.id"},
        checks={"of the subscription asked for": 'answer.subscription_id === value("subscription_id")'},
    ),
    Step(
        "getWebhookReplay",
        places={"id": "subscription_id", "replay_id": "replay_id"},
        needs=("subscription_id", "replay_id"),
        checks={
            "the replay asked for": 'answer.id === value("replay_id")',
            "none is counted twice": "answer.succeeded + answer.failed + answer.pending <= answer.matched",
        },
    ),
    Step(
        "rotateWebhookSecret",
        places=_ONE,
        headers=_REPEATABLE,
        body={"grace_period_seconds": 86400},
        needs=_OWN,
        checks=_SAME_SUBSCRIPTION | _HAS_SECRET,
    ),
    Step(
        "deleteWebhook",
        places=_ONE,
        needs=_OWN,
        keeps=dict.fromkeys(
            ("subscription_id", "replay_id", "delivery_subscription_id", "delivery_id"), '""'
        ),
    ),
)
