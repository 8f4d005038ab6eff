"""OpenAPI texts of the webhook operations: subscriptions, their log, replays, event types.

See docs/contract/contract.md 4.8. Does not belong here: payloads sent to receivers
(`api.webhooks.payloads`), or what a route does (`api.routes`).
"""

from functools import partial
from typing import Final

from api.openapi.examples import webhooks as examples
from api.openapi.operation import (
    FROM_DELIVERY,
    FROM_REPLAY,
    FROM_SUBSCRIPTION,
    MERGE_PATCH,
    Operation,
    PathParameter,
    RequestBody,
)
from api.openapi.response_headers import OF_ACCOUNT, OF_ACCOUNT_PAGE, OF_DOCUMENT, OF_POST, OF_SUBSCRIPTION
from api.openapi.schema_types import schema_reference, ulid_schema
from api.webhooks import query_params
from api.webhooks.deliveries.models import Attempt, Delivery, DeliveryDetail, DeliveryList, Payload, Replay
from api.webhooks.deliveries.requests import NewReplay
from api.webhooks.subscriptions.models import (
    CreatedSubscription,
    EventType,
    EventTypeList,
    RotatedSecret,
    Subscription,
    SubscriptionList,
    UpdatedSubscription,
)
from api.webhooks.subscriptions.models import Warning as SubscriptionWarning
from api.webhooks.subscriptions.requests import NewSubscription, SecretRotation, SubscriptionChanges, TestSend

WEBHOOK_MODELS: Final = (
    NewSubscription,
    SubscriptionChanges,
    Subscription,
    CreatedSubscription,
    UpdatedSubscription,
    SubscriptionList,
    SubscriptionWarning,
    SecretRotation,
    RotatedSecret,
    TestSend,
    EventType,
    EventTypeList,
    Attempt,
    Delivery,
    DeliveryList,
    Payload,
    DeliveryDetail,
    NewReplay,
    Replay,
)
"""Components of the document, in its order."""
_ALL: Final = "/api/v1/webhooks"
_ONE: Final = f"{_ALL}/{{id}}"
_DELIVERIES: Final = f"{_ONE}/deliveries"
_DELIVERY: Final = f"{_DELIVERIES}/{{delivery_id}}"
_REPLAYS: Final = f"{_ONE}/replays"
_ID: Final = PathParameter(
    "id", "The subscription.", ulid_schema("whs", "The subscription."), "whs_01kaf3w9c8m2v7q4x1z6t5y0r2"
)
_DELIVERY_ID: Final = PathParameter(
    "delivery_id", "The delivery.", ulid_schema("dlv", "The delivery."), "dlv_01kaf49n6m7p8q9r0s1t2v3w4x"
)
_REPLAY_ID: Final = PathParameter(
    "replay_id", "The replay.", ulid_schema("rpl", "The replay."), "rpl_01kaf5m0n1p2q3r4s5t6v7w8x9"
)
_operation: Final = partial(Operation, tag="Webhooks")
_post: Final = partial(
    _operation, method="post", request_headers=("Idempotency-Key",), response_headers=OF_POST, error_statuses=(409, 422)
)
_CREATED: Final = (*OF_SUBSCRIPTION, "Location", *OF_POST)
_STATES: Final = (
    "Only subscriptions with `status` active deliver. While paused, undelivered and new events are "
    "held; after reactivation only new events are delivered. Use a replay to deliver the held ones."
)

