"""The state of the service: `/status` as a page for browsers and as JSON for programs, `/status.json` as JSON alone.

See docs/contract/contract.md 4.17. Does not belong here: what is good and what is not
(`api.public_pages.status_report`).
"""

import asyncio
from dataclasses import asdict
from datetime import datetime
from typing import Any

import msgspec
from litestar import get

from api.common.clock import format_instant
from api.common.releases import read_release
from api.companies.routes.markets import loaded_markets
from api.http.content_negotiation import prefers_html
from api.http.context import PUBLIC_DOCUMENT, PlainRequest, RequestContext
from api.http.responses import HttpResponse
from api.observability.delivery_health import delivery_health
from api.public_pages.rendering import PublicDocument, document_response, release_number, render_page
from api.public_pages.status_report import DatasetFreshness, DeliveryState, PublicIncident, StatusReport, build_report
from warehouse.release.incidents import INCIDENT_DAYS
from warehouse.schema.codes import MARKET_NAMES

_JSON = b"application/json"
_VARY = b"Accept, Accept-Encoding"


@get("/status", policy=PUBLIC_DOCUMENT)
async def show_status(request: PlainRequest) -> HttpResponse:
    context = request.context
    if not prefers_html(context.request_headers.get(b"accept")):
        return await _json_response(context, _VARY)
    pages = context.services.public_pages.live
    page = await pages.get("status", release_number(context), lambda: _render_status(context))
    return document_response(context, page, vary=_VARY)


@get("/status.json", policy=PUBLIC_DOCUMENT)
async def get_status(request: PlainRequest) -> HttpResponse:
    return await _json_response(request.context)


async def _json_response(context: RequestContext, vary: bytes = b"Accept-Encoding") -> HttpResponse:
    pages = context.services.public_pages.live

    async def encode() -> PublicDocument:
        return PublicDocument.of(_JSON, msgspec.json.encode(report_object(await read_report(context))))

    return document_response(
        context, await pages.get("status.json", release_number(context), encode), safety=(), vary=vary
    )


async def read_report(context: RequestContext) -> StatusReport:
    """Reads what the report is made of; the run log of this machine, which one that only serves does not have."""
    services, reader = context.services, context.services.release_reader
    freshness, runs = await asyncio.to_thread(lambda: (reader.read_freshness(), reader.read_run_log()))
    found = read_release(reader, lambda one: ((one.release_number, one.built_at), loaded_markets(one, freshness)))
    release, markets = found or (None, {})
    deliveries = await delivery_health(context)
    return build_report(services.clock.now(), release, markets, freshness, deliveries, runs)


async def _render_status(context: RequestContext) -> PublicDocument:
    report = await read_report(context)
    return render_page(context, "status.html", report=report, names=MARKET_NAMES, incident_days=INCIDENT_DAYS)


def report_object(report: StatusReport) -> dict[str, Any]:
    """The report as JSON (docs/contract/contract.md 4.17)."""
    return {
        "state": report.state,
        "at": format_instant(report.at),
        "release": report.release,
        "released_at": format_instant(report.released_at),
        "datasets": [_as_object(one) for one in report.datasets],
        "delivery": _as_object(report.delivery),
        "incidents": None if report.recorded_since is None else [_as_object(one) for one in report.incidents],
        "incidents_recorded_since": format_instant(report.recorded_since),
        "incidents_unknown_markets": list(report.unrecorded_markets),
    }


def _as_object(part: DatasetFreshness | DeliveryState | PublicIncident) -> dict[str, Any]:
    """A part of the report by the names of its fields, which are the contract's."""
    return {name: format_instant(one) if isinstance(one, datetime) else one for name, one in asdict(part).items()}
