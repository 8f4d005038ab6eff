"""Assembles the service: `create_app` serves production, tests and benchmarks alike.

Belongs here: the list of parts, and how exceptions become responses. Does not belong here: opening files or
reading the environment (the composition root does that and passes in what it opened).
"""

import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import TYPE_CHECKING, Any

from litestar import Litestar, Request
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException

from api.access_log import AccessLog, Write
from api.accounts import Accounts
from api.answers import Answer, problem_answer
from api.auth import Authenticator
from api.billing.standing import at_sign_up
from api.call import Call, current
from api.clock import Clock
from api.control import ControlPlane
from api.dashboard.doors import Doors
from api.dashboard.pages import error_page, is_of_pages
from api.dashboard.postman import Postman
from api.dashboard.routes import PAGES
from api.db.counts import Counts
from api.db.engine import Database
from api.edge import Edge
from api.endpoints import in_order, straight
from api.limits import Limits
from api.logs import LOGGER
from api.metrics import Desk, Metrics, publishing
from api.openapi import document
from api.overload import Lists
from api.pagination import Cursors
from api.problems import InputError, Problem, nothing_at, problem, unavailable
from api.proxies import Proxies
from api.routes import ROUTES
from api.secrets import Secrets
from api.service import Service, SnapshotSource
from api.settings import ApiSettings
from api.stamps import Stamps
from api.ulids import Ulids
from api.webhooks.names import Lookup, Names
from api.webhooks.sealing import Sealer
from api.webhooks.sending import Sender
from api.webhooks.subscriptions import Subscriptions
from warehouse.reader import NoRelease

if TYPE_CHECKING:
    from api.billing.service import Billing

Beside = Callable[[Callable[[str], None]], AbstractAsyncContextManager[None]]
"""Runs in the background while the service runs; receives the callback that counts attempts."""

_PUBLISHED_AFTER = 30  # Retry-After in seconds


def create_app(  # noqa: PLR0913, PLR0917 -- the one place where everything is handed in
    settings: ApiSettings,
    reader: SnapshotSource,
    database: Database,
    secrets: Secrets,
    clock: Clock | None = None,
    write_access_log: Write | None = None,
    desk: Desk | None = None,
    resolver: Lookup | None = None,
    deliveries: Beside | None = None,
) -> Litestar:
    """Creates the service as an ASGI application.

    `database`: already migrated (`api.db.migrate.prepare`). `write_access_log`: receives whole lines; default
    is standard error if `settings.access_log` is set. `desk`: where one of several workers publishes its
    metrics. `resolver`: DNS resolver for endpoint hosts, by default the system's. `deliveries`: delivers
    webhooks in this process.
    """
    clock, resolver = clock or Clock(), resolver or Names()
    ulids = Ulids(clock.wall)
    accounts = Accounts(database, secrets.pepper, clock, ulids, settings.tiers)
    limits = Limits(settings.tiers, clock, Counts(database, clock.today))
    if write_access_log is None and settings.access_log:
        write_access_log = _to_standard_error
    metrics = Metrics(desk)
    lookup = metrics.counted("key_lookups", accounts.lookup)
    control, sealer = ControlPlane(database), Sealer(secrets.sealing_keys)
    billing = _billing(settings, database, accounts, clock)
    postman = Postman(settings.mail)
    footing = at_sign_up(settings.tiers, accounts_pay=settings.billing.is_on)
    service = Service(
        settings=settings,
        reader=reader,
        clock=clock,
        ulids=ulids,
        accounts=accounts,
        authenticator=Authenticator(
            lookup, limits.meter_of, secrets.pepper, clock, settings.key_cache_seconds
        ),
        limits=limits,
        cursors=Cursors(secrets.cursor_keys, clock),
        lists=Lists(settings.list_concurrency, settings.list_wait_seconds, metrics.add),
        stamps=Stamps(),
        access_log=AccessLog(write_access_log),
        metrics=metrics,
        proxies=Proxies(settings.trusted_proxies),
        openapi=document(settings.public_url),
        control=control,
        sealer=sealer,
        subscriptions=Subscriptions(
            control,
            lambda: _last_sequence(reader),
            sealer,
            settings.webhooks,
            settings.tiers,
            clock,
            ulids,
            resolver,
        ),
        sender=Sender(settings.webhooks, clock, resolver),
        billing=billing,
        postman=postman,
        doors=Doors(control, postman, secrets.pepper, footing, clock, ulids, settings.public_url),
    )
    return _litestar(service, deliveries or (lambda _: nullcontext()), _upkeep(billing, database, clock))


