"""Markets (docs/contract/contract.md 4.8a): freshness and licence of every dataset, and what is unaccounted for.

Lets callers see how old each figure is. Not counted. Does not belong here: recording freshness
(`pipelines.steps.publish`), or counting (`pipelines.steps.reconciliation`).
"""

from dataclasses import replace
from typing import Any

import msgspec
from litestar import get

from api.common.clock import format_instant
from api.companies.query_params import RECONCILIATION, MarketsParams
from api.companies.schemas.markets import MarketList
from api.http.context import ANY_KEY, ApiRequest
from api.http.response_headers import content_digest, modified_at
from api.http.responses import HttpResponse, data_response
from api.openapi.examples import companies as examples
from api.openapi.operation import Operation
from api.openapi.response_headers import OF_DATA
from warehouse.reader.reader import PinnedRelease
from warehouse.release.freshness import Freshness
from warehouse.schema.codes import MARKET_NAMES, MARKETS, SERVED
from warehouse.schema.market_state import DatasetState, MarketState, Reconciliation

_NOT_LOADED = MarketState("fresh", None)


@get(
    "/api/v1/markets",
    policy=replace(ANY_KEY, is_counted=False),
    summary="List markets and data freshness",
    description="Lists every market with its datasets, their age and licence. Not counted against the quota. "
    "`include=reconciliation` adds what the release cannot account for.",
    operation=Operation(MarketList, OF_DATA, examples.MARKETS),
)
async def list_markets(request: ApiRequest[MarketsParams]) -> HttpResponse:
    context = request.context
    with_figures = RECONCILIATION in request.values.include
    with context.services.release_reader.pin_release() as snapshot:
        body = _markets_body(snapshot, context.services.release_reader.read_freshness(), with_figures=with_figures)
        # sources are checked between two releases, and no instant of that is known
        stamps = modified_at(context.services.release_headers.of(snapshot), context.services.clock.now())
        return data_response(context, stamps, body, content_digest(body))


def loaded_markets(snapshot: PinnedRelease, freshness: Freshness) -> dict[str, MarketState]:
    """The served markets that the release has, by code, with what runs have recorded since."""
    return {code: freshness.of(state) for code, state in snapshot.markets.items() if code in SERVED}


def _markets_body(snapshot: PinnedRelease, freshness: Freshness, *, with_figures: bool) -> bytes:
    known = loaded_markets(snapshot, freshness)
    to_object = _reconciled_market_object if with_figures else _market_object
    data = [to_object(code, known.get(code, _NOT_LOADED)) for code in MARKETS]
    return msgspec.json.encode({"data": data, "next_cursor": None, "has_more": False})


def _market_object(code: str, state: MarketState) -> dict[str, Any]:
    return {
        "market": code,
        "name": MARKET_NAMES[code],
        "state": "served" if code in SERVED else "announced",
        "companies": state.companies,
        "observed_at": format_instant(state.at),
        "datasets": [_dataset_object(key, dataset) for key, dataset in sorted(state.datasets.items())],
    }


def _reconciled_market_object(code: str, state: MarketState) -> dict[str, Any]:
    """A market with what the release cannot account for (`include=reconciliation`)."""
    figures, found = state.reconciliation, _market_object(code, state)
    for dataset in found["datasets"]:
        dataset.update(_dataset_figures(dataset["dataset"], figures))
    return found | _market_figures(figures)


def _dataset_figures(key: str, figures: Reconciliation | None) -> dict[str, Any]:
    if figures is None:
        return {"unlinked_rows": None, "changed_subjects": None}
    return {"unlinked_rows": figures.unlinked_rows.get(key), "changed_subjects": figures.changed_subjects.get(key)}


def _market_figures(figures: Reconciliation | None) -> dict[str, Any]:
    """What the release cannot account for of a market; null if it was made before that was counted."""
    if figures is None:
        return {"rules_without_data": None, "unexplained_statuses": None}
    rules = [
        {"rule": one.rule, "datasets": list(one.datasets), "undecided": one.undecided}
        for one in figures.rules_without_data
    ]
    return {"rules_without_data": rules, "unexplained_statuses": figures.unexplained_companies}


def _dataset_object(key: str, state: DatasetState) -> dict[str, Any]:
    terms = state.terms
    return {
        "dataset": key,
        "observed_at": format_instant(state.observed_at),
        "checked_at": format_instant(state.checked_at),
        "held_since": format_instant(state.held_since),
        "licence": terms.licence if terms else None,
        "licence_url": terms.licence_url if terms else None,
        "attribution": terms.attribution if terms else None,
    }
