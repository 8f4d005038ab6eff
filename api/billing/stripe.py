"""The few questions that are put to Stripe's API over HTTPS; one version of its interface, named in every request.

By httpx alone: Stripe's own package is 13 MB of generated code, and of it eight calls and one digest would be used.
A question is put once: Stripe repeats its events until they are answered well, and customers press a button again.
Does not belong here: what is asked when (`api.billing.service`).
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Final, TypeVar

import httpx
import msgspec

from api.billing.errors import StripeRefused, StripeUnavailable
from api.billing.objects import Customer, Invoice, Linked, Listed, Named, Price, Refusal, Subscription
from api.billing.returns import Returns
from api.billing.settings import BillingSettings

T = TypeVar("T")

VERSION: Final = "2026-10-28.endive"
"""The interface as Stripe published it on that day; raise it deliberately, with the tests."""

MISSING: Final = "resource_missing"
"""Stripe's code for an id that it does not know, or not any more."""

_MOST: Final = 100
"""Subscriptions, open sessions or late invoices of one customer; Stripe's longest page."""
_NEW_PERIOD: Final = "subscription_cycle"
"""Why Stripe makes an invoice when a period begins, the first after a trial too."""
_AGAIN: Final = (409, 424, 429)
_PAGE: Final = re.compile(r"(?:https://|http://(?:127\.0\.0\.1|localhost):)[!#-&(-;=?-~]{1,5000}")
"""Of printable ASCII without blanks, quotes and angles; in the clear on this machine alone, for trials."""
_SERVER_ERROR: Final = 500
_REFUSED: Final = 400
_NO_KEY: Final = (401, 403)
_TRIES: Final = 3


