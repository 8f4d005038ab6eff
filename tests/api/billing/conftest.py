"""An account's service whose Stripe is the small one of `stripe_server`, on one clock with it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import text

from api.billing.service import BillingService
from api.database.engine import Database
from api.settings.billing import BillingSettings
from tests.api.billing.stripe_server import KEY, SIGNING_SECRET, FakeStripe, Listening, signed

OWNER = "owner@example.com"
PRICES = (("basic", "price_basic"), ("pro", "price_pro"), ("pro", "price_pro_old"), ("business", "price_business"))


@dataclass
class Paying:
    """A service, its Stripe, and the clock of both."""

    service: Any = field(repr=False)  # all that it ever answered: a megabyte
    stripe: FakeStripe
    billing: BillingService

    def wait(self, days: float) -> None:
        """Time goes on, and Stripe does what is due."""
        self.service.hands.seconds += days * 86_400
        self.stripe.pass_time()

    def deliver(self, event: dict[str, Any], **more: str) -> Any:
        """Stripe posts an event, signed now; the answer."""
        body, signature = signed(event, self.service.hands.seconds)
        headers = {"Stripe-Signature": signature, "Content-Type": "application/json; charset=utf-8"}
        return self.service.client.post("/billing/stripe", content=body, headers=headers | more)

    def deliver_all(self) -> None:
        """Every event that has not been delivered, in order."""
        events, self.stripe.events = self.stripe.events, []
        for event in events:
            assert self.deliver(event).status_code == 200

    def subscribe(self, tier: str = "pro", named: str = OWNER) -> str:
        """The owner subscribes; its id. Nothing is delivered."""
        return self.stripe.complete(self.billing.checkout(named, tier))

    def stands(self, named: str = OWNER) -> tuple[str, str]:
        account = self.service.accounts.account(named)
        return account.tier, account.status

    def rows(self, statement: str) -> list[Any]:
        """What the control-plane database has."""
        database = Database(self.service.parts.settings.control_database_url)
        with database.reading() as session:
            found = list(session.execute(text(statement)).all())
        database.close()
        return found

    def trial_ends(self, named: str = OWNER) -> str | None:
        ends = self.service.accounts.account(named).trial_ends_at
        return None if ends is None else f"{ends:%Y-%m-%d %H:%M}"


@pytest.fixture
def settings_of() -> Callable[[str], BillingSettings]:
    return lambda address: BillingSettings(
        secret_key=KEY, signing_secret=SIGNING_SECRET, prices=PRICES, address=address, timeout_seconds=5
    )


@pytest.fixture
def pay(serve: Any, world: Any, settings_of: Any) -> Iterator[Callable[..., Paying]]:
    """Starts the service; `database_url` may say which database."""
    stripe = FakeStripe(lambda: 0.0)
    with Listening(stripe) as address:

        def start(**settings: Any) -> Paying:
            service = serve(world, billing=settings_of(address), **settings)
            stripe.now = service.hands
            billing = service.parts.billing_service
            return Paying(service, stripe, billing)

        yield start


@pytest.fixture
def paying(pay: Callable[..., Paying]) -> Paying:
    return pay()
