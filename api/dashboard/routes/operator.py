"""The operator page: the release, sources, guards, runs, signals, and the delivery backlog.

Read from published data and the control plane, never from the pipeline's own files. For the accounts listed in
FIRM_OPERATORS; others get 404. Does not belong here: the view model (`api.dashboard.supervision`), or gauges
(`api.routes.metrics`).
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from api.answers import Answer
from api.call import Call
from api.dashboard import supervision
from api.dashboard.pages import OPERATOR, Visit, page
from api.standing import sizes, standing
from warehouse.reader import NoRelease
from warehouse.reading import MarketState


@dataclass(frozen=True, slots=True)
class _Release:
    number: int
    built_at: datetime
    last_sequence: int
    markets: Mapping[str, MarketState]


@page(OPERATOR, for_operators=True)
async def show_operation(visit: Visit) -> Answer:
    service, release = visit.call.service, _release(visit.call)
    freshness, runs = await asyncio.to_thread(lambda: (service.reader.freshness(), service.reader.runs()))
    markets = {} if release is None else release.markets
    sources = supervision.sources(markets, freshness)
    return visit.render(
        "operator.html",
        now=service.clock.now(),
        release=release,
        sources=sources,
        held=supervision.held(sources, markets, runs),
        runs=supervision.rows(runs),
        signals=supervision.signals(runs),
        stands=await standing(visit.call),
        sizes=await sizes(visit.call),
        mail_host=service.settings.mail.host,
        webhooks=service.settings.webhooks,
    )


def _release(call: Call) -> _Release | None:
    try:
        with call.service.reader.pin() as snapshot:
            return _Release(snapshot.number, snapshot.built_at, snapshot.last_sequence, snapshot.markets)
    except NoRelease:
        return None
