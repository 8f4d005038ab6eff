"""`firm doctor` checks of billing: prices at Stripe against the tiers, accounts served without paying.

Skipped where billing is off. Changes nothing. Does not belong here: billing itself (`api.billing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from sqlalchemy.exc import SQLAlchemyError

from api.billing.entitlement import ENDED
from api.billing.errors import BillingError, StripeUnavailableError
from api.billing.repository import count_given_accounts
from api.billing.stripe_client import StripeClient
from api.billing.stripe_models import StripePrice
from api.database.engine import Database
from firm.bootstrap import Installation
from firm.doctor import DoctorFinding
from pipelines.runtime.counted_words import counted

if TYPE_CHECKING:
    from api.settings.service import ApiSettings


def price_findings(settings: ApiSettings) -> Iterator[DoctorFinding]:
    """Checks each price of FIRM_STRIPE_PRICES at Stripe."""
    if not settings.billing.is_on:
        return
    with closing(StripeClient(settings.billing)) as stripe:
        for tier, price_id in settings.billing.prices:
            try:
                price = stripe.price(price_id)
            except StripeUnavailableError as error:
                yield DoctorFinding("warn", f"Stripe: {price_id} of {tier}", str(error))
            except BillingError as error:
                yield DoctorFinding("bad", f"Stripe: {price_id} of {tier}", str(error))
            else:
                yield _price_finding(settings, tier, price)


def unpaid_findings(installation: Installation) -> Iterator[DoctorFinding]:
    """Counts active accounts without a subscription; nothing if there is no database yet."""
    settings = installation.settings
    if not settings.billing.is_on or not installation.has_database:
        return
    with closing(Database(settings.control_database_url)) as database:
        try:
            count = database.read(count_given_accounts, ENDED)
        except SQLAlchemyError:
            return  # reported by the database check (`firm.doctor.webhooks`)
    if count:
        advice = "if that is not intended: firm accounts list, then for each firm billing require --account ACCOUNT"
        words = counted(count, "account is served", "accounts are served")
        yield DoctorFinding("warn", f"{words} without a subscription", advice)


def _price_finding(settings: ApiSettings, tier: str, price: StripePrice) -> DoctorFinding:
    what = f"Stripe: {price.id} of {tier}: {_price_text(price)}"
    if settings.billing.price_of(tier) != price.id:
        return DoctorFinding("ok", f"{what}, no longer sold")
    if not price.active or price.recurring is None:
        return DoctorFinding(
            "bad", what, "no subscription is possible: an active, recurring price must be the first of the tier"
        )
    told = settings.tiers.tier_by_name(tier).monthly_cents
    if told is not None and _monthly_cents(price) != told:
        return DoctorFinding(
            "warn", what, f"FIRM_TIERS states {told / 100:.2f} USD a month for the tier: change one of them"
        )
    return DoctorFinding("ok", what)


def _monthly_cents(price: StripePrice) -> int | None:
    """Monthly price in US cents; None for other currencies or intervals."""
    recurring = price.recurring
    monthly = recurring is not None and (recurring.interval, recurring.interval_count) == ("month", 1)
    return price.unit_amount if monthly and price.currency == "usd" else None


def _price_text(price: StripePrice) -> str:
    """Formats a price; in minor units for other currencies, as not all have hundredths."""
    if price.unit_amount is None:
        return "no fixed amount"
    dollars = price.currency == "usd"
    amount = f"{price.unit_amount / 100:.2f}" if dollars else f"{price.unit_amount} minor units of"
    if price.recurring is None:
        return f"{amount} {price.currency.upper()} once"
    count, interval = price.recurring.interval_count, price.recurring.interval
    return f"{amount} {price.currency.upper()} " + (f"a {interval}" if count == 1 else f"per {count} {interval}s")
