"""The front page: what the service is, its markets, a company, tiers, the first request with its answer.

Figures come from the code of `GET /api/v1/markets` and of the company's own resources. Does not belong here: texts and
markup (`templates/home.html`), choosing the company (`api.public_pages.sample_company`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from litestar import get

from api.common.releases import read_release
from api.companies.routes.markets import loaded_markets
from api.dashboard.pages.plan import UNSOLD, price_text
from api.http.context import PlainRequest, RequestContext
from api.http.responses import HttpResponse
from api.public_pages.rendering import PUBLIC_PAGE, PublicDocument, document_response, release_number, render_page
from api.public_pages.sample_company import SampleCompany, find_sample_company
from warehouse.reader.reader import PinnedRelease
from warehouse.schema.codes import MARKET_NAMES, MARKETS, SERVED
from warehouse.schema.market_state import MarketState


@dataclass(frozen=True, slots=True)
class MarketRow:
    """One market. Figures and instants are None where nothing is loaded.

    observed_at: date of the newest of its datasets. checked_at: when the last complete check of any of them was.
    """

    code: str
    name: str
    is_served: bool
    companies: int | None
    datasets: int
    observed_at: datetime | None
    checked_at: datetime | None


@dataclass(frozen=True, slots=True)
class ServedTotals:
    """What is served in all: None where nothing is. released_at: when the release was published."""

    companies: int | None
    datasets: int | None
    markets: int | None
    release: int | None
    released_at: datetime | None


@get("/", policy=PUBLIC_PAGE)
async def show_home(request: PlainRequest) -> HttpResponse:
    context = request.context
    pages = context.services.public_pages
    return document_response(
        context, await pages.live.get("home", release_number(context), lambda: _render_home(context))
    )


async def _render_home(context: RequestContext) -> PublicDocument:
    services, settings = context.services, context.services.settings
    billing, loaded, released = services.billing_service, *_served_state(context)
    return render_page(
        context,
        "home.html",
        now=services.clock.now(),
        served_names=[MARKET_NAMES[code] for code in SERVED],
        markets=market_rows(loaded),
        totals=served_totals(loaded, released),
        sample=await _sample_company(context),
        tiers=[(tier, price_text(tier, settings.billing)) for tier in settings.tiers.by_name.values()],
        unsold=UNSOLD,
        trial_days=0 if billing is None else billing.trial_days(None),
    )


async def _sample_company(context: RequestContext) -> SampleCompany | None:
    """The company of the release, found once; where none was found, the next rendering looks again."""
    samples, number = context.services.public_pages.samples, release_number(context)
    found = await samples.get("sample", number, lambda: find_sample_company(context))
    if found is None:
        samples.forget("sample")
    return found


def market_rows(loaded: Mapping[str, MarketState]) -> list[MarketRow]:
    """Every market, served ones first."""
    rows = [_market_row(code, loaded.get(code)) for code in MARKETS]
    return sorted(rows, key=lambda row: not row.is_served)


def _market_row(code: str, state: MarketState | None) -> MarketRow:
    datasets = () if state is None else tuple(state.datasets.values())
    return MarketRow(
        code,
        MARKET_NAMES[code],
        code in SERVED,
        None if state is None else state.companies,
        len(datasets),
        None if state is None else state.at,
        max((one.checked_at for one in datasets if one.checked_at is not None), default=None),
    )


def served_totals(loaded: Mapping[str, MarketState], released: tuple[int, datetime] | None) -> ServedTotals:
    """Sums over the markets that are loaded; `released`: number and instant of the release."""
    number, released_at = released or (None, None)
    if not loaded:
        return ServedTotals(None, None, None, number, released_at)
    companies = sum(state.companies for state in loaded.values())
    datasets = sum(len(state.datasets) for state in loaded.values())
    return ServedTotals(companies, datasets or None, len(loaded), number, released_at)


def _served_state(context: RequestContext) -> tuple[Mapping[str, MarketState], tuple[int, datetime] | None]:
    """The loaded markets, and number and instant of the release."""
    reader = context.services.release_reader

    def read(snapshot: PinnedRelease) -> tuple[Mapping[str, MarketState], tuple[int, datetime]]:
        released = snapshot.release_number, snapshot.built_at
        return loaded_markets(snapshot, reader.read_freshness()), released

    return read_release(reader, read) or ({}, None)
