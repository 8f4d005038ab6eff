"""Components of the OpenAPI document about webhooks: subscriptions, the delivery log, replays.

Does not belong here: bodies of deliveries (`api.companies.schemas.events`).
"""

from typing import Final

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
