"""Billing errors. The messages are for people and contain no secret."""


class BillingError(Exception):
    """Base class of billing errors; the message says what to do."""


class ForgedEventError(BillingError):
    """A callback body without a valid, recent signature by the endpoint's secret."""


class BillingStateError(BillingError):
    """The account's state does not allow the operation."""


class StripeMappingError(BillingError):
    """A Stripe price or status that the settings or this version do not know."""


class StripeError(BillingError):
    """A Stripe request failed."""


class StripeUnavailableError(StripeError):
    """Stripe did not respond, failed, or is rate limiting; a later retry may succeed."""


class StripeRejectedError(StripeError):
    """Stripe rejected the request. `code` is Stripe's own, empty if it gave none."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code
