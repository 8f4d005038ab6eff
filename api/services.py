"""The parts of the running service, assembled once by `api.app.create_app`.

Does not belong here: state of one request (`api.http.context`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from api.accounts.service import AccountService
from api.agents.tool_server import ToolServer
from api.auth.encryption import SecretBox
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.dashboard.sessions import SessionService
from api.dashboard.sign_in_mailer import SignInMailer
from api.database.engine import AsyncDatabase
from api.events.streams import EventStreams
from api.http.authenticator import Authenticator
from api.http.client_ip import ClientIpResolver
from api.http.concurrency_limit import ListQueryPool
from api.http.pagination.cursors import CursorCipher
from api.http.response_headers import ReleaseHeaders
from api.observability.logging import AccessLog
from api.observability.metrics import Metrics
from api.public_pages.state import PublicPages
from api.rate_limits.limiter import RateLimiter
from api.settings.service import ApiSettings
from api.watchlists.service import WatchlistService
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.subscriptions.service import SubscriptionService
from warehouse.reader.reader import ReleaseReader

if TYPE_CHECKING:
    from api.billing.service import BillingService


@dataclass(frozen=True, slots=True)
class ApiServices:
    """Everything a route may need; immutable while the service runs."""

    settings: ApiSettings
    release_reader: ReleaseReader
    clock: Clock
    ulid_generator: UlidGenerator
    account_service: AccountService
    authenticator: Authenticator
    rate_limiter: RateLimiter
    cursor_cipher: CursorCipher
    list_query_pool: ListQueryPool
    release_headers: ReleaseHeaders
    access_log: AccessLog
    metrics: Metrics
    client_ip_resolver: ClientIpResolver
    openapi_document: bytes
    control_database: AsyncDatabase
    secret_box: SecretBox
    subscription_service: SubscriptionService
    watchlist_service: WatchlistService
    webhook_client: WebhookClient
    """For test sends; deliveries have their own client."""
    billing_service: "BillingService | None"
    """None without Stripe's settings: an operator sets tiers."""
    sign_in_mailer: SignInMailer
    """For sign-in links; notices use the outbox."""
    session_service: SessionService
    event_streams: EventStreams
    tool_server: ToolServer
    public_pages: PublicPages