WEBHOOK_OPERATIONS: Final = (
    _post(
        path=_ALL,
        operation_id="createWebhook",
        summary="Create a webhook subscription",
        description="Events published from now on are sent to the endpoint. The signing secret is "
        "returned in this response only. The tier limits the number of subscriptions "
        "and of companies per subscription.",
        response_schema=schema_reference("CreatedSubscription"),
        response_description="The subscription with its secret.",
        status=201,
        response_headers=_CREATED,
        body=RequestBody(
            schema_reference("NewSubscription"), "Endpoint, event types and companies.", examples.NEW_SUBSCRIPTION
        ),
        example=examples.CREATED_SUBSCRIPTION,
        links=FROM_SUBSCRIPTION,
    ),
    _operation(
        path=_ALL,
        operation_id="listWebhooks",
        summary="List webhook subscriptions",
        description="Newest first, without secrets.",
        response_schema=schema_reference("SubscriptionList"),
        response_description="One page of subscriptions.",
        response_headers=OF_ACCOUNT_PAGE,
        query_params=query_params.SubscriptionsParams,
        example=examples.SUBSCRIPTION_LIST,
    ),
    _operation(
        path=_ONE,
        operation_id="getWebhook",
        summary="Get a webhook subscription",
        description="Settings, status and delivery statistics. The ETag identifies the revision of "
        "settings and status; delivery statistics do not change it.",
        response_schema=schema_reference("Subscription"),
        response_description="The subscription.",
        response_headers=OF_SUBSCRIPTION,
        path_parameters=(_ID,),
        example=examples.SUBSCRIPTION,
    ),
    _operation(
        path=_ONE,
        method="patch",
        operation_id="updateWebhook",
        summary="Update a webhook subscription",
        description=f"Members left out keep their value; null for `entity_ids` means all companies. {_STATES}",
        response_schema=schema_reference("UpdatedSubscription"),
        response_description="The updated subscription.",
        response_headers=OF_SUBSCRIPTION,
        path_parameters=(_ID,),
        request_headers=("If-Match",),
        body=RequestBody(
            schema_reference("SubscriptionChanges"), "The members to change.", examples.CHANGES, MERGE_PATCH
        ),
        example=examples.UPDATED_SUBSCRIPTION,
        error_statuses=(412, 422),
    ),
    _operation(
        path=_ONE,
        method="delete",
        operation_id="deleteWebhook",
        summary="Delete a webhook subscription",
        description="Deletes the subscription and its log; undelivered events are canceled.",
        response_schema=None,
        response_description="Deleted.",
        status=204,
        response_headers=OF_ACCOUNT,
        path_parameters=(_ID,),
        request_headers=("If-Match",),
        error_statuses=(412,),
    ),
    _post(
        path=f"{_ONE}/secret/rotate",
        operation_id="rotateWebhookSecret",
        summary="Rotate the signing secret",
        description="The new secret signs from now on; the previous one also signs until the grace "
        "period ends. While a previous secret is still valid, the secret cannot be "
        "rotated again.",
        response_schema=schema_reference("RotatedSecret"),
        response_description="The new secret.",
        path_parameters=(_ID,),
        body=RequestBody(schema_reference("SecretRotation"), "The grace period.", examples.ROTATION, is_required=False),
        example=examples.ROTATED_SECRET,
    ),
    _post(
        path=f"{_ONE}/test",
        operation_id="testWebhook",
        summary="Send a test event",
        description="Sends an example event of the type, with `test` true in its `data`, in the "
        "same way as a delivery, and returns the outcome. A test is not retried, "
        "stored or counted as a failure. At most 10 per minute.",
        response_schema=schema_reference("Attempt"),
        response_description="The attempt and its outcome.",
        path_parameters=(_ID,),
        body=RequestBody(schema_reference("TestSend"), "The event type to send.", examples.TEST, is_required=False),
        example=examples.TEST_ATTEMPT,
    ),
    _operation(
        path=_DELIVERIES,
        operation_id="listWebhookDeliveries",
        summary="List deliveries of a subscription",
        description="Deliveries of the last 30 days, newest first.",
        response_schema=schema_reference("DeliveryList"),
        response_description="One page of deliveries.",
        response_headers=OF_ACCOUNT_PAGE,
        path_parameters=(_ID,),
        query_params=query_params.DeliveriesParams,
        example=examples.DELIVERY_LIST,
    ),
    _operation(
        path=_DELIVERY,
        operation_id="getWebhookDelivery",
        summary="Get a delivery",
        description="Includes the body as last sent and the latest 100 attempts.",
        response_schema=schema_reference("DeliveryDetail"),
        response_description="The delivery.",
        response_headers=OF_ACCOUNT,
        path_parameters=(_ID, _DELIVERY_ID),
        example=examples.DELIVERY_DETAIL,
    ),
    _post(
        path=f"{_DELIVERY}/retry",
        operation_id="retryWebhookDelivery",
        summary="Retry a delivery",
        description="Makes one additional attempt, even if the subscription is paused. The retry "
        "schedule is not affected; a success completes the delivery. Canceled "
        "deliveries cannot be retried.",
        response_schema=schema_reference("Delivery"),
        response_description="Accepted; the attempt follows. Returns the delivery's current state.",
        status=202,
        path_parameters=(_ID, _DELIVERY_ID),
        example=examples.DELIVERY_EXAMPLE,
        links=FROM_DELIVERY,
    ),
    _post(
        path=_REPLAYS,
        operation_id="createWebhookReplay",
        summary="Create a replay",
        description="Redelivers the failed and held deliveries of a time window, and succeeded "
        "ones if requested. Event ids stay the same; each delivery starts a new retry "
        "schedule. The subscription must be active.",
        response_schema=schema_reference("Replay"),
        response_description="Accepted; the deliveries follow.",
        status=202,
        response_headers=("Location", *OF_POST),
        path_parameters=(_ID,),
        body=RequestBody(schema_reference("NewReplay"), "The deliveries to repeat.", examples.NEW_REPLAY),
        example=examples.REPLAY,
        links=FROM_REPLAY,
    ),
    _operation(
        path=f"{_REPLAYS}/{{replay_id}}",
        operation_id="getWebhookReplay",
        summary="Get a replay",
        description="The counters are updated as deliveries complete.",
        response_schema=schema_reference("Replay"),
        response_description="The replay.",
        response_headers=OF_ACCOUNT,
        path_parameters=(_ID, _REPLAY_ID),
        example=examples.REPLAY,
    ),
    _operation(
        path="/api/v1/event-types",
        operation_id="listEventTypes",
        summary="List event types",
        description="The six event types available to subscriptions, each with the schema of its "
        "body, which includes an example. Secret keys only; any tier.",
        response_schema=schema_reference("EventTypeList"),
        response_description="All event types.",
        response_headers=OF_DOCUMENT,
        example=examples.EVENT_TYPES,
    ),
)
