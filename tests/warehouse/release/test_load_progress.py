"""Loads of many runs: what is left, and when they will be complete."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import connectors
from connectors.sources_page import render_sources_page
from firm.doctor.first_loads import first_load_findings, out_of_reach_findings
from warehouse.release.load_progress import forget_load_progress, read_load_progress, record_load_progress
from warehouse.storage.layout import Layout

BEGAN = datetime(2026, 11, 1, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_record_load_progress_second_run_shows_when_the_load_will_be_complete(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    first = record_load_progress(layout, "no.regnskap", BEGAN, 3_600, (426_400, "companies"))
    assert first.done_at is None
    assert first.describe() == "426,400 companies left, 3,600 fetched; the next run will show the pace"
    second = record_load_progress(layout, "no.regnskap", BEGAN + HOUR, 3_600, (422_800, "companies"))
    assert second.done_at == BEGAN + HOUR + HOUR * (422_800 / 3_600)
    assert second.describe().endswith("complete about 2026-11-06 04:26 UTC")
    assert list(read_load_progress(layout)) == [second]


def test_record_load_progress_rest_that_grows_begins_the_pace_again(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    record_load_progress(layout, "no.regnskap", BEGAN, 10, (100, "companies"))
    grown = record_load_progress(layout, "no.regnskap", BEGAN + HOUR, 10, (400, "companies"))
    assert (grown.done_at, grown.began_with, grown.fetched) == (None, 400, 20)


def test_first_load_findings_tell_how_far_it_is_and_that_it_stopped(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    record_load_progress(layout, "fi.xbrl", BEGAN, 3_600, None)
    (fresh,) = first_load_findings(layout, BEGAN + HOUR)
    assert (fresh.state, fresh.subject) == (
        "ok",
        "fi.xbrl is still loading: 3,600 fetched since 2026-11-01 06:00 UTC, more to come",
    )
    (stopped,) = first_load_findings(layout, BEGAN + 50 * HOUR)
    assert stopped.state == "warn"
    forget_load_progress(layout, "fi.xbrl")
    assert list(first_load_findings(layout, BEGAN)) == []


def test_out_of_reach_source_is_told_by_doctor_and_by_the_page_of_sources() -> None:
    found = {one.subject: one.advice for one in out_of_reach_findings(connectors.JURISDICTIONS)}
    assert list(found) == ["us.cftc is out of reach"]
    assert "status 403" in found["us.cftc is out of reach"]
    page = render_sources_page(connectors.JURISDICTIONS)
    assert "| out of reach |" in page
    assert "`us.cftc` is out of reach: since October 2026" in page