def _litestar(
    service: Service, deliveries: Beside, upkeep: Callable[[], AbstractAsyncContextManager[None]]
) -> Litestar:
    def start() -> None:
        service.limits.start(service.settings.bursts_path)

    async def stop() -> None:
        service.access_log.flush()
        service.lists.close()
        await service.limits.stop()
        await service.sender.close()
        await service.postman.close()
        service.control.close()
        if service.billing is not None:
            service.billing.close()

    # Litestar only checks a handler's return value for `to_asgi_response`; `Answer` has it
    handlers: dict[int | type[Exception], Any] = {
        HTTPException: _on_routing,
        Exception: _on_failure,
    }
    app = Litestar(
        route_handlers=[*ROUTES, *PAGES],
        openapi_config=None,  # our own document: `api.openapi`
        logging_config=None,
        debug=False,
        lifespan=[
            lambda _: publishing(service.metrics),
            lambda _: deliveries(service.metrics.attempted),
            lambda _: upkeep(),
        ],
        on_startup=[start],
        on_shutdown=[stop],
        exception_handlers=handlers,
    )
    app.state.service = service  # for code that only has the application
    app.asgi_handler = Edge(app.asgi_handler, service, straight(ROUTES), _refusal, _failed)
    return app


def _billing(settings: ApiSettings, database: Database, accounts: Accounts, clock: Clock) -> "Billing | None":
    """Creates the billing service.

    Imported only if configured: its HTTP client adds some tenths of a second to start-up.
    """
    if not settings.billing.is_on:
        return None
    from api.billing.service import Billing

    return Billing(settings.billing, settings.tiers, database, accounts, clock, settings.public_url)


def _upkeep(
    billing: "Billing | None", database: Database, clock: Clock
) -> Callable[[], AbstractAsyncContextManager[None]]:
    if billing is None:
        return nullcontext
    from api.billing.upkeep import Upkeep

    return Upkeep(billing, database, clock).beside


def _last_sequence(reader: SnapshotSource) -> int:
    """Sequence of the last published event; 0 without a release."""
    try:
        with reader.pin() as snapshot:
            return snapshot.last_sequence
    except NoRelease:
        return 0


def _to_standard_error(lines: bytes) -> None:
    sys.stderr.buffer.write(lines)
    sys.stderr.buffer.flush()


def _on_routing(request: Request[Any, Any, Any], error: HTTPException) -> Answer:
    """Maps Litestar's own errors: unknown paths and methods, a malformed Host."""
    call = current()
    if isinstance(error, NotFoundException):
        trouble = nothing_at(call.path)
    elif isinstance(error, MethodNotAllowedException):
        allow = in_order((error.headers or {}).get("allow", "").split(", "))
        trouble = problem("method_not_allowed", f"{call.method} is not allowed here. Allowed: {allow}.")
        trouble.headers = [(b"allow", allow.encode())]
    elif error.status_code < 500:  # noqa: PLR2004
        trouble = problem(
            "invalid_parameter", "The request is malformed.", InputError("format", error.detail)
        )
    else:
        return _on_failure(request, error)
    return _refusal(call, trouble)


def _on_failure(_: Request[Any, Any, Any], error: Exception) -> Answer:
    return _failed(current(), error)


def _failed(call: Call, error: Exception) -> Answer:
    """Handles unexpected errors: the stack trace goes to the log, the request id to the caller."""
    if isinstance(error, NoRelease):
        return _refusal(call, unavailable("No data has been published yet.", _PUBLISHED_AFTER))
    LOGGER.error("request failed", exc_info=error)
    return _refusal(call, problem("internal_error", "Internal error. Quote the request id to support."))


def _refusal(call: Call, trouble: Problem) -> Answer:
    """Error response if no handler answered: an HTML page below the dashboard, else JSON."""
    return error_page(call, trouble) if is_of_pages(call.path) else problem_answer(call, trouble)