class Stripe:
    """Stripe as this service needs it. Its methods may be called from several threads."""

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
        """Whether there is such a customer still."""
        try:
            return not self._read(Customer, "GET", f"/v1/customers/{customer_id}").deleted
        except StripeRefused as refused:
            if refused.code == MISSING:
                return False
            raise

    def make_customer(self, account_id: str, email: str, former: str | None) -> str:
        """The id of the account's customer; asked twice within a day, the same. `former`: one that was deleted."""
        form = {"email": email, "metadata[account_id]": account_id}
        same = sha256(f"customer {account_id} {email} {former or ''}".encode()).hexdigest()
        return self._post("/v1/customers", form, Named, {"Idempotency-Key": same}).id

    def subscriptions(self, customer_id: str) -> Sequence[Subscription]:
        """All that the customer has or had, newest first; none where Stripe knows no such customer any more."""
        asked = {"customer": customer_id, "status": "all", "limit": str(_MOST)}
        try:
            return self._all("/v1/subscriptions", asked, Listed[Subscription])
        except StripeRefused as refused:
            if refused.code == MISSING:
                return []
            raise

    def has_paid(self, subscription_id: str, since: int) -> bool:
        """Whether anything that Stripe asked for after that second was paid: a period, or an amount.

        A credit for a lesser tier counts as paid at Stripe although no money has come.
        """
        asked = {
            "subscription": subscription_id,
            "status": "paid",
            "created[gte]": str(since),
            "limit": str(_MOST),
        }
        found = self._all("/v1/invoices", asked, Listed[Invoice])
        return any(one.amount_paid > 0 or one.billing_reason == _NEW_PERIOD for one in found)

    def price(self, price_id: str) -> Price:
        return self._read(Price, "GET", f"/v1/prices/{price_id}")

    def open_sessions(self, customer_id: str) -> list[str]:
        """Ids of the checkouts that the customer may still end."""
        asked = {"customer": customer_id, "status": "open", "limit": str(_MOST)}
        return [one.id for one in self._all("/v1/checkout/sessions", asked, Listed[Named])]

    def expire_sessions(self, customer_id: str) -> None:
        """No checkout of the customer that is open now can be ended any more.

        Another request may be doing the same, or make one meanwhile: what is refused is looked at again.
        """
        for _ in range(_TRIES):
            session_ids = self.open_sessions(customer_id)
            if not session_ids:
                return
            for session_id in session_ids:
                with suppress(StripeRefused):
                    self._post(f"/v1/checkout/sessions/{session_id}/expire", {}, Named)
        raise StripeUnavailable(f"checkouts of {customer_id} stay open: try again")

    def make_session(
        self, customer_id: str, account_id: str, price: str, trial_days: int, back: Returns
    ) -> str:
        """The address of a page on which the customer leaves a card and subscribes.

        A card is asked for during a trial too; without one the subscription would end with the trial.
        """
        form = {
            "mode": "subscription",
            "customer": customer_id,
            "client_reference_id": account_id,
            "line_items[0][price]": price,
            "line_items[0][quantity]": "1",
            "payment_method_collection": "always",
            "subscription_data[metadata][account_id]": account_id,
            "success_url": back.subscribed,
            "cancel_url": back.left,
        }
        if trial_days:
            form["subscription_data[trial_period_days]"] = str(trial_days)
            form["subscription_data[trial_settings][end_behavior][missing_payment_method]"] = "cancel"
        return _page(self._post("/v1/checkout/sessions", form, Linked))

    def make_portal(self, customer_id: str, cancels: str | None, back: Returns) -> str:
        """The address of a page on which the customer changes card and tier, cancels, and finds invoices.

        `cancels`: a subscription, whose cancellation the page then asks for at once.
        """
        form = {"customer": customer_id, "return_url": back.managed}
        if cancels is not None:
            form |= {
                "flow_data[type]": "subscription_cancel",
                "flow_data[subscription_cancel][subscription]": cancels,
                "flow_data[after_completion][type]": "redirect",
                "flow_data[after_completion][redirect][return_url]": back.managed,
            }
        return _page(self._post("/v1/billing_portal/sessions", form, Linked))

    def _all(self, path: str, asked: Mapping[str, str], kind: type[Listed[T]]) -> Sequence[T]:
        found = self._read(kind, "GET", path, params=asked)
        if found.has_more:
            whose = asked.get("customer", asked.get("subscription"))
            raise StripeRefused(f"{path}: more than {_MOST} of one customer; look at {whose}", "")
        return found.data

    def _post(
        self, path: str, form: Mapping[str, str], kind: type[T], headers: Mapping[str, str] | None = None
    ) -> T:
        return self._read(kind, "POST", path, data=form, headers=headers)

    def _read(
        self,
        kind: type[T],
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        data: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> T:
        try:
            answer = self._client.request(method, path, params=params, data=data, headers=headers)
        except httpx.HTTPError as error:
            raise StripeUnavailable(f"Stripe cannot be reached ({type(error).__name__}): try again") from None
        if answer.status_code in _AGAIN or answer.status_code >= _SERVER_ERROR:
            raise StripeUnavailable(f"Stripe answered {answer.status_code} to {path}: try again")
        if answer.status_code >= _REFUSED:
            raise _refused(answer, path)
        try:
            return msgspec.json.decode(answer.content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise StripeRefused(f"Stripe's answer to {path} is not what is documented: {error}", "") from None


def _page(found: Linked) -> str:
    """The address, where browsers can be sent there: it stands in pages and in a header of ours."""
    if not _PAGE.fullmatch(found.url):
        raise StripeRefused("Stripe's answer has no address of a page that customers could be sent to", "")
    return found.url


def _refused(answer: httpx.Response, path: str) -> StripeRefused:
    try:
        fault = msgspec.json.decode(answer.content, type=Refusal).error
    except (msgspec.DecodeError, UnicodeDecodeError):
        return StripeRefused(f"Stripe answered {answer.status_code} to {path}", "")
    what = f"FIRM_STRIPE_SECRET_KEY for {path}" if answer.status_code in _NO_KEY else path
    return StripeRefused(f"Stripe refuses {what}: {fault.message or answer.status_code}", fault.code or "")
