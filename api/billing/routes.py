"""Receives Stripe's webhook events: `POST /billing/stripe`, not part of the API or its OpenAPI document.

Without Stripe's settings the path does not exist. Responds 200 only once all effects are stored; otherwise
Stripe resends the event. Does not belong here: the effects (`api.billing.service`).
"""

import logging
from typing import Final

from litestar import post
from sqlalchemy.exc import SQLAlchemyError

from api.billing.errors import BillingError, ForgedEventError
from api.http.context import NO_KEY, PlainRequest
from api.http.json_body import read_full_body
from api.http.responses import HttpResponse, json_response
from api.problems.problem import ProblemDetail, new_problem, service_unavailable_problem

_LOGGER: Final = logging.getLogger("firm.api")
_LARGEST: Final = 2**20
_RETRY_AFTER: Final = 60


@post("/billing/stripe", policy=NO_KEY)
async def receive_stripe_event(request: PlainRequest) -> HttpResponse:
    """Reads the bytes itself: nothing is parsed before the signature over them is verified."""
    context = request.context
    body = await read_full_body(request.receive, _LARGEST)
    if body is None:
        raise new_problem("malformed_json", "The request ended before its body was complete.")
    billing, limits = context.services.billing_service, context.services.rate_limiter
    if billing is None:
        raise new_problem("route_not_found", "There is nothing at /billing/stripe.")
    limits.check_failed_authentications(context.client_ip, context.started_at)
    try:
        event = billing.read(body, context.request_headers.get(b"stripe-signature"))
    except ForgedEventError as error:
        wrong = ProblemDetail("invalid", "must be a current Stripe signature of this body", header="Stripe-Signature")
        raise new_problem("invalid_parameter", str(error), wrong) from None
    limits.reset_failed_authentications(context.client_ip, context.started_at)
    try:
        await billing.run_in_pool(lambda: billing.act(event))
    except (BillingError, SQLAlchemyError) as error:
        _LOGGER.exception("Stripe event %s could not be processed yet", event.id)
        raise service_unavailable_problem("The event cannot be processed at the moment.", _RETRY_AFTER) from error
    return json_response(200, b'{"received":true}')
