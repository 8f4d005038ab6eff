"""Receives Stripe's webhook events: `POST /billing/stripe`, not part of the API or its OpenAPI document.

Without Stripe's settings the path does not exist. Responds 200 only once all effects are stored; otherwise
Stripe resends the event. Does not belong here: the effects (`api.billing.service`).
"""

import logging
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import SQLAlchemyError

from api.answers import Answer, plain_answer
from api.billing.errors import BillingError, Forged
from api.billing.objects import Event
from api.call import Call
from api.hooks import hook
from api.problems import InputError, problem, unavailable

if TYPE_CHECKING:
    from api.billing.service import Billing

_LOGGER: Final = logging.getLogger("firm.api")
_LARGEST: Final = 2**20
_RETRY_AFTER: Final = 60


@hook("/billing/stripe", limit=_LARGEST)
async def receive_stripe_event(call: Call, body: bytes) -> Answer:
    billing, limits = call.service.billing, call.service.limits
    if billing is None:
        raise problem("route_not_found", "There is nothing at /billing/stripe.")
    limits.try_client(call.client, call.started)
    event = _read(billing, body, call.incoming.get(b"stripe-signature"))
    limits.forgive_client(call.client, call.started)
    await _act(billing, event)
    return plain_answer(200, b'{"received":true}')


def _read(billing: "Billing", body: bytes, signature: bytes | None) -> Event:
    try:
        return billing.read(body, signature)
    except Forged as error:
        wrong = InputError(
            "invalid", "must be a current Stripe signature of this body", header="Stripe-Signature"
        )
        raise problem("invalid_parameter", str(error), wrong) from None


async def _act(billing: "Billing", event: Event) -> None:
    try:
        await billing.apart(lambda: billing.act(event))
    except (BillingError, SQLAlchemyError) as error:
        _LOGGER.exception("Stripe event %s could not be processed yet", event.id)
        raise unavailable("The event cannot be processed at the moment.", _RETRY_AFTER) from error
