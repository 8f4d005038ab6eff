"""`firm doctor` says which sources could not be fetched, and which were not read for too long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.firm.inside import Inside
from warehouse.release.freshness import DatasetCheck, Freshness, write_freshness
from warehouse.release.run_log import QuarantineNote, RunNote, write_run_note

NOW = datetime.now(UTC)


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    found = Inside(tmp_path / "data")
    found.layout.freshness_file.parent.mkdir(parents=True)
    return found


def of_sources(firm: Inside) -> list[list[str]]:
    """What it says of datasets, as state, what and advice."""
    lines = [line.split("\t") for line in firm.run("doctor").out.splitlines()[1:]]
    return [line for line in lines if line[1].startswith(("no.", "NO:", "sources"))]


def test_doctor_of_sources_that_were_read_is_content(firm: Inside) -> None:
    write_freshness(firm.layout, Freshness({}, {"no.enheter": DatasetCheck(NOW)}))
    assert of_sources(firm) == [["ok", "sources: none of 1 failed, quarantined or stale", ""]]


def test_doctor_names_a_source_that_could_not_be_fetched_and_when_it_is_retried(firm: Inside) -> None:
    failed = NOW - timedelta(hours=3)
    write_freshness(firm.layout, Freshness({}, {"no.enheter": DatasetCheck(NOW - timedelta(days=1), failed)}))
    held = QuarantineNote("no.enheter", "fetch", "https://data.brreg.no: status 503: try later", None)
    write_run_note(firm.layout, RunNote("20260303T040000000Z", ("NO",), failed, failed, held=(held,)))
    assert of_sources(firm) == [
        [
            "warn",
            f"no.enheter: could not be fetched since {failed:%Y-%m-%d %H:%M} UTC: {held.seen}",
            "its schedule requests it again 6 h after a failure; at once: firm ingest no --live --dataset no.enheter",
        ]
    ]


def test_doctor_names_stale_sources_of_a_market_in_one_line(firm: Inside) -> None:
    read = NOW - timedelta(days=20)
    write_freshness(
        firm.layout, Freshness({}, {key: DatasetCheck(read) for key in ("no.enheter", "no.roller", "no.tilsyn")})
    )
    day = f"{read:%Y-%m-%d}"
    assert of_sources(firm) == [
        [
            "warn",
            f"NO: 2 stale sources, with the day each was last read: no.enheter ({day}), no.roller ({day})",
            "turn on ingest_no_schedule in firm dagster, or run: firm ingest no --live",
        ]
    ]


def test_doctor_names_sources_whose_last_check_is_in_the_future(firm: Inside) -> None:
    ahead = NOW + timedelta(days=365)
    write_freshness(firm.layout, Freshness({}, {"no.enheter": DatasetCheck(ahead, None, 48)}))
    assert of_sources(firm) == [
        [
            "warn",
            f"NO: 1 source last read on a day in the future: no.enheter ({ahead:%Y-%m-%d})",
            "a clock was ahead: correct it, restart firm dagster, and run: firm ingest no --live",
        ]
    ]
