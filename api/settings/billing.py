"""Billing settings. Does not belong here: limits and names of tiers (`api.settings.tiers`)."""

from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator
from pydantic_settings import SettingsConfigDict

from api.settings.parsers import parse_prices
from warehouse.settings.area import AreaSettings, from_text
from warehouse.settings.texts import parse_base_url

PLAN: Final = "/dashboard/plan"
"""The dashboard's page on which an owner chooses a plan and pays."""
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_LONGEST_TRIAL: Final = 730
"""Days; Stripe's maximum."""


class BillingSettings(AreaSettings):
    """Billing by Stripe."""

    model_config = SettingsConfigDict(env_prefix="FIRM_STRIPE_")

    secret_key: str = Field(
        default="",
        repr=False,
        description="Paying by Stripe: this key, FIRM_STRIPE_SIGNING_SECRET and FIRM_STRIPE_PRICES or none; none: "
        "tiers are set by `firm accounts set-tier`. With them, whoever signs up is answered 402 until a plan begins. "
        "A restricted key needs to write customers, checkout sessions and portal sessions, and to read "
        "subscriptions, invoices and prices.",
    )
    signing_secret: str = Field(
        default="",
        repr=False,
        description="Signing secret (whsec_…) of an endpoint at Stripe that sends to FIRM_PUBLIC_URL/billing/stripe "
        "(which events: docs/operating.md).",
    )
    prices: Annotated[tuple[tuple[str, str], ...], from_text(parse_prices)] = Field(
        default=(),
        description="Prices as basic=price_1A…,pro=price_1B…,pro=price_1C…: of a tier's prices the first is sold, all "
        "are recognised.",
    )
    return_url: Annotated[str, from_text(parse_base_url)] = Field(
        default="", description="Where customers come back to from Stripe's pages; empty: the page of their plan."
    )
    trial_days: int = Field(
        default=14,
        ge=0,
        le=_LONGEST_TRIAL,
        validation_alias="FIRM_TRIAL_DAYS",
        description="Days the first subscription of an account is free of charge (docs/contract/keys-and-limits.md "
        "3.3); 0: none.",
    )
    address: Annotated[str, from_text(parse_base_url)] = Field(
        default="https://api.stripe.com", description="Where Stripe's API is; changed only to test an installation."
    )
    timeout_seconds: float = Field(
        default=10.0,
        ge=1,
        le=60,
        validation_alias="FIRM_STRIPE_SECONDS",
        description="Seconds that Stripe may take to answer.",
    )

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

    @model_validator(mode="after")
    def _check_complete(self) -> Self:
        """Rejects incomplete settings, which would charge without service or serve without charge."""
        needed = {
            "FIRM_STRIPE_SECRET_KEY": self.secret_key,
            "FIRM_STRIPE_SIGNING_SECRET": self.signing_secret,
            "FIRM_STRIPE_PRICES": self.prices,
        }
        missing = [name for name, value in needed.items() if not value]
        if 0 < len(missing) < len(needed):
            raise ValueError(f"{' and '.join(missing)} must also be set, or none of {', '.join(needed)}")
        address = urlsplit(self.address)
        if address.scheme != "https" and address.hostname not in _LOOPBACK:
            raise ValueError(
                "FIRM_STRIPE_ADDRESS must begin with https://, otherwise the key would be sent unencrypted, not "
                f"{self.address!r}"
            )
        return self
