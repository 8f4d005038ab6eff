"""Daily reconciliation of every account with Stripe; scheduled form of `firm billing sync`.

Stripe repeats events for three days and then drops them; prices and settings change without events. One process
of an installation does it, under a lease; the time of each account's last comparison is stored, so restarts
repeat nothing. Does not belong here: applying the result (`api.billing.service`).
"""

import asyncio
import logging
from contextlib import AbstractAsyncContextManager, suppress
from datetime import timedelta
from functools import partial
from typing import Final

from sqlalchemy.exc import SQLAlchemyError

from api.billing.errors import BillingError, StripeUnavailableError
from api.billing.repository import next_account_to_compare
from api.billing.service import BillingService
from api.common.background import process_name, run_with_restart, running, sleep_or_stop
from api.common.clock import Clock
from api.database.engine import Database
from api.database.leases import LeaderLease

LEASE: Final = "billing"
EVERY: Final = timedelta(hours=24)
_LEASE_SECONDS: Final = 120.0  # longer than one account can take
PASS_SECONDS: Final = 900.0  # between two passes; the first is not at start-up, which is busy enough
BREATH_SECONDS: Final = 0.2  # between two accounts: Stripe allows 25 requests per second in test mode
_LOGGER: Final = logging.getLogger("firm.api")


class BillingReconciler:
    """Reconciles stored accounts with Stripe. `step` blocks on Stripe; one caller at a time."""

    def __init__(self, billing: BillingService, database: Database, clock: Clock) -> None:
        self._billing = billing
        self._database = database
        self._clock = clock
        self._leadership = LeaderLease(database, clock, LEASE, process_name(), _LEASE_SECONDS)
        self._after: str | None = None

    def step(self) -> bool:
        """Reconciles one account not compared for a day; False at the end of a pass.

        An account that fails stays unchanged until the next pass and blocks no other; if Stripe is unreachable
        the pass ends.
        """
        account_id = self._next_account_id() if self._leadership.acquire_or_renew() else None
        if account_id is not None:
            try:
                self._billing.refresh(account_id)
            except StripeUnavailableError as error:
                _LOGGER.warning("accounts could not be compared with Stripe: %s", error)
                account_id = None
            except BillingError:
                _LOGGER.exception("%s could not be synchronized with Stripe", account_id)
        self._after = account_id
        return account_id is not None

    def close(self) -> None:
        """Releases the lease, so that another process may continue at once."""
        self._leadership.release()

    def run_in_background(self) -> AbstractAsyncContextManager[None]:
        """Runs in the event loop for the duration of the block."""
        return running(partial(run_with_restart, self._run_passes, "comparing with Stripe"))

    async def _run_passes(self, stop: asyncio.Event) -> None:
        try:
            while not await sleep_or_stop(stop, PASS_SECONDS):
                while await asyncio.to_thread(self.step):
                    if await sleep_or_stop(stop, BREATH_SECONDS):
                        return
        finally:
            with suppress(SQLAlchemyError):  # the lease expires anyway
                await asyncio.to_thread(self.close)

    def _next_account_id(self) -> str | None:
        return self._database.read(next_account_to_compare, self._clock.now() - EVERY, self._after)
