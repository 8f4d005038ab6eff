"""The streams and the REST API of Companies House: whatever they do, and whoever is killed, the state is the truth."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxServer, World, serve
from sandbox.uk import stream_events
from sandbox.uk.rest_resources import FILINGS, STREAMS
from sandbox.uk.stream_http import StreamFaults
from tests.firm.kingdom import PLAYED, Kingdom, planned, profiles, shares
from tests.firm.listened import Reader
from warehouse.raw.stream_spool import StreamSpool
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
WORLD = World(seed=9, companies=60, days=3, markets=("UK",))
NO_FILES = {"/en_output.html": "html", "/en_pscdata.html": "html"}
LISTENED = [dataset.key for dataset in PLAYED.datasets if dataset.listen_stream is not None]


@contextmanager
def registries(day: int, temper: StreamFaults | None = None, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        registry.desk.streams.stream_faults = temper or StreamFaults()
        for _ in range(day):
            registry.advance()
        yield registry


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Kingdom:
    made = Kingdom(tmp_path_factory.mktemp("streams") / "data")
    with registries(0) as registry:
        made.ingest(registry)
    assert made.companies() == profiles(WORLD, 0)
    assert made.owners() == shares(WORLD, 0)
    assert made.events() == []
    return made


@pytest.fixture
def kingdom(loaded: Kingdom, tmp_path: Path) -> Kingdom:
    return loaded.copy(tmp_path / "data")


def is_the_truth(kingdom: Kingdom, *days: int) -> bool:
    assert kingdom.events() == planned(WORLD, *days)
    assert kingdom.companies() == profiles(WORLD, days[-1])
    assert kingdom.owners() == shares(WORLD, days[-1])
    return True


def test_the_streams_alone_tell_the_truth_and_the_next_days_files_agree(kingdom: Kingdom) -> None:
    """No file of the day is to be had; every event comes twice, in any order.

    Figures that were corrected stand in documents alone: the next day's zips have them.
    """
    faults = {**NO_FILES, "/en_accountsdata.html": "html"}
    with registries(1, StreamFaults(duplicates_events=True, is_shuffled=True), faults=faults) as registry:
        kingdom.ingest(registry)
        assert kingdom.events() == planned(WORLD, 1, but="filing.updated")
        assert kingdom.companies() == profiles(WORLD, 1)
        assert kingdom.owners() == shares(WORLD, 1)
        registry.troubles.by_path.clear()
        registry.advance()
        kingdom.ingest(registry)
    assert is_the_truth(kingdom, 1, 2)


def test_who_was_cut_off_goes_on_from_where_he_was(kingdom: Kingdom) -> None:
    """Connections break in the middle of a line.

    Two things are other than on a whole day, and are no part of this: corrected accounts are known by the id that
    history tells if it does; and of the company that is itself new that day, what comes in the second run is news.
    """
    faults = {f"/{stream}": "cut_off" for stream in STREAMS if stream != FILINGS}
    new = WORLD.company("UK", WORLD.count("UK", 0), 1).company_id
    with registries(1, faults={**NO_FILES, **faults}) as registry:
        kingdom.ingest(registry)
        assert set(kingdom.events()) < set(planned(WORLD, 1))
        registry.troubles.by_path.clear()
        kingdom.ingest(registry)
    assert kingdom.events(but=new) == planned(WORLD, 1)
    assert kingdom.companies() == profiles(WORLD, 1)
    assert kingdom.owners() == shares(WORLD, 1)


def test_what_nobody_can_tell_any_more_the_next_files_mend(kingdom: Kingdom) -> None:
    """416: the stream is entered where it is, and says so."""
    with registries(2, StreamFaults(retention_days=0)) as registry:
        signals = kingdom.ingest(registry)
    assert {signal["dataset"] for signal in signals if signal["code"] == "stream_gap"} == set(LISTENED)
    assert kingdom.companies() == profiles(WORLD, 2)
    assert kingdom.owners() == shares(WORLD, 2)
    assert len(kingdom.events()) == len(set(kingdom.events()))


def test_without_streams_who_left_the_file_is_asked_about(kingdom: Kingdom) -> None:
    with registries(1) as registry:
        registry.desk.streams.key = "another"
        kingdom.ingest(registry)
        asked = [path for path in registry.requests if path.startswith("GET /company/")]
    (gone,) = [company for company in WORLD.changing("UK", 1) if not company.is_in_register]
    assert asked == [f"GET /company/{gone.number}"]
    told = {row["company_number"]: row for row in kingdom.present("uk_profiles").to_dicts()}[gone.number]
    assert (told["company_status"], told["date_of_cessation"]) == ("dissolved", str(WORLD.date(1)))
    assert kingdom.companies() == profiles(WORLD, 1)


def letters(kingdom: Kingdom, key: str) -> list[bytes]:
    """The lines that wait in an inbox."""
    found = []
    for letter in StreamSpool(Layout(kingdom.data), key).spooled_bodies():
        with letter.open() as body:
            found += body.read().splitlines()
    return found


def timepoints(kingdom: Kingdom) -> set[int]:
    """Of all that waits: of streams whose numbers do not meet."""
    return {json.loads(line)["event"]["timepoint"] for key in LISTENED for line in letters(kingdom, key)}


def test_a_reader_killed_again_and_again_loses_nothing(kingdom: Kingdom) -> None:
    due = {event.timepoint for stream in STREAMS for event in stream_events.day_events(WORLD, 1, stream)}
    with registries(1, StreamFaults(pause=0.02), faults=NO_FILES) as registry:
        for share in (0.1, 0.4, 0.7):
            reader = Reader.start(kingdom.data, registry.url)
            reader.until(lambda least=share: len(timepoints(kingdom) & due) > least * len(due))
            reader.kill()
            assert not due <= timepoints(kingdom)
        reader = Reader.start(kingdom.data, registry.url)
        reader.until(lambda: due <= timepoints(kingdom))
        assert reader.interrupt() == 0, reader.said.read_text()
        assert "Traceback" not in reader.said.read_text()
        kingdom.ingest(registry)
    assert is_the_truth(kingdom, 1)
    assert timepoints(kingdom) == set()


def test_a_refused_key_ends_the_reader_and_names_the_setting(kingdom: Kingdom) -> None:
    with registries(1) as registry:
        registry.desk.streams.key = "another"
        reader = Reader.start(kingdom.data, registry.url)
        assert reader.ended() == 1
    said = reader.said.read_text()
    assert "FIRM_CREDENTIALS" in said
    assert "stream.companieshouse.gov.uk" in said
    assert "Traceback" not in said
