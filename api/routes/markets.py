"""Markets (docs/contract/contract.md 4.8a): freshness and licence of every dataset.

Lets callers see how old each figure is. Not counted. Does not belong here: recording freshness
(`pipelines.stages.freshness`).
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from api.answers import Answer, data_answer
from api.call import Call
from api.conditional import digest
from api.endpoints import endpoint
from api.parameters import NO_PARAMETERS
from warehouse.freshness import Freshness
from warehouse.reading import DatasetState, MarketState, Snapshot
from warehouse.schema.codes import MARKET_NAMES, MARKETS, SERVED

_NOT_LOADED = MarketState("fresh", None)


@endpoint("/api/v1/markets", counted=False)
async def list_markets(call: Call) -> Answer:
    NO_PARAMETERS.read(call.query)
    with call.service.reader.pin() as snapshot:
        body = _body(snapshot, call.service.reader.freshness())
        return data_answer(call, call.service.stamps.of(snapshot), body, digest(body))


def _body(snapshot: Snapshot, freshness: Freshness) -> bytes:
    known = {code: freshness.of(state) for code, state in snapshot.markets.items() if code in SERVED}
    data = [_market(code, known.get(code, _NOT_LOADED)) for code in MARKETS]
    return msgspec.json.encode({"data": data, "next_cursor": None, "has_more": False})


def _market(code: str, state: MarketState) -> dict[str, Any]:
    return {
        "market": code,
        "name": MARKET_NAMES[code],
        "state": "served" if code in SERVED else "announced",
        "companies": state.companies,
        "observed_at": _written(state.at),
        "datasets": [_dataset(key, dataset) for key, dataset in sorted(state.datasets.items())],
    }


def _dataset(key: str, state: DatasetState) -> dict[str, Any]:
    terms = state.terms
    return {
        "dataset": key,
        "observed_at": _written(state.observed_at),
        "checked_at": _written(state.checked_at),
        "held_since": _written(state.held_since),
        "licence": terms.licence if terms else None,
        "licence_url": terms.licence_url if terms else None,
        "attribution": terms.attribution if terms else None,
    }


def _written(at: datetime | None) -> str | None:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}" if at else None
