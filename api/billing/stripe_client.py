"""Stripe client over HTTPS: the few calls needed, with a pinned API version in every request.

Uses httpx only: Stripe's own package is 13 MB of generated code, of which eight calls and one digest would be
used. No retries: Stripe redelivers events until they are accepted, and customers press the button again. Does
not belong here: when each call is made (`api.billing.service`).
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final, TypeVar

import httpx
import msgspec

from api.billing.errors import StripeRejectedError, StripeUnavailableError
from api.billing.return_urls import ReturnUrls
from api.billing.stripe_models import (
    StripeCustomerObject,
    StripeErrorBody,
    StripeInvoice,
    StripeList,
    StripeObject,
    StripePrice,
    StripeRef,
    StripeSubscription,
)
from api.settings.billing import BillingSettings

T = TypeVar("T")

VERSION: Final = "2026-10-28.endive"
"""Stripe's API version of that day; raise it deliberately, together with the tests."""

MISSING: Final = "resource_missing"
"""Stripe's error code for an unknown or deleted id."""

_MOST: Final = 100
"""Maximum subscriptions, open sessions or recent invoices of one customer; Stripe's largest page."""
_NEW_PERIOD: Final = "subscription_cycle"
"""Stripe's `billing_reason` at the start of a period, the first after a trial included."""
_AGAIN: Final = (409, 424, 429)
_PAGE: Final = re.compile(r"(?:https://|http://(?:127\.0\.0\.1|localhost):)[!#-&(-;=?-~]{1,5000}")
"""URL of printable ASCII without blanks, quotes or angle brackets; http only on this machine, for tests."""
_SERVER_ERROR: Final = 500
_REFUSED: Final = 400
_NO_KEY: Final = (401, 403)
_TRIES: Final = 3


