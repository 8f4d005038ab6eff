"""The operator page: the release, sources, guards, runs, retractions, signals, and the delivery backlog.

Read from published data and the control plane, never from the pipeline's own files. For the accounts listed in
FIRM_OPERATORS; others get 404. Does not belong here: gauges (`api.observability.routes`), or the markup
(`templates/operator.html`).
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from litestar import get

from api.common.releases import read_release
from api.dashboard.routing import OPERATOR, OPERATOR_ONLY, CurrentPage
from api.http.responses import HttpResponse
from api.observability.delivery_health import delivery_health, read_queue_sizes
from warehouse.release.freshness import Freshness
from warehouse.release.run_log import QuarantineNote, RunNote, SignalNote
from warehouse.schema.market_state import MarketState

_SIGNALS: Final = 50
_RUNS: Final = 20
"""Maximum shown on one page; the notes go back further."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One dataset. Instants are None if it never happened."""

    market: str
    dataset: str
    rows: int | None
    """Rows in the current release; None if it has none of this dataset."""
    observed_at: datetime | None
    """The served data is the source's state at this time."""
    checked_at: datetime | None
    quarantined_since: datetime | None
    accepted: str | None
    """The guard that an operator lifted for the newest batch."""
    out_of_reach: str | None = None
    """Why the source cannot be fetched any more."""


@dataclass(frozen=True, slots=True)
class QuarantinedSource:
    """A quarantined or unreachable dataset: since when and why. `reason` is None in notes that predate reasons."""

    dataset: str
    since: datetime | None
    reason: QuarantineNote | None


@dataclass(frozen=True, slots=True)
class SignalRow:
    """A signal and the time of the latest run that reported it."""

    signal: SignalNote
    run_ended_at: datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run with its totals."""

    note: RunNote
    seconds: float | None
    rows: int
    rejected: int
    signals: int
    events: int


def source_rows(markets: Mapping[str, MarketState], freshness: Freshness) -> list[SourceRow]:
    """Every dataset known to a release or a run: quarantined ones first, then by market and name."""
    found: dict[str, SourceRow] = {}
    for code, market in markets.items():
        for key, state in freshness.of(market).datasets.items():
            accepted = None if state.accepted is None else state.accepted.guard
            found[key] = SourceRow(
                code, key, state.rows, state.observed_at, state.checked_at, state.held_since, accepted
            )
    for key, seen in freshness.dataset_checks.items():
        if key in found:
            found[key] = replace(found[key], out_of_reach=seen.out_of_reach)
        elif seen.checked_at or seen.held_since or seen.out_of_reach:
            market = key.partition(".")[0].upper()
            found[key] = SourceRow(market, key, None, None, seen.checked_at, seen.held_since, None, seen.out_of_reach)
    return sorted(found.values(), key=lambda one: (one.quarantined_since is None, one.market, one.dataset))


def quarantined_sources(
    sources: Iterable[SourceRow], markets: Mapping[str, MarketState], runs: Sequence[RunNote]
) -> list[QuarantinedSource]:
    """Currently quarantined datasets, longest first, with the reason of the newest run, else of the release."""
    reasons = {
        key: QuarantineNote(key, state.held.guard, state.held.seen, state.held.allowed)
        for market in markets.values()
        for key, state in market.datasets.items()
        if state.held is not None
    }
    for note in reversed(runs):
        reasons |= {one.dataset: one for one in note.held}
    found = [
        QuarantinedSource(one.dataset, one.quarantined_since, reasons.get(one.dataset))
        for one in sources
        if one.quarantined_since
    ]
    return sorted(found, key=lambda one: (str(one.since), one.dataset))


def signal_rows(runs: Sequence[RunNote]) -> list[SignalRow]:
    """Signals for review: each once, as reported by the newest run, most frequent first."""
    found: dict[tuple[str, str, str], SignalRow] = {}
    for note in reversed(runs):
        for one in note.signals:
            found[one.dataset, one.code, one.subject] = SignalRow(one, note.began_at)
    return sorted(found.values(), key=lambda one: -one.signal.count)[:_SIGNALS]


def _run_row(note: RunNote) -> RunRow:
    sums: Counter[str] = Counter()
    for one in note.read:
        sums.update(rows=one.rows, rejected=one.rejected, signals=one.signals)
    lasted = None if note.ended_at is None else (note.ended_at - note.began_at).total_seconds()
    return RunRow(note, lasted, sums["rows"], sums["rejected"], sums["signals"], sum(note.events.values()))


@dataclass(frozen=True, slots=True)
class _ReleaseView:
    number: int
    built_at: datetime
    last_sequence: int
    markets: Mapping[str, MarketState]


@get(OPERATOR, access=OPERATOR_ONLY)
async def show_operator_page(page: CurrentPage) -> HttpResponse:
    service, reader = page.services, page.services.release_reader
    release = read_release(
        reader, lambda one: _ReleaseView(one.release_number, one.built_at, one.last_sequence, one.markets)
    )
    freshness, runs, retractions = await asyncio.to_thread(
        lambda: (reader.read_freshness(), reader.read_run_log(), reader.read_retractions())
    )
    markets = {} if release is None else release.markets
    sources = source_rows(markets, freshness)
    return page.render(
        "operator.html",
        now=service.clock.now(),
        release=release,
        sources=sources,
        held=quarantined_sources(sources, markets, runs),
        runs=[_run_row(note) for note in runs[:_RUNS]],
        retractions=retractions,
        signals=signal_rows(runs),
        stands=await delivery_health(page.context),
        sizes=await read_queue_sizes(page.context),
        mail_host=service.settings.mail.host,
        webhooks=service.settings.webhooks,
    )
