"""A dashboard beside a small Stripe over HTTP, both on one clock that tests move."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from lxml import html

from api.billing.service import BillingService
from api.settings.billing import BillingSettings
from tests.api.billing.conftest import PRICES
from tests.api.billing.stripe_server import KEY, SIGNING_SECRET, FakeStripe, Listening, signed
from tests.api.dashboard.conftest import Browser, Desk, texts

PLAN = "/dashboard/plan"
OWNER, NEW = "owner@example.com", "new@example.com"
COMPANY = "/api/v1/companies/5599999991"


@dataclass
class Shop:
    """A running dashboard whose accounts pay."""

    desk: Desk
    stripe: FakeStripe

    @property
    def billing(self) -> BillingService:
        return self.desk.made.parts.billing_service

    def wait(self, days: float) -> None:
        """Time goes on, and Stripe does what is due."""
        self.desk.made.hands.seconds += days * 86_400
        self.stripe.pass_time()

    def deliver_all(self) -> None:
        """Stripe posts every event that it has not posted yet."""
        browser = self.desk.browser()
        events, self.stripe.events = self.stripe.events, []
        for event in events:
            body, signature = signed(event, self.desk.made.hands.seconds)
            assert browser.ask("POST", "/billing/stripe", body, stripe_signature=signature).status_code == 200

    def subscribe(self, tier: str = "pro", named: str = NEW) -> str:
        """Without the pages, told by events; the subscription's id."""
        subscription = self.stripe.complete(self.billing.checkout(named, tier))
        self.deliver_all()
        return subscription

    def stands(self, named: str = NEW) -> tuple[str, str]:
        account = self.desk.made.accounts.account(named)
        return account.tier, account.status

    def api(self, path: str, named: str = NEW) -> httpx.Response:
        """What a new key of the account is answered."""
        key = self.desk.made.accounts.create_key(named, "live").key
        return self.desk.browser().get(path, authorization=f"Bearer {key}")


def led_to(answer: httpx.Response) -> str:
    """Where a page leads by itself; it has a link to the same address."""
    assert answer.status_code == 200, answer.text
    tree = html.fromstring(answer.text)
    (content,) = tree.xpath("//head/meta[@http-equiv='refresh']/@content")
    seconds, _, address = content.partition("; url=")
    assert seconds == "0"
    assert address in tree.xpath("//main//a/@href")
    return address


def said(answer: httpx.Response) -> str:
    """All that the page says, without its tables."""
    assert answer.status_code == 200, answer.text
    return " ".join(texts(answer, "//main/*[not(self::table)]"))


def buttons(answer: httpx.Response) -> list[str]:
    return texts(answer, "//main//button")


@pytest.fixture
def stripe() -> FakeStripe:
    return FakeStripe(lambda: 0.0)


@pytest.fixture
def address(stripe: FakeStripe) -> Iterator[str]:
    with Listening(stripe) as address:
        yield address


@pytest.fixture
def shop(open_desk: Callable[..., Desk], stripe: FakeStripe, address: str) -> Shop:
    settings = BillingSettings(
        secret_key=KEY, signing_secret=SIGNING_SECRET, prices=PRICES, address=address, timeout_seconds=30
    )
    desk = open_desk(billing=settings)
    stripe.now = desk.made.hands
    return Shop(desk, stripe)


@pytest.fixture
def new(shop: Shop) -> Browser:
    """Somebody who has just signed up."""
    return shop.desk.signed_in(NEW)


def facts(answer: httpx.Response) -> dict[str, str]:
    """What stands at the top of the page, by name."""
    names, values = texts(answer, "//dl//dt"), texts(answer, "//dl//dd")
    return dict(zip(names, values, strict=True))


def signed_in_again(shop: Shop, named: str = NEW) -> Any:
    """Sessions end after days without use."""
    return shop.desk.signed_in(named)
