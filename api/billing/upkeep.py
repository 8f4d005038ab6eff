"""Asks Stripe of every account once a day, whatever events came: the schedule of `firm billing sync`.

Events are repeated for three days and then lost; prices and settings change without any. One process of an
installation does it, by a lease; when an account was last asked about is stored, so restarts ask nothing twice.
Does not belong here: what follows of an answer (`api.billing.service`).
"""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from api.billing.errors import BillingError, StripeUnavailable
from api.billing.service import Billing
from api.clock import Clock
from api.db.billing import BillingRepository
from api.db.engine import Database
from api.webhooks.leases import Leadership
from api.webhooks.service import kept, process_name

LEASE: Final = "billing"
EVERY: Final = timedelta(hours=24)
_LEASE_SECONDS: Final = 120.0  # longer than one account can take
PASS_SECONDS: Final = 900.0  # between two passes; the first is not at the start, which is busy enough
BREATH_SECONDS: Final = 0.2  # between two accounts: Stripe takes 25 questions a second in trials
_LOGGER: Final = logging.getLogger("firm.api")


class Upkeep:
    """Keeps what is stored of accounts in step with Stripe. `step` waits for Stripe; one caller at a time."""

    def __init__(self, billing: Billing, database: Database, clock: Clock) -> None:
        self._billing = billing
        self._database = database
        self._clock = clock
        self._leadership = Leadership(database, clock, LEASE, process_name(), _LEASE_SECONDS)
        self._after: str | None = None

    def step(self) -> bool:
        """Brings one account up to date that was not asked about for a day; False at the end of a pass.

        One that cannot be brought up to date stays as it is until the next pass, and stops no other; when Stripe
        cannot be reached the pass ends.
        """
        account_id = self._next() if self._leadership.held() else None
        if account_id is not None:
            try:
                self._billing.refresh(account_id)
            except StripeUnavailable as error:
                _LOGGER.warning("accounts are not compared with Stripe now: %s", error)
                account_id = None
            except BillingError:
                _LOGGER.exception("%s cannot be brought in step with Stripe", account_id)
        self._after = account_id
        return account_id is not None

    def close(self) -> None:
        """Another process may go on at once."""
        self._leadership.give()

    @asynccontextmanager
    async def beside(self) -> AsyncIterator[None]:
        """Goes on for as long as the block runs, in its event loop."""
        stop = asyncio.Event()
        running = asyncio.create_task(kept(self._run, "comparing with Stripe", stop))
        try:
            yield
        finally:
            stop.set()
            await running

    async def _run(self, stop: asyncio.Event) -> None:
        try:
            while not await _stopped(stop, PASS_SECONDS):
                while await asyncio.to_thread(self.step):
                    if await _stopped(stop, BREATH_SECONDS):
                        return
        finally:
            with suppress(SQLAlchemyError):  # the lease runs out by itself
                await asyncio.to_thread(self.close)

    def _next(self) -> str | None:
        with self._database.reading() as session:
            billing = BillingRepository(session.connection())
            return billing.asked_before(self._clock.now() - EVERY, self._after)


async def _stopped(stop: asyncio.Event, seconds: float) -> bool:
    """Waits so long; True as soon as it is to end."""
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)
    return stop.is_set()
