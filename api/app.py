"""Puts the service together: `create_app` serves production, tests and benchmarks alike.

Belongs here: which parts there are, and how exceptions become answers. Does not belong here: opening files or
reading the environment (the composition root does that and passes in what it opened).
"""

import sys
from typing import Any

from litestar import Litestar, Request
from litestar.exceptions import HTTPException, MethodNotAllowedException, NotFoundException

from api.access_log import AccessLog, Write
from api.accounts import Accounts
from api.answers import Answer, problem_answer
from api.auth import Authenticator
from api.call import current
from api.clock import Clock
from api.db.engine import Database
from api.edge import Edge
from api.endpoints import ALLOW
from api.logs import LOGGER
from api.openapi import document
from api.overload import Lists
from api.pagination import Cursors
from api.problems import InputError, problem
from api.redact import redact
from api.routes import ROUTES
from api.secrets import Secrets
from api.service import Service, SnapshotSource
from api.settings import ApiSettings
from api.stamps import Stamps
from api.ulids import Ulids
from warehouse.reader import NoRelease

_SHOWN = 200


def create_app(
    settings: ApiSettings,
    reader: SnapshotSource,
    database: Database,
    secrets: Secrets,
    clock: Clock | None = None,
    write_access_log: Write | None = None,
) -> Litestar:
    """The service as an ASGI application.

    `database` has been migrated (`api.db.migrate.prepare`); `write_access_log` receives whole lines, by
    default standard error where `settings.access_log` says so.
    """
    clock = clock or Clock()
    ulids = Ulids(clock.wall)
    accounts = Accounts(database, secrets.pepper, clock, ulids)
    if write_access_log is None and settings.access_log:
        write_access_log = _to_standard_error
    service = Service(
        settings=settings,
        reader=reader,
        clock=clock,
        ulids=ulids,
        authenticator=Authenticator(accounts.lookup, secrets.pepper, clock, settings.key_cache_seconds),
        cursors=Cursors(secrets.cursor_keys, clock),
        lists=Lists(settings.list_concurrency, settings.list_wait_seconds),
        stamps=Stamps(),
        access_log=AccessLog(write_access_log),
        openapi=document(settings.public_url),
    )
    return _litestar(service)


def _litestar(service: Service) -> Litestar:
    async def stop() -> None:
        service.access_log.flush()
        service.lists.close()

    # Litestar asks of what a handler returns for `to_asgi_response` only; `Answer` has it
    handlers: dict[int | type[Exception], Any] = {
        NoRelease: _on_no_release,
        HTTPException: _on_routing,
        Exception: _on_failure,
    }
    app = Litestar(
        route_handlers=ROUTES,
        openapi_config=None,  # our own document: `api.openapi`
        logging_config=None,
        debug=False,
        on_shutdown=[stop],
        exception_handlers=handlers,
    )
    app.asgi_handler = Edge(app.asgi_handler, service)
    return app


def _to_standard_error(lines: bytes) -> None:
    sys.stderr.buffer.write(lines)
    sys.stderr.buffer.flush()


def _on_no_release(_: Request[Any, Any, Any], __: Exception) -> Answer:
    trouble = problem(
        "service_unavailable", "No data has been published yet. Try again later.", retry_after=30
    )
    trouble.headers = [(b"retry-after", b"30")]
    return problem_answer(current(), trouble)


def _on_routing(request: Request[Any, Any, Any], error: HTTPException) -> Answer:
    """What Litestar itself refuses: unknown paths and methods, a malformed Host."""
    call = current()
    if isinstance(error, NotFoundException):
        trouble = problem("route_not_found", f"There is nothing at {redact(call.path)[:_SHOWN]}.")
    elif isinstance(error, MethodNotAllowedException):
        trouble = problem("method_not_allowed", f"{call.method} is not allowed here. Allowed: {ALLOW}.")
        trouble.headers = [(b"allow", ALLOW.encode())]
    elif error.status_code < 500:  # noqa: PLR2004
        trouble = problem(
            "invalid_parameter", "The request is malformed.", InputError("format", error.detail)
        )
    else:
        return _on_failure(request, error)
    return problem_answer(call, trouble)


def _on_failure(_: Request[Any, Any, Any], error: Exception) -> Answer:
    """The stack trace goes to the log, the request id to the caller."""
    call = current()
    LOGGER.error("request failed", exc_info=error)
    return problem_answer(
        call, problem("internal_error", "Something failed on our side. Quote the request id.")
    )
