"""Reports of several rounds as one: what an earlier round left out is told at the end."""

from __future__ import annotations

from pipelines.reporting.report import HELD, IngestReport, merge_reports
from warehouse.release.run_log import QuarantineNote

FUTURE = QuarantineNote("no.enheter", "future", "enheter-2062-03-02.csv: dated 2062-03-02T00:00:00Z", None)
UNFETCHED = QuarantineNote("no.roller", "fetch", "the key of marks is missing", None)
SHRUNK = QuarantineNote("no.enheter", "shrink", 0.5, 0.1)


def test_file_that_an_earlier_day_left_out_decides_about_the_exit_code() -> None:
    merged = merge_reports([IngestReport(1, held=(FUTURE,)), IngestReport(2)])
    assert (merged.held, merged.exit_code) == ((FUTURE,), HELD)


def test_quarantine_that_a_later_day_lifted_is_no_quarantine_at_the_end() -> None:
    rounds = [IngestReport(None, held=(SHRUNK, UNFETCHED)), IngestReport(2, held=(UNFETCHED,))]
    assert merge_reports(rounds).held == (UNFETCHED,)
    assert merge_reports([]).held == ()
