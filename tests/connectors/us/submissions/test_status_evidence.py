"""What time alone makes of a filer's list, and which filings have to be read to know how a filer ended."""

from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import pytest

from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import schema as f
from connectors.us.submissions.status_evidence import add_months
from tests.connectors.us.filer_bodies import filer, filing, person, piece, rows

REPORT = filing("10-Q", "2025-05-20", reportDate="2025-03-31")
ANNUAL = filing("10-K", "2025-03-02", reportDate="2024-12-31")


def on(day: str, body: Any) -> tuple[list[str], list[tuple[str, ...]]]:
    """What a reading on a day says of the one filer, and which filings it names."""
    taken = partial(datetime.fromisoformat, f"{day}T09:00:00")().replace(tzinfo=UTC)
    found = piece(body)
    read = submissions_dataset.DATASET.read_batches(
        type(found)(found.dataset, found.name, found.sha256, taken, found.scope, found.batch, found.open)
    )
    batches = list(read)
    named = rows(batches, f.ENDINGS).select(f.FORM, f.FILED).rows()
    return rows(batches, f.FILERS)["aged"].item().to_list(), [(form, str(day)) for form, day in named]


def test_eighteen_months_of_silence_make_another_row_of_the_same_filings() -> None:
    body = filer([REPORT, ANNUAL])
    days = ("2026-09-02", "2026-09-03", "2026-11-20", "2026-11-21")
    found = [[mark for mark in on(day, body)[0] if mark.startswith("no ")] for day in days]
    assert found == [[], ["no annual report"], ["no annual report"], ["no report", "no annual report"]]


def test_a_removal_comes_into_effect_ten_days_after_it() -> None:
    removed = filing("25-NSE", "2026-11-10")
    body = filer([removed, filing("8-K", "2026-11-01")])
    assert on("2026-11-19", body)[0] == []
    assert on("2026-11-20", body)[0] == [f"{removed['accessionNumber']} in effect"]


def test_a_report_waits_for_its_figures_no_longer_than_some_days() -> None:
    body = filer([filing("10-Q/A", "2026-11-10"), filing("8-K", "2026-11-12")])
    assert on("2026-11-12", body)[0] == []
    assert on("2026-11-13", body)[0] == [f"{filing('10-Q/A', '2026-11-10')['accessionNumber']} waits no longer"]


def test_nothing_ages_an_individual_or_a_holder() -> None:
    assert on("2026-11-20", person()) == ([], [])
    assert on("2026-11-20", filer([filing("SC 13G", "2001-02-01")])) == ([], [])


@pytest.mark.parametrize(
    ("day", "months", "expected"),
    [
        (date(2024, 8, 31), 18, date(2026, 2, 28)),
        (date(2022, 8, 31), 18, date(2024, 2, 29)),
        (date(2025, 12, 1), 1, date(2026, 1, 1)),
        (date(2025, 6, 15), 18, date(2026, 12, 15)),
    ],
)
def test_months_end_with_their_last_day(day: date, months: int, expected: date) -> None:
    assert add_months(day, months) == expected


END = filing("15-12G", "2026-08-03")
REMOVED = filing("25-NSE", "2026-07-24")
TOLD = filing("8-K", "2026-07-30", items="8.01,9.01")
ARTICLES = filing("8-K", "2026-06-30", items="5.03, 5.07")
FELL = filing("8-K", "2025-01-30", items="1.03")
OTHER = filing("8-K", "2026-07-31", items="5.02")


def test_the_filings_around_an_end_are_named() -> None:
    early = filing("8-K", "2026-02-01", items="8.01")
    body = filer([END, OTHER, TOLD, REMOVED, ARTICLES, early, FELL, filing("10-Q", "2026-05-05")])
    assert on("2026-11-20", body)[1] == [
        ("15-12G", "2026-08-03"),
        ("25-NSE", "2026-07-24"),
        ("8-K", "2026-07-30"),
        ("8-K", "2026-06-30"),
        ("8-K", "2025-01-30"),
    ]


@pytest.mark.parametrize("form", ["N-CSR", "1-K", "10KSB"])
def test_reports_of_every_kind_break_the_silence(form: str) -> None:
    assert "no report" not in on("2026-11-20", filer([filing(form, "2026-10-30"), filing("8-K", "2019-03-01")]))[0]


@pytest.mark.parametrize(
    "filings",
    [
        [filing("10-Q", "2026-10-30"), END, TOLD],  # it went on reporting
        [filing("N-CSR", "2026-10-30"), END, TOLD],
        [filing("10-Q", "2026-10-30"), filing("25-NSE", "2026-10-01")],  # of notes, most likely
        [TOLD],  # no end at all
        [filing("15-12G", "2024-01-02"), filing("8-K", "2024-01-02", items="8.01")],  # long ago
    ],
)
def test_of_who_goes_on_and_of_ends_long_ago_nothing_is_named(filings: list[Any]) -> None:
    assert on("2026-11-20", filer(filings))[1] == []


def test_a_filing_that_is_listed_badly_is_told_by_the_reader_and_named_by_nobody() -> None:
    bad = [{**END, "accessionNumber": "x"}, {**END, "filingDate": "soon"}, {**END, "form": ""}]
    for one in bad:
        assert on("2026-11-20", filer([one]))[1] == []
