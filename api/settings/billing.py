"""Billing settings. Does not belong here: limits and names of tiers (`api.settings.tiers`)."""

import re
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from api.settings.env import EnvReader, SettingError
from api.settings.tiers import TierCatalogue

PLAN: Final = "/dashboard/plan"
"""The dashboard's page on which an owner chooses a plan and pays."""
_PRICE: Final = re.compile(r"([a-z][a-z0-9_]{0,19})=(price_[0-9A-Za-z_]{1,200})")
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_LONGEST_TRIAL: Final = 730
"""Days; Stripe's maximum."""


@dataclass(frozen=True, slots=True)
class BillingSettings:
    """Billing settings. Without `secret_key` billing is off, and an operator sets tiers."""

    secret_key: str = field(default="", repr=False)
    """Stripe's secret or restricted key (FIRM_STRIPE_SECRET_KEY); never shown."""

    signing_secret: str = field(default="", repr=False)
    """Signing secret of our Stripe webhook endpoint (FIRM_STRIPE_SIGNING_SECRET, `whsec_…`); never shown."""

    prices: tuple[tuple[str, str], ...] = ()
    """(tier, Stripe price id). The first price of a tier is sold, all are recognised (FIRM_STRIPE_PRICES)."""

    address: str = "https://api.stripe.com"
    """Base URL of Stripe's API (FIRM_STRIPE_ADDRESS); changed only to test an installation."""

    return_url: str = ""
    """Return URL of Stripe's pages (FIRM_STRIPE_RETURN_URL); empty: the account's plan page."""

    trial_days: int = 14
    """How long the first subscription of an account is free of charge; 0: not at all.

    See docs/contract/keys-and-limits.md 3.3.
    """

    timeout_seconds: float = 10.0
    """Request timeout of the Stripe client."""

    @property
    def is_on(self) -> bool:
        return bool(self.secret_key)

    @property
    def tier_of(self) -> dict[str, str]:
        """Tier by price id."""
        return {price: tier for tier, price in self.prices}

    def price_of(self, tier: str) -> str | None:
        """The price sold for a tier; None if the tier is not sold."""
        return next((price for name, price in self.prices if name == tier), None)

    @classmethod
    def read(cls, read: EnvReader, tiers: TierCatalogue) -> "BillingSettings":
        default = cls()
        given = cls(
            secret_key=read.text("FIRM_STRIPE_SECRET_KEY", ""),
            signing_secret=read.text("FIRM_STRIPE_SIGNING_SECRET", ""),
            prices=_parse_prices(read.text("FIRM_STRIPE_PRICES", ""), tiers),
            address=read.address("FIRM_STRIPE_ADDRESS", default.address),
            return_url=read.text("FIRM_STRIPE_RETURN_URL", "") and read.address("FIRM_STRIPE_RETURN_URL", ""),
            trial_days=read.integer("FIRM_TRIAL_DAYS", default.trial_days, 0, _LONGEST_TRIAL),
            timeout_seconds=read.number("FIRM_STRIPE_SECONDS", default.timeout_seconds, 1, 60),
        )
        _check_complete(given)
        return given


def _parse_prices(written: str, tiers: TierCatalogue) -> tuple[tuple[str, str], ...]:
    """Parses comma-separated `tier=price_…` pairs; a price belongs to one tier."""
    prices: list[tuple[str, str]] = []
    for part in filter(None, (one.strip() for one in written.split(","))):
        found = _PRICE.fullmatch(part)
        if found is None:
            raise SettingError(f"FIRM_STRIPE_PRICES must list tiers with prices, for example pro=price_…, not {part!r}")
        tier, price = found.groups()
        if tier not in tiers.names:
            raise SettingError(f"FIRM_STRIPE_PRICES: {tier!r} is not a tier; tiers are {', '.join(tiers.names)}")
        if price in (other for _, other in prices):
            raise SettingError(f"FIRM_STRIPE_PRICES: {price} is given twice")
        prices.append((tier, price))
    return tuple(prices)


def _check_complete(given: BillingSettings) -> None:
    """Rejects incomplete settings, which would charge without service or serve without charge."""
    needed = {
        "FIRM_STRIPE_SECRET_KEY": given.secret_key,
        "FIRM_STRIPE_SIGNING_SECRET": given.signing_secret,
        "FIRM_STRIPE_PRICES": given.prices,
    }
    missing = [name for name, value in needed.items() if not value]
    if 0 < len(missing) < len(needed):
        raise SettingError(f"{' and '.join(missing)} must also be set, or none of {', '.join(needed)}")
    address = urlsplit(given.address)
    if address.scheme != "https" and address.hostname not in _LOOPBACK:
        raise SettingError("FIRM_STRIPE_ADDRESS must begin with https://, otherwise the key would be sent unencrypted")