class StripeClient:
    """Stripe client of this service. Its methods may be called from several threads."""

    def __init__(self, settings: BillingSettings) -> None:
        self._client = httpx.Client(
            base_url=settings.address,
            headers={"Authorization": f"Bearer {settings.secret_key}", "Stripe-Version": VERSION},
            timeout=settings.timeout_seconds,
            trust_env=False,
        )

    def close(self) -> None:
        self._client.close()

    def has_customer(self, customer_id: str) -> bool:
        """Whether the customer exists and is not deleted."""
        try:
            return not self._read(StripeCustomerObject, f"/v1/customers/{customer_id}").deleted
        except StripeRejectedError as refused:
            if refused.code == MISSING:
                return False
            raise

    def make_customer(self, account_id: str, email: str, previous_customer_id: str | None) -> str:
        """Creates the account's customer, after a deleted one; returns its id. Idempotent for a day."""
        form = {"email": email, "metadata[account_id]": account_id}
        same = sha256(f"customer {account_id} {email} {previous_customer_id or ''}".encode()).hexdigest()
        return self._read(StripeObject, "/v1/customers", form, headers={"Idempotency-Key": same}).id

    def subscriptions(self, customer_id: str) -> Sequence[StripeSubscription]:
        """Lists all current and past subscriptions, newest first; empty if Stripe does not know the customer."""
        asked = {"customer": customer_id, "status": "all", "limit": str(_MOST)}
        try:
            return self._list_all("/v1/subscriptions", asked, StripeList[StripeSubscription])
        except StripeRejectedError as refused:
            if refused.code == MISSING:
                return []
            raise

    def has_paid(self, subscription_id: str, since: int) -> bool:
        """Whether any invoice created at or after `since` was paid: a period, or an amount.

        A credit for a downgrade counts as paid at Stripe although no money was transferred.
        """
        asked = {"subscription": subscription_id, "status": "paid", "created[gte]": str(since), "limit": str(_MOST)}
        found = self._list_all("/v1/invoices", asked, StripeList[StripeInvoice])
        return any(one.amount_paid > 0 or one.billing_reason == _NEW_PERIOD for one in found)

    def price(self, price_id: str) -> StripePrice:
        return self._read(StripePrice, f"/v1/prices/{price_id}")

    def expire_sessions(self, customer_id: str) -> None:
        """Expires all open checkouts of the customer.

        Concurrent requests may expire or open checkouts too: after a rejection the list is fetched again.
        """
        asked = {"customer": customer_id, "status": "open", "limit": str(_MOST)}
        for _ in range(_TRIES):
            sessions = self._list_all("/v1/checkout/sessions", asked, StripeList[StripeObject])
            if not sessions:
                return
            for session in sessions:
                with suppress(StripeRejectedError):
                    self._read(StripeObject, f"/v1/checkout/sessions/{session.id}/expire", {})
        raise StripeUnavailableError(f"open checkouts of {customer_id} could not be closed: try again")

    def make_session(
        self, customer_id: str, account_id: str, price: str, trial_days: int, return_urls: ReturnUrls
    ) -> str:
        """Creates a checkout session and returns the URL of its page.

        A card is required during a trial too; without one the subscription would end with the trial.
        """
        form = {
            "mode": "subscription",
            "customer": customer_id,
            "client_reference_id": account_id,
            "line_items[0][price]": price,
            "line_items[0][quantity]": "1",
            "payment_method_collection": "always",
            "subscription_data[metadata][account_id]": account_id,
            "success_url": return_urls.subscribed,
            "cancel_url": return_urls.left,
        }
        if trial_days:
            form["subscription_data[trial_period_days]"] = str(trial_days)
            form["subscription_data[trial_settings][end_behavior][missing_payment_method]"] = "cancel"
        return _page_url(self._read(StripeRef, "/v1/checkout/sessions", form))

    def make_portal(self, customer_id: str, cancelled_subscription_id: str | None, return_urls: ReturnUrls) -> str:
        """Creates a portal session (card, tier, cancellation, invoices) and returns its URL.

        `cancelled_subscription_id`: a subscription that the page offers to cancel at once.
        """
        form = {"customer": customer_id, "return_url": return_urls.managed}
        if cancelled_subscription_id is not None:
            form |= {
                "flow_data[type]": "subscription_cancel",
                "flow_data[subscription_cancel][subscription]": cancelled_subscription_id,
                "flow_data[after_completion][type]": "redirect",
                "flow_data[after_completion][redirect][return_url]": return_urls.managed,
            }
        return _page_url(self._read(StripeRef, "/v1/billing_portal/sessions", form))

    def _list_all(self, path: str, asked: Mapping[str, str], kind: type[StripeList[T]]) -> Sequence[T]:
        found = self._read(kind, path, params=asked)
        if found.has_more:
            whose = asked.get("customer", asked.get("subscription"))
            raise StripeRejectedError(f"{path}: more than {_MOST} of one customer; check {whose}", "")
        return found.data

    def _read(self, kind: type[T], path: str, form: Mapping[str, str] | None = None, **more: Any) -> T:
        """Stripe's answer to a form, or to a GET without one."""
        try:
            answer = self._client.request("GET" if form is None else "POST", path, data=form, **more)
        except httpx.HTTPError as error:
            raise StripeUnavailableError(f"Stripe cannot be reached ({type(error).__name__}): try again") from None
        if answer.status_code in _AGAIN or answer.status_code >= _SERVER_ERROR:
            raise StripeUnavailableError(f"Stripe returned {answer.status_code} for {path}: try again")
        if answer.status_code >= _REFUSED:
            raise _rejection_error(answer, path)
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            told = f"Stripe's response to {path} does not match its documentation: {error}"
            raise StripeRejectedError(told, "") from None


def _page_url(found: StripeRef) -> str:
    """Validates the URL of a hosted page, which is embedded in pages and in a response header."""
    if not _PAGE.fullmatch(found.url):
        raise StripeRejectedError("Stripe's response has no URL to redirect the customer to", "")
    return found.url


def _rejection_error(answer: httpx.Response, path: str) -> StripeRejectedError:
    try:
        fault = msgspec.json.decode(answer.content, type=StripeErrorBody).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        return StripeRejectedError(f"Stripe returned {answer.status_code} for {path}", "")
    what = f"FIRM_STRIPE_SECRET_KEY for {path}" if answer.status_code in _NO_KEY else path
    return StripeRejectedError(f"Stripe rejected {what}: {fault.message or answer.status_code}", fault.code or "")
