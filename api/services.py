"""The parts of the running service, assembled once by `api.app.create_app`.

Does not belong here: state of one request (`api.http.context`).
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from api.accounts.service import AccountService
from api.auth.encryption import SecretBox
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.dashboard.sessions import SessionService
from api.dashboard.sign_in_mailer import SignInMailer
from api.database.async_access import AsyncDatabase
from api.http.authenticator import Authenticator
from api.http.client_ip import ClientIpResolver
from api.http.concurrency_limit import ListQueryPool
from api.http.pagination.cursors import CursorSigner
from api.http.release_headers import ReleaseHeaders
from api.observability.access_log import AccessLog
from api.observability.metrics import Metrics
from api.rate_limits.limiter import RateLimiter
from api.settings.service import ApiSettings
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.subscriptions.service import SubscriptionService
from warehouse.reader.types import ReleaseSnapshot
from warehouse.release.freshness import Freshness
from warehouse.release.run_log import RunNote

if TYPE_CHECKING:
    from api.billing.service import BillingService


class SnapshotSource(Protocol):
    """The part of `warehouse.reader.reader.ReleaseReader` that routes use."""

    def pin(self) -> AbstractContextManager[ReleaseSnapshot]: ...

    def freshness(self) -> Freshness: ...

    def runs(self) -> list[RunNote]: ...


@dataclass(frozen=True, slots=True)
class ApiServices:
    """Everything a route may need; immutable while the service runs."""

    settings: ApiSettings
    reader: SnapshotSource
    clock: Clock
    ulids: UlidGenerator
    accounts: AccountService
    authenticator: Authenticator
    limits: RateLimiter
    cursors: CursorSigner
    lists: ListQueryPool
    stamps: ReleaseHeaders
    access_log: AccessLog
    metrics: Metrics
    proxies: ClientIpResolver
    openapi: bytes
    control: AsyncDatabase
    sealer: SecretBox
    subscriptions: SubscriptionService
    sender: WebhookClient
    """For test sends; deliveries have their own client."""
    billing: "BillingService | None"
    """None without Stripe's settings: an operator sets tiers."""
    postman: SignInMailer
    """For sign-in links; notices use the outbox."""
    doors: SessionService
