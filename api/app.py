"""Assembles the service: `create_app` serves production, tests and benchmarks alike.

Belongs here: the list of parts, and how exceptions become responses. Does not belong here: opening files or
reading the environment (the composition root does that and passes in what it opened).
"""

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from litestar import Litestar
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException

from api.accounts.service import AccountService
from api.agents.routes import is_tools_path, refusal_response
from api.agents.tool_server import ToolServer
from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets
from api.billing.entitlement import sign_up_state
from api.common.background import running
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.common.releases import read_release
from api.dashboard.pages import PAGES
from api.dashboard.routing import dashboard_router, error_page, is_dashboard_path
from api.dashboard.sessions import SessionService
from api.dashboard.sign_in_mailer import SignInMailer
from api.database.engine import AsyncDatabase, Database
from api.events.streams import EventStreams
from api.http.authenticator import Authenticator
from api.http.client_ip import ClientIpResolver
from api.http.concurrency_limit import ListQueryPool
from api.http.context import UNROUTED, ApiRequest, RequestContext, current_request
from api.http.cors import METHODS, is_preflight, options_headers
from api.http.middleware import RequestMiddleware
from api.http.pagination.cursors import CursorCipher
from api.http.response_headers import ReleaseHeaders
from api.http.responses import HttpResponse, problem_response
from api.http.routing import check_request, sort_methods
from api.observability.logging import LOGGER, AccessLog, Write
from api.observability.metrics import Metrics, WorkerSlot, publish_periodically
from api.openapi_document import openapi_document
from api.problems.problem import (
    ProblemDetail,
    ProblemError,
    new_problem,
    not_found_problem,
    service_unavailable_problem,
)
from api.public_pages.pages import PUBLIC_ROUTES
from api.public_pages.state import PublicPages
from api.rate_limits.limiter import RateLimiter
from api.routes import ROUTES
from api.services import ApiServices
from api.settings.service import ApiSettings
from api.usage.repository import DatabaseUsageStore
from api.watchlists.service import WatchlistService
from api.webhooks.egress.dns import DnsResolver, Lookup
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.subscriptions.service import SubscriptionService
from warehouse.reader.reader import FormerReleaseError, NoReleaseError, ReleaseReader

if TYPE_CHECKING:
    from api.billing.service import BillingService

BackgroundService = Callable[[Callable[[str], None]], AbstractAsyncContextManager[None]]
"""Runs in the background while the service runs; receives the callback that counts attempts."""

_PUBLISHED_AFTER = 30  # Retry-After in seconds


def create_app(  # noqa: PLR0913, PLR0917 -- the one place where everything is handed in
    settings: ApiSettings,
    reader: ReleaseReader,
    database: Database,
    secrets: ServiceSecrets,
    clock: Clock | None = None,
    write_access_log: Write | None = None,
    worker_slot: WorkerSlot | None = None,
    resolver: Lookup | None = None,
    deliveries: BackgroundService | None = None,
) -> Litestar:
    """Creates the service as an ASGI application.

    `database`: already migrated (`api.database.migrate.prepare_database`). `write_access_log`: receives whole
    lines; default is standard error if the setting `access_log` is on. `worker_slot`: where one of several workers
    publishes its metrics. `resolver`: DNS resolver for endpoint hosts, by default the system's. `deliveries`:
    delivers webhooks in this process.
    """
    clock, resolver = clock or Clock(), resolver or DnsResolver()
    ulids = UlidGenerator(clock.wall)
    accounts = AccountService(database, secrets.pepper, clock, ulids, settings.tiers)
    limits = RateLimiter(settings.tiers, clock, DatabaseUsageStore(database, clock.today))
    if write_access_log is None and settings.access_log:
        write_access_log = _write_stderr
    metrics = Metrics(worker_slot)
    lookup = metrics.counted("key_lookups", accounts.lookup)
    control, sealer = AsyncDatabase(database), SecretBox(secrets.sealing_keys)
    billing = _load_billing(settings, database, accounts, clock)
    postman = SignInMailer(settings.mail)

    def last_sequence() -> int:
        return read_release(reader, lambda snapshot: snapshot.last_sequence) or 0

    footing = sign_up_state(settings.tiers, accounts_pay=settings.billing.is_on)
    service = ApiServices(
        settings=settings,
        release_reader=reader,
        clock=clock,
        ulid_generator=ulids,
        account_service=accounts,
        authenticator=Authenticator(
            lookup, limits.limits_of_account, secrets.pepper, clock, settings.key_cache_seconds
        ),
        rate_limiter=limits,
        cursor_cipher=CursorCipher(secrets.cursor_keys, clock),
        list_query_pool=ListQueryPool(settings.list_concurrency, settings.list_wait_seconds, metrics.add),
        release_headers=ReleaseHeaders(),
        access_log=AccessLog(write_access_log),
        metrics=metrics,
        client_ip_resolver=ClientIpResolver(settings.trusted_proxies),
        openapi_document=openapi_document(settings.public_url, settings),
        control_database=control,
        secret_box=sealer,
        subscription_service=SubscriptionService(
            control, last_sequence, sealer, settings.webhooks, settings.tiers, clock, ulids, resolver
        ),
        watchlist_service=WatchlistService(control, settings.tiers, clock, ulids),
        webhook_client=WebhookClient(settings.webhooks, clock, resolver),
        billing_service=billing,
        sign_in_mailer=postman,
        event_streams=EventStreams(reader, control, clock, ulids),
        tool_server=ToolServer(),
        public_pages=PublicPages.new(settings, clock),
        session_service=SessionService(control, postman, secrets.pepper, footing, clock, ulids, settings.public_url),
    )
    app = new_litestar()
    app.state.service = service
    app.state.deliveries = deliveries or (lambda _: nullcontext())
    app.state.reconciliation = _load_reconciliation(billing, database, clock)
    # around the router too, so that routing errors get the same headers and are logged
    app.asgi_handler = RequestMiddleware(app.asgi_handler, service, _error_response)
    return app


