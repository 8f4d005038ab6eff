"""Where Stripe's pages lead customers back to: the page of their plan, whose address then says where from.

What an address says is a reason to ask Stripe and nothing else: anybody can write one. Does not belong here: the
page (`api.dashboard.routes.plan`).
"""

from dataclasses import dataclass
from typing import Final

PLAN: Final = "/dashboard/plan"
CHECKOUT: Final = "checkout"
PORTAL: Final = "portal"
COMES_FROM: Final = "from"
"""The parameter of the page's address; its values are the two above."""


@dataclass(frozen=True, slots=True)
class Returns:
    """Addresses given to Stripe: after subscribing, after leaving the checkout, after the portal."""

    subscribed: str
    left: str
    managed: str


def returns(return_url: str, public_url: str) -> Returns:
    """An operator's own address for all three (`return_url`), else the page below `public_url`."""
    if return_url:
        return Returns(return_url, return_url, return_url)
    plan = public_url + PLAN
    return Returns(f"{plan}?{COMES_FROM}={CHECKOUT}", plan, f"{plan}?{COMES_FROM}={PORTAL}")
