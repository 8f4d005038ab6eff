"""Return URLs for Stripe's pages: the plan page, with the origin as a query parameter.

The parameter only triggers a fetch from Stripe, as anyone can forge it. Does not belong here: the page
(`api.dashboard.pages.plan`).
"""

from dataclasses import dataclass
from typing import Final

from api.settings.billing import PLAN

CHECKOUT: Final = "checkout"
PORTAL: Final = "portal"
COMES_FROM: Final = "from"
"""The query parameter of the page; its values are the two above."""


@dataclass(frozen=True, slots=True)
class ReturnUrls:
    """URLs given to Stripe: after subscribing, after leaving the checkout, after the portal."""

    subscribed: str
    left: str
    managed: str


def build_return_urls(return_url: str, public_url: str) -> ReturnUrls:
    """Returns the operator's `return_url` for all three, else the plan page below `public_url`."""
    if return_url:
        return ReturnUrls(return_url, return_url, return_url)
    plan = public_url + PLAN
    return ReturnUrls(f"{plan}?{COMES_FROM}={CHECKOUT}", plan, f"{plan}?{COMES_FROM}={PORTAL}")
