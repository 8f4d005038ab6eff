"""Markets (docs/contract/contract.md 4.8a): freshness and licence of every dataset.

Lets callers see how old each figure is. Not counted. Does not belong here: recording freshness
(`pipelines.steps.publish`).
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from api.http.context import RequestContext
from api.http.query.params import NO_PARAMETERS
from api.http.response_headers import content_digest
from api.http.responses import HttpResponse, data_response
from api.http.routing import endpoint
from warehouse.reader.reader import PinnedRelease
from warehouse.release.freshness import Freshness
from warehouse.schema.codes import MARKET_NAMES, MARKETS, SERVED
from warehouse.schema.market_state import DatasetState, MarketState

_NOT_LOADED = MarketState("fresh", None)


@endpoint("/api/v1/markets", is_counted=False)
async def list_markets(context: RequestContext) -> HttpResponse:
    NO_PARAMETERS.read(context.query_string)
    with context.services.release_reader.pin_release() as snapshot:
        body = _markets_body(snapshot, context.services.release_reader.read_freshness())
        return data_response(context, context.services.release_headers.of(snapshot), body, content_digest(body))


def _markets_body(snapshot: PinnedRelease, freshness: Freshness) -> bytes:
    known = {code: freshness.of(state) for code, state in snapshot.markets.items() if code in SERVED}
    data = [_market_object(code, known.get(code, _NOT_LOADED)) for code in MARKETS]
    return msgspec.json.encode({"data": data, "next_cursor": None, "has_more": False})


def _market_object(code: str, state: MarketState) -> dict[str, Any]:
    return {
        "market": code,
        "name": MARKET_NAMES[code],
        "state": "served" if code in SERVED else "announced",
        "companies": state.companies,
        "observed_at": _format_instant(state.at),
        "datasets": [_dataset_object(key, dataset) for key, dataset in sorted(state.datasets.items())],
    }


def _dataset_object(key: str, state: DatasetState) -> dict[str, Any]:
    terms = state.terms
    return {
        "dataset": key,
        "observed_at": _format_instant(state.observed_at),
        "checked_at": _format_instant(state.checked_at),
        "held_since": _format_instant(state.held_since),
        "licence": terms.licence if terms else None,
        "licence_url": terms.licence_url if terms else None,
        "attribution": terms.attribution if terms else None,
    }


def _format_instant(at: datetime | None) -> str | None:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if at else None
