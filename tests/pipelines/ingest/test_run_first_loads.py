"""A first load that breaks off, or that a source gives in parts, is silent as one; what is new in the world is told."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Jurisdiction, Scope
from connectors.kit.http.errors import SourceUnavailableError
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.maintenance.rebuild import RebuildOptions, WorkspaceOverrides, rebuild
from pipelines.sources.source import LiveSource
from tests.pipelines.invented import MARKET
from tests.pipelines.places import ONE, TWO, Place, accounts, owner

REGISTER = ((ONE, "Yksi Oy", "open", "2020-01-01"), (TWO, "Kaksi Oy", "open", "2020-01-01"))


@dataclass
class Source:
    """Plays a source with files in an order; the cursor counts those that were fetched.

    breaks_at: the file that cannot be fetched. leaves_at: the file with which a run ends.
    """

    place: Place
    files: list[str] = field(default_factory=list)
    breaks_at: int | None = None
    leaves_at: int | None = None

    def fetch(self, http: Any, cursor: Cursor | None, subjects: Iterable[str]) -> Iterator[FetchedFile]:
        first = int(cursor.value) if cursor else 0
        for number, text in enumerate(self.files[first:], first):
            if number == self.breaks_at:
                raise SourceUnavailableError("https://registry.example", 503, "down")
            done, is_last = Cursor(str(number + 1)), number == self.leaves_at
            body = io.BytesIO(text.encode())
            yield FetchedFile(f"{number}.json", body, Scope.PART, self.place.now, done, has_more=is_last)
            if is_last:
                return


@dataclass
class Live:
    """A market of three sources and its runs."""

    place: Place
    sources: list[Source]

    def market(self) -> Jurisdiction:
        datasets = zip(MARKET.datasets, self.sources, strict=True)
        return replace(MARKET, datasets=tuple(replace(dataset, fetch=source.fetch) for dataset, source in datasets))

    def run(self) -> dict[str, int]:
        """The events of a run, a day after the last."""
        self.place.now = self.place.now.replace(day=self.place.now.day + 1)
        overrides = IngestOverrides(jurisdictions=(self.market(),), clock=self.place.clock)
        live: Any = LiveSource(None)  # type: ignore[arg-type]  # the sources need no client
        report = ingest(self.place.settings, ["FI"], live, overrides=overrides)
        assert report.errors == ()
        return dict(report.events)


@pytest.fixture
def live(tmp_path: Path) -> Live:
    place = Place(tmp_path)
    register, filings, owners = Source(place, [_register(*REGISTER)]), Source(place), Source(place)
    filings.files = [_lines(accounts("a1", ONE, 2024, 100)), _lines(accounts("b1", TWO, 2024, 50))]
    owners.files = [_lines(owner("o1", ONE, 25, 50)), _lines(owner("p1", TWO, 25, 50))]
    return Live(place, [register, filings, owners])


def _register(*rows: tuple[str, str, str, str]) -> str:
    return "\n".join(["number,name,status,date", *(",".join(row) for row in rows), "end"])


def _lines(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def _break_off(source: Source) -> None:
    source.breaks_at = 1


def _leave(source: Source) -> None:
    source.leaves_at = 0


@pytest.mark.slow
@pytest.mark.parametrize("part", [_break_off, _leave])
def test_first_load_in_two_runs_is_silent_and_changes_after_it_are_told(
    live: Live, part: Callable[[Source], None]
) -> None:
    _, filings, owners = live.sources
    for source in (filings, owners):
        part(source)
    assert live.run() == {}
    for source in (filings, owners):
        source.breaks_at = source.leaves_at = None
        source.files[1:1] = [source.files[0].replace(f'"{ONE}"', f'"{TWO}"').replace('"o1"', '"q1"')]
    filings.files[1] = _lines(accounts("c1", ONE, 2025, 110))
    assert live.run() == {}, "it went on; nothing has happened"
    filings.files.append(_lines(accounts("b2", TWO, 2025, 60)))
    owners.files.append(_lines(owner("p1", TWO, 50, 75, since="2021-06-01")))
    assert live.run() == {"filing.added": 1, "ownership.changed": 1}
    overrides = WorkspaceOverrides((live.market(),), live.place.clock)
    [told] = rebuild(live.place.settings, ["fi"], RebuildOptions(check=True), overrides=overrides)
    assert (told.told, told.untold, told.missing) == (2, {}, {})


@pytest.mark.slow
def test_second_part_of_a_first_load_tells_what_the_source_dates_after_its_beginning(live: Live) -> None:
    _, filings, owners = live.sources
    for source in (filings, owners):
        source.breaks_at = 1
    live.run()
    filings.breaks_at = owners.breaks_at = None
    year = {"start": "2025-04-01", "end": "2026-03-31"}
    filings.files = [filings.files[0], _lines(accounts("b1", TWO, 2024, 50), accounts("b2", TWO, 2025, 60, **year))]
    owners.files = [owners.files[0], _lines(owner("p1", TWO, 25, 50), owner("p2", TWO, 50, 75, since="2026-03-03"))]
    assert live.run() == {"filing.added": 1, "ownership.changed": 1}


@pytest.mark.slow
def test_status_of_a_first_load_in_two_runs_is_silent_and_told_after_it(live: Live) -> None:
    register = live.sources[0]
    register.files = [_register(*REGISTER), _register((ONE, "Yksi Oy", "asleep", "2021-01-01"))]
    register.breaks_at = 1
    live.run()
    register.breaks_at = None
    assert live.run() == {}
    register.files.append(_register((ONE, "Yksi Oy", "open", "2021-02-01"), REGISTER[1]))
    assert live.run() == {"status.changed": 1}


@pytest.mark.slow
def test_run_that_finds_nothing_left_ends_a_first_load(live: Live) -> None:
    _, filings, _ = live.sources
    filings.breaks_at = 1
    live.run()
    filings.breaks_at, rest = None, filings.files.pop()
    live.run()
    filings.files.append(rest)
    assert live.run() == {"filing.added": 1}