def new_litestar() -> Litestar:
    """Litestar with every route, and no service yet: it takes the one that stands in its state when it starts."""
    # Litestar only checks the value returned by such a handler for `to_asgi_response`; `HttpResponse` has it
    on_errors: dict[int | type[Exception], Any] = {
        Exception: lambda _, error: _error_response(current_request(), error)
    }
    return Litestar(
        route_handlers=[*ROUTES, *PUBLIC_ROUTES, dashboard_router(PAGES)],
        before_request=check_request,
        request_class=ApiRequest,
        openapi_config=None,  # our own document: `api.openapi_document`
        logging_config=None,
        debug=False,
        lifespan=[
            lambda app: publish_periodically(app.state.service.metrics),
            lambda app: app.state.deliveries(app.state.service.metrics.attempted),
            lambda app: running(app.state.service.event_streams.run),
            lambda app: app.state.service.tool_server.run(app),
            lambda app: app.state.reconciliation(),
        ],
        on_startup=[_start],
        on_shutdown=[_stop],
        exception_handlers=on_errors,
    )


def _start(app: Litestar) -> None:
    service: ApiServices = app.state.service
    service.rate_limiter.share_buckets(service.settings.bursts_path)


async def _stop(app: Litestar) -> None:
    """What was gathered is written, what was opened is closed."""
    service: ApiServices = app.state.service
    service.access_log.flush()
    service.list_query_pool.close()
    await service.rate_limiter.store_pending_counts()
    await service.webhook_client.close()
    await service.sign_in_mailer.close()
    service.control_database.close()
    if service.billing_service is not None:
        service.billing_service.close()


def _load_billing(
    settings: ApiSettings, database: Database, accounts: AccountService, clock: Clock
) -> "BillingService | None":
    """Creates the billing service.

    Imported only if configured: its HTTP client adds some tenths of a second to start-up.
    """
    if not settings.billing.is_on:
        return None
    from api.billing.service import BillingService

    return BillingService(settings.billing, settings.tiers, database, accounts, clock, settings.public_url)


def _load_reconciliation(
    billing: "BillingService | None", database: Database, clock: Clock
) -> Callable[[], AbstractAsyncContextManager[None]]:
    if billing is None:
        return nullcontext
    from api.billing.service import BillingReconciler

    return BillingReconciler(billing, database, clock).run_in_background


def _write_stderr(lines: bytes) -> None:
    sys.stderr.buffer.write(lines)
    sys.stderr.buffer.flush()


def _error_response(context: RequestContext, error: Exception) -> HttpResponse:
    """Response if no handler answered, or one failed: a page below the dashboard, the tools' words, else a problem.

    A preflight is granted even so: a page that may not send its request cannot read why it is refused.
    """
    problem = _problem_of(context, error)
    if is_dashboard_path(context.path):
        return error_page(context, problem)
    if is_tools_path(context.path):
        return refusal_response(context, problem)
    if is_preflight(context) and context.route_policy is UNROUTED:
        return HttpResponse(204, options_headers(context, METHODS), b"")
    return problem_response(context, problem)


def _problem_of(context: RequestContext, error: Exception) -> ProblemError:
    """Maps errors of Litestar's routing; the stack trace of an unexpected error goes to the log."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, NotFoundException):
        return not_found_problem(context.path)
    if isinstance(error, MethodNotAllowedException):
        allow = sort_methods((error.headers or {}).get("allow", "").split(", "))
        detail = f"{context.method} is not allowed here. Allowed: {allow}."
        return new_problem("method_not_allowed", detail, headers=[(b"allow", allow.encode())])
    if isinstance(error, HTTPException) and error.status_code < 500:  # noqa: PLR2004
        return new_problem("invalid_parameter", "The request is malformed.", ProblemDetail("format", error.detail))
    if isinstance(error, NoReleaseError):
        what = "Data of this kind has not" if isinstance(error, FormerReleaseError) else "No data has"
        return service_unavailable_problem(f"{what} been published yet.", _PUBLISHED_AFTER)
    LOGGER.error("request failed", exc_info=error)
    return new_problem("internal_error", "Internal error. Quote the request id to support.")
