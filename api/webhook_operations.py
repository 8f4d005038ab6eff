"""The operations on webhooks as callers see them: subscriptions, their log, replays, event types.

See docs/contract/contract.md 4.8.

Does not belong here: what a receiver is sent (`api.schemas.webhooks`), or what a route does (`api.routes`).
"""

from typing import Final

from api import queries
from api.links import FROM_DELIVERY, FROM_REPLAY, FROM_SUBSCRIPTION
from api.operation import MERGE_PATCH, Operation, PathParameter, RequestBody
from api.schemas import webhook_examples as examples
from api.schemas.headers import OF_ACCOUNT, OF_ACCOUNT_PAGE, OF_DOCUMENT, OF_POST, OF_SUBSCRIPTION
from api.schemas.kinds import ref, ulid

_TAG: Final = "Webhooks"
_ALL: Final = "/api/v1/webhooks"
_ONE: Final = f"{_ALL}/{{id}}"
_DELIVERIES: Final = f"{_ONE}/deliveries"
_DELIVERY: Final = f"{_DELIVERIES}/{{delivery_id}}"
_REPLAYS: Final = f"{_ONE}/replays"
_ID: Final = PathParameter(
    "id", "The subscription.", ulid("whs", "The subscription."), "whs_01kaf3w9c8m2v7q4x1z6t5y0r2"
)
_DELIVERY_ID: Final = PathParameter(
    "delivery_id", "The delivery.", ulid("dlv", "The delivery."), "dlv_01kaf49n6m7p8q9r0s1t2v3w4x"
)
_REPLAY_ID: Final = PathParameter(
    "replay_id", "The replay.", ulid("rpl", "The replay."), "rpl_01kaf5m0n1p2q3r4s5t6v7w8x9"
)
_OF_POST: Final = (409, 422)
_CREATED: Final = (*OF_SUBSCRIPTION, "Location", *OF_POST)
_STATES: Final = (
    "Only `status` active delivers. Pausing holds what is not delivered yet and what comes; activating again "
    "delivers new events only, a replay the held ones."
)

