"""What stands in the way of billing. The messages are for people and name no secret.

BillingError
├── Forged            no event of Stripe's, or one that was recorded and sent again
├── NotPossible       what was asked does not fit the state of the account
├── NotConfigured     Stripe names what the settings do not know
└── StripeError       Stripe did not do what was asked
    ├── StripeUnavailable   now; later it may
    └── StripeRefused       and will not
"""


class BillingError(Exception):
    """Something about paying went wrong; the message says what to do."""


class Forged(BillingError):  # noqa: N818 -- named for what is wrong
    """A body that was not signed with the endpoint's secret just now."""


class NotPossible(BillingError):  # noqa: N818 -- as above
    """The account's state does not allow it."""


class NotConfigured(BillingError):  # noqa: N818 -- as above
    """A price or a word of Stripe's that nobody has given a meaning here."""


class StripeError(BillingError):
    """Stripe did not do what was asked."""


class StripeUnavailable(StripeError):  # noqa: N818 -- as above
    """Nothing came, or a word that it is too much now."""


class StripeRefused(StripeError):  # noqa: N818 -- as above
    """A refusal. `code` is Stripe's own, empty where it gave none."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code
