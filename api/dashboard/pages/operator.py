"""The operator page: the release, sources, guards, runs, signals, and the delivery backlog.

Read from published data and the control plane, never from the pipeline's own files. For the accounts listed in
FIRM_OPERATORS; others get 404. Does not belong here: the view model (`api.dashboard.operator_view`), or gauges
(`api.observability.metrics_route`).
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from api.dashboard import operator_view
from api.dashboard.routing import OPERATOR, PageRequest, dashboard_page
from api.http.context import RequestContext
from api.http.responses import HttpResponse
from api.observability.delivery_health import delivery_health, read_queue_sizes
from warehouse.reader.reader import NoReleaseError
from warehouse.schema.market_state import MarketState


@dataclass(frozen=True, slots=True)
class _ReleaseView:
    number: int
    built_at: datetime
    last_sequence: int
    markets: Mapping[str, MarketState]


@dashboard_page(OPERATOR, is_operator_only=True)
async def show_operator_page(request: PageRequest) -> HttpResponse:
    service, release = request.context.services, _current_release(request.context)
    freshness, runs = await asyncio.to_thread(
        lambda: (service.release_reader.read_freshness(), service.release_reader.read_run_log())
    )
    markets = {} if release is None else release.markets
    sources = operator_view.source_rows(markets, freshness)
    return request.render(
        "operator.html",
        now=service.clock.now(),
        release=release,
        sources=sources,
        held=operator_view.quarantined_sources(sources, markets, runs),
        runs=operator_view.run_rows(runs),
        signals=operator_view.signal_rows(runs),
        stands=await delivery_health(request.context),
        sizes=await read_queue_sizes(request.context),
        mail_host=service.settings.mail.host,
        webhooks=service.settings.webhooks,
    )


def _current_release(call: RequestContext) -> _ReleaseView | None:
    try:
        with call.services.release_reader.pin_release() as snapshot:
            return _ReleaseView(snapshot.release_number, snapshot.built_at, snapshot.last_sequence, snapshot.markets)
    except NoReleaseError:
        return None