WEBHOOK_OPERATIONS: Final = (
    Operation(
        path=_ALL,
        method="post",
        operation_id="createWebhook",
        tag=_TAG,
        summary="Create a webhook subscription",
        description="Events published from now on go to the endpoint. The secret that signs them is told in this "
        "answer only. Tiers limit how many subscriptions there are, and companies each.",
        answer=ref("CreatedSubscription"),
        answer_description="The subscription with its secret.",
        status=201,
        headers=_CREATED,
        asked_headers=("Idempotency-Key",),
        body=RequestBody(ref("NewSubscription"), "Endpoint, types, companies.", examples.NEW_SUBSCRIPTION),
        example=examples.CREATED_SUBSCRIPTION,
        refusals=_OF_POST,
        leads_to=FROM_SUBSCRIPTION,
    ),
    Operation(
        path=_ALL,
        operation_id="listWebhooks",
        tag=_TAG,
        summary="Webhook subscriptions",
        description="Newest first, without secrets.",
        answer=ref("SubscriptionList"),
        answer_description="One page of subscriptions.",
        headers=OF_ACCOUNT_PAGE,
        query=queries.SUBSCRIPTIONS,
        example=examples.SUBSCRIPTION_LIST,
    ),
    Operation(
        path=_ONE,
        operation_id="getWebhook",
        tag=_TAG,
        summary="One webhook subscription",
        description="Its settings, its state and how its deliveries go. The ETag names the revision of settings "
        "and state; what deliveries do beside them does not change it.",
        answer=ref("Subscription"),
        answer_description="The subscription.",
        headers=OF_SUBSCRIPTION,
        places=(_ID,),
        example=examples.SUBSCRIPTION,
    ),
    Operation(
        path=_ONE,
        method="patch",
        operation_id="updateWebhook",
        tag=_TAG,
        summary="Change a webhook subscription",
        description=f"What is left out stays; null for `entity_ids` is all companies. {_STATES}",
        answer=ref("UpdatedSubscription"),
        answer_description="The subscription as it is now.",
        headers=OF_SUBSCRIPTION,
        places=(_ID,),
        asked_headers=("If-Match",),
        body=RequestBody(ref("SubscriptionChanges"), "What changes.", examples.CHANGES, MERGE_PATCH),
        example=examples.UPDATED_SUBSCRIPTION,
        refusals=(412, 422),
    ),
    Operation(
        path=_ONE,
        method="delete",
        operation_id="deleteWebhook",
        tag=_TAG,
        summary="Delete a webhook subscription",
        description="Gone with its log; what is not delivered yet is canceled.",
        answer=None,
        answer_description="Deleted.",
        status=204,
        headers=OF_ACCOUNT,
        places=(_ID,),
        asked_headers=("If-Match",),
        refusals=(412,),
    ),
    Operation(
        path=f"{_ONE}/secret/rotate",
        method="post",
        operation_id="rotateWebhookSecret",
        tag=_TAG,
        summary="Replace the secret",
        description="The new secret signs from now on; the one before signs beside it until the time of grace is "
        "over. While one before is still valid there is no further rotation.",
        answer=ref("RotatedSecret"),
        answer_description="The new secret.",
        headers=OF_POST,
        places=(_ID,),
        asked_headers=("Idempotency-Key",),
        body=RequestBody(ref("SecretRotation"), "The time of grace.", examples.ROTATION, required=False),
        example=examples.ROTATED_SECRET,
        refusals=_OF_POST,
    ),
    Operation(
        path=f"{_ONE}/test",
        method="post",
        operation_id="testWebhook",
        tag=_TAG,
        summary="Send a test",
        description="Sends an example of the type, with `test` true in its `data`, as any delivery is sent, and "
        "waits for the outcome. Nothing is repeated, stored or counted as a failure. At most 10 a minute.",
        answer=ref("Attempt"),
        answer_description="The attempt, whatever came of it.",
        headers=OF_POST,
        places=(_ID,),
        asked_headers=("Idempotency-Key",),
        body=RequestBody(ref("TestSend"), "What to send.", examples.TEST, required=False),
        example=examples.TEST_ATTEMPT,
        refusals=_OF_POST,
    ),
    Operation(
        path=_DELIVERIES,
        operation_id="listWebhookDeliveries",
        tag=_TAG,
        summary="Deliveries of a subscription",
        description="Newest first; of the last 30 days.",
        answer=ref("DeliveryList"),
        answer_description="One page of deliveries.",
        headers=OF_ACCOUNT_PAGE,
        places=(_ID,),
        query=queries.DELIVERIES,
        example=examples.DELIVERY_LIST,
    ),
    Operation(
        path=_DELIVERY,
        operation_id="getWebhookDelivery",
        tag=_TAG,
        summary="One delivery",
        description="With the body as it was sent last and the latest 100 attempts.",
        answer=ref("DeliveryDetail"),
        answer_description="The delivery.",
        headers=OF_ACCOUNT,
        places=(_ID, _DELIVERY_ID),
        example=examples.DELIVERY_DETAIL,
    ),
    Operation(
        path=f"{_DELIVERY}/retry",
        method="post",
        operation_id="retryWebhookDelivery",
        tag=_TAG,
        summary="Retry a delivery now",
        description="One attempt more, also while the subscription is paused. It does not disturb the schedule; "
        "a success ends the delivery. What was canceled is not sent again.",
        answer=ref("Delivery"),
        answer_description="Accepted: the attempt follows. The delivery as it is at this moment.",
        status=202,
        headers=OF_POST,
        places=(_ID, _DELIVERY_ID),
        asked_headers=("Idempotency-Key",),
        example=examples.DELIVERY_EXAMPLE,
        refusals=_OF_POST,
        leads_to=FROM_DELIVERY,
    ),
    Operation(
        path=_REPLAYS,
        method="post",
        operation_id="createWebhookReplay",
        tag=_TAG,
        summary="Deliver again",
        description="Deliveries of a window of time that failed or were held, or on request those that succeeded, "
        "are delivered again: the same event ids, each with a fresh schedule. The subscription must be active.",
        answer=ref("Replay"),
        answer_description="Accepted: the deliveries follow.",
        status=202,
        headers=("Location", *OF_POST),
        places=(_ID,),
        asked_headers=("Idempotency-Key",),
        body=RequestBody(ref("NewReplay"), "Which deliveries.", examples.NEW_REPLAY),
        example=examples.REPLAY,
        refusals=_OF_POST,
        leads_to=FROM_REPLAY,
    ),
    Operation(
        path=f"{_REPLAYS}/{{replay_id}}",
        operation_id="getWebhookReplay",
        tag=_TAG,
        summary="How far a replay has come",
        description="Counted as its deliveries end.",
        answer=ref("Replay"),
        answer_description="The replay.",
        headers=OF_ACCOUNT,
        places=(_ID, _REPLAY_ID),
        example=examples.REPLAY,
    ),
    Operation(
        path="/api/v1/event-types",
        operation_id="listEventTypes",
        tag=_TAG,
        summary="Event types",
        description="The six types that a subscription may name, each with the schema of its body, which holds an "
        "example. Secret keys only; any tier.",
        answer=ref("EventTypeList"),
        answer_description="All event types.",
        headers=OF_DOCUMENT,
        example=examples.EVENT_TYPES,
    ),
)
