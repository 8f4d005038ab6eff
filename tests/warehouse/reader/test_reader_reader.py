from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import threading
from typing import Any

import pytest

from tests.warehouse.former import with_unknown_members
from tests.warehouse.helpers import ROOT, day, event, rows
from tests.warehouse.world import learn, member, owner, period, publish
from warehouse.publish.publisher import ReleaseStore
from warehouse.reader.reader import (
    CompanyQuery,
    EventQuery,
    FinancialsQuery,
    NoReleaseError,
    PinnedRelease,
    ReleaseReader,
    ResultPage,
)
from warehouse.release.manifest import InvalidReleaseError, served_manifest
from warehouse.schema.tables import EVENTS
from warehouse.storage.layout import Layout

ONE = "firm:NO:900000001"


class Clock:
    """A monotonic clock that moves when told."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _decoded(page: ResultPage) -> list[dict[str, Any]]:
    return [json.loads(row) for row in page.rows]


def _walk(snapshot: PinnedRelease, query: CompanyQuery, limit: int) -> list[str]:
    found: list[str] = []
    page = snapshot.search_companies(query, None, limit)
    while True:
        found += [row["name"] for row in _decoded(page)]
        if not page.has_more:
            return found
        page = snapshot.search_companies(query, page.keys[-1], limit)


def test_before_the_first_release(layout: Layout) -> None:
    reader = ReleaseReader(layout)
    with pytest.raises(NoReleaseError, match="no release yet: run `firm ingest`"), reader.pin_release():
        pass
    assert reader.current_release_number() is None
    assert reader.events_after(0, 5) == []
    assert reader.read_freshness().markets == {}


def test_serving_imports_no_engine() -> None:
    script = (
        "import sys, warehouse.reader.reader\n"
        "print([name for name in ('polars', 'pyarrow', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_a_request_stays_on_its_release_and_the_next_one_follows(layout: Layout) -> None:
    clock = Clock()
    reader = ReleaseReader(layout, clock)
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    with reader.pin_release() as first:
        learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
        publish(layout, "NO", at=1, keep=1)
        with reader.pin_release() as early:
            assert early.release_number == 1  # the pointer is looked at every 0.2 s
        clock.now += 0.3
        with reader.pin_release() as second:
            assert (first.release_number, second.release_number) == (1, 2)
            assert first.built_at == day(0)
            document = first.profile(ONE)
            assert document is not None
            assert b"Firma 1 AS" in document.body
            assert ReleaseStore(layout).prune_releases(1) == []  # a reader holds it
    assert ReleaseStore(layout).prune_releases(1) == [1]
    reader.close()


def _reader_of_first_release(layout: Layout, clock: Clock) -> ReleaseReader:
    """A reader that serves release 1, of one Norwegian company."""
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    publish(layout, "NO")
    reader = ReleaseReader(layout, clock)
    with reader.pin_release() as snapshot:
        assert snapshot.release_number == 1
    return reader


def test_a_release_that_cannot_be_opened_leaves_the_former_one_serving(
    layout: Layout, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    reader = _reader_of_first_release(layout, clock)
    before = layout.release_pointer_file.read_text()
    layout.release_pointer_file.write_text('{"release": 2, "manifest_sha256": "00"}')
    for _ in range(3):
        clock.now += 1
        with reader.pin_release() as snapshot:
            assert snapshot.release_number == 1
    assert [record.message for record in caplog.records] == ["release 1 stays in use: the next one cannot be opened"]
    layout.release_pointer_file.write_text(before)
    clock.now += 1
    with reader.pin_release() as snapshot:
        assert snapshot.release_number == 1
    reader.close()


def test_a_release_of_a_later_version_leaves_the_former_one_serving(
    layout: Layout, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    reader = _reader_of_first_release(layout, clock)
    learn(layout, "NO", 1, companies=[member("NO", 1, name="Ny AS")])
    publish(layout, "NO", at=1)
    with_unknown_members(layout, 2)
    clock.now += 1
    with reader.pin_release() as snapshot:
        assert snapshot.release_number == 1
    assert [record.message for record in caplog.records] == ["release 1 stays in use: the next one cannot be opened"]
    with pytest.raises(InvalidReleaseError, match="release 2: its manifest is of another version of this software"):
        served_manifest(layout)
    reader.close()


@pytest.mark.slow
def test_under_load_no_answer_is_torn(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", n, website="v0") for n in range(3)])
    publish(layout, "NO")
    reader = ReleaseReader(layout)
    done = threading.Event()
    failures: list[str] = []
    seen: set[int] = set()

    def ask() -> None:
        while not done.is_set():
            with reader.pin_release() as snapshot:
                words = {
                    json.loads(parts["detail"])["website"] if parts else None
                    for parts in (snapshot.profile_parts(f"firm:NO:90000000{n}") for n in range(3))
                }
                if words != {f"v{snapshot.release_number - 1}"}:
                    failures.append(f"{snapshot.release_number}: {words}")
                seen.add(snapshot.release_number)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for at in range(1, 5):
        learn(layout, "NO", at, companies=[member("NO", n, website=f"v{at}") for n in range(3)])
        publish(layout, "NO", at=at, keep=1)
    done.set()
    for thread in threads:
        thread.join()
    reader.close()
    assert failures == []
    assert len(seen) >= 2


@pytest.mark.parametrize("few", [0, 2000], ids=["many begin so", "few begin so"])
def test_names_are_found_best_first_without_end(layout: Layout, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr("warehouse.reader.queries.names.FEW", few)
    names = {
        "Ørsted": {},
        "Orsted Vind A/S": {"is_listed": True},
        "Orsted Salg": {"employees": 900},
        "Nye Ørsted Øst": {},
        "Örsted": {"status": "dissolved"},
        "Bjørsted": {},
        "J.P. Morgan's «Bank»": {},
    }
    companies = [member("NO", n, name=name, **given) for n, (name, given) in enumerate(names.items())]
    learn(layout, "NO", 0, companies=companies)
    learn(layout, "SE", 0, companies=[member("SE", 1, name="Orsted Sverige AB")])
    publish(layout, "NO", "SE")
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        best = _walk(snapshot, CompanyQuery(q="  ØRSTED "), 100)
        assert best[:4] == ["Ørsted", "Örsted", "Orsted Vind A/S", "Orsted Salg"]
        assert set(best[4:]) == {"Orsted Sverige AB", "Nye Ørsted Øst"}
        assert best[-1] == "Nye Ørsted Øst"
        for limit in (1, 2, 3):
            assert _walk(snapshot, CompanyQuery(q="orsted"), limit) == best
        assert _walk(snapshot, CompanyQuery(q="orsted", countries=("SE",)), 5) == ["Orsted Sverige AB"]
        assert _walk(snapshot, CompanyQuery(q="ors vind as"), 5) == ["Orsted Vind A/S"]
        assert _walk(snapshot, CompanyQuery(q="o"), 2)[-1:] != []
        assert _walk(snapshot, CompanyQuery(q="morgans jp"), 5) == ["J.P. Morgan's «Bank»"]
        assert _walk(snapshot, CompanyQuery(q="orsetd"), 1)[:2] == ["Orsted Vind A/S", "Orsted Salg"]
        for nothing in ('"', "***", "", 'zzz" OR folded:o*', "NOT", "x" * 200):
            assert _walk(snapshot, CompanyQuery(q=nothing), 5) == []
        everything = _walk(snapshot, CompanyQuery(), 3)
        assert everything == [*names, "Orsted Sverige AB"]
        assert _walk(snapshot, CompanyQuery(countries=("SE", "NO")), 1) == everything
        assert _walk(snapshot, CompanyQuery(countries=("FI",)), 1) == []
    reader.close()


def _periods(snapshot: PinnedRelease, query: FinancialsQuery, limit: int = 100) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    page = snapshot.company_financials(ONE, query, None, limit)
    while True:
        found += [(row["period"], row["version"]) for row in _decoded(page)]
        if not page.has_more:
            return found
        page = snapshot.company_financials(ONE, query, page.keys[-1], limit)


def test_financials(layout: Layout) -> None:
    quarter = {
        "period_type": "quarterly",
        "fiscal_quarter": 4,
        "period_start": dt.date(2025, 10, 1),
        "period_end": dt.date(2025, 12, 31),
    }
    half = {"period_type": None, "period_start": dt.date(2025, 1, 1), "period_end": dt.date(2025, 6, 30)}
    given = [
        period(ONE, 2023),
        period(ONE, 2024, is_current=False),
        period(ONE, 2024, version=2, is_restated=True, filing_id="fil_2", revenue=None, derived=["equity"]),
        period(ONE, 2025, revenue=0),
        period(ONE, 2025, **quarter),
        period(ONE, 2025, **half),
    ]
    learn(layout, "NO", 0, companies=[member("NO", 1)], financials=given)
    publish(layout, "NO")
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        current = [("2025", 1), ("2025-Q4", 1), ("2024", 2), ("2023", 1)]
        for limit in (1, 3, 100):
            assert _periods(snapshot, FinancialsQuery(), limit) == current
        assert _periods(snapshot, FinancialsQuery(include_history=True)) == [
            *current[:2],
            ("2024", 1),
            ("2024", 2),
            ("2023", 1),
        ]
        assert _periods(snapshot, FinancialsQuery(period_type="annual", years=2)) == [("2025", 1), ("2024", 2)]
        assert _periods(snapshot, FinancialsQuery(from_year=2024, to_year=2024)) == [("2024", 2)]
        assert _periods(snapshot, FinancialsQuery(is_consolidated=True)) == []
        page = snapshot.company_financials(ONE, FinancialsQuery(include_sources=True), None, 3)
        first, _, restated = _decoded(page)
        assert first["revenue"] == 0
        assert restated["revenue"] is None
        assert restated["derived"] == ["equity"]
        assert list(first)[:8] == [
            "period",
            "period_type",
            "fiscal_year",
            "fiscal_quarter",
            "period_start",
            "period_end",
            "currency",
            "revenue",
        ]
        assert list(first)[-3:] == ["derived", "period_months", "sources"]
        assert first["sources"][0]["retrieved_at"] == "2026-01-01T00:00:00Z"
        assert snapshot.company_financials("firm:NO:1", FinancialsQuery(), None, 3).rows == ()
    reader.close()


def test_group_figures_where_there_are_any_and_never_both(layout: Layout) -> None:
    given = [period(ONE, 2024), period(ONE, 2025), period(ONE, 2024, is_consolidated=True, filing_id="g")]
    learn(layout, "NO", 0, companies=[member("NO", 1)], financials=given)
    publish(layout, "NO")
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        assert _periods(snapshot, FinancialsQuery()) == [("2024", 1)]
        assert _periods(snapshot, FinancialsQuery(is_consolidated=False)) == [("2025", 1), ("2024", 1)]
    reader.close()


def test_owners_on_a_day(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)], owners=[owner(ONE, "own_a", "10.7")])
    given = [
        owner(ONE, "own_a", "60", as_of=dt.date(2025, 6, 1)),
        owner(ONE, "own_b", "40.5", ended_on=dt.date(2025, 9, 1)),
        owner(ONE, "own_c", basis="band", pct_min=25, pct_max=50, holder_name=None),
        owner(ONE, "own_d", "0.0001"),
    ]
    learn(layout, "NO", 1, owners=given)
    publish(layout, "NO")
    reader = ReleaseReader(layout)

    def ask(on: dt.date, least: str | None = None, limit: int = 10) -> tuple[list[Any], str | None]:
        with reader.pin_release() as snapshot:
            found: list[Any] = []
            page, known = snapshot.company_owners(ONE, on, least, None, limit)
            while True:
                found += [(row["holder_id"], row["pct"]) for row in _decoded(page)]
                if not page.has_more:
                    return found, known
                page, known = snapshot.company_owners(ONE, on, least, page.keys[-1], limit)

    small, band = ("own_d", 0.0001), ("own_c", None)
    assert ask(dt.date(2025, 3, 1)) == ([("own_b", 40.5), ("own_a", 10.7), small, band], "51.2001")
    for limit in (1, 2, 3):
        assert ask(dt.date(2025, 7, 1), None, limit) == ([("own_a", 60), ("own_b", 40.5), small, band], "100")
    assert ask(dt.date(2025, 9, 1)) == ([("own_a", 60), small, band], "60.0001")
    assert ask(dt.date(2025, 9, 1), "25") == ([("own_a", 60), band], "60.0001")
    assert ask(dt.date(2024, 1, 1)) == ([], None)
    with reader.pin_release() as snapshot:
        page, _ = snapshot.company_owners(ONE, dt.date(2025, 9, 1), None, None, 1)
        assert b'"pct":60,"pct_min":60,"pct_max":60,' in page.rows[0]
    reader.close()


def test_events_in_both_directions(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    for at in range(3):
        sent = rows(EVENTS, event(f"{at}a", at=day(at)), event(f"{at}b", "firm:NO:900000002", day(at)))
        publish(layout, "NO", at=at, events=sent)
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        newest = snapshot.company_events(ONE, EventQuery(), None, 2)
        assert (newest.keys, newest.has_more) == (((5,), (3,)), True)
        assert snapshot.company_events(ONE, EventQuery(), newest.keys[-1], 2).keys == ((1,),)
        oldest = snapshot.company_events(ONE, EventQuery(is_descending=False), None, 2)
        assert oldest.keys == ((1,), (3,))
        assert snapshot.company_events(ONE, EventQuery(is_descending=False), (5,), 2) == ResultPage(
            (), (), has_more=False
        )
        some = EventQuery(types=("status.changed",), since=day(1), until=day(2))
        assert snapshot.company_events(ONE, some, None, 5).keys == ((3,),)
        assert snapshot.company_events(ONE, EventQuery(types=("filing.added",)), None, 5).keys == ()
        [one] = _decoded(snapshot.company_events(ONE, some, None, 5))
        times = ["occurred_at", "recorded_at", "sequence", "data"]
        assert list(one) == ["event_id", "event_type", "company_id", *times]
        assert one["recorded_at"] == "2026-01-02T00:00:00Z"
        assert one["data"]["sequence"] == one["sequence"] == 3
        assert one["data"]["name"] == "Ørsted «A/S»"
        assert snapshot.last_sequence == 6
    assert [found.sequence for found in reader.events_after(4, 5)] == [5, 6]
    reader.close()
