"""Asking for ownership filings that the feeds name, against a server on the loopback (docs/formats/us.md 1, 4)."""

import polars as pl
import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit import staging
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import RequestRejectedError, SourceUnavailableError
from connectors.us.feeds import schema as feeds_schema
from connectors.us.ownership import dataset as ownership_dataset
from tests.connectors.us.conftest import Sec
from tests.connectors.us.holder_files import INSIDERS, MANAGERS, STAKES, day, filing

MISSING = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code></Error>'
BLOCKED = b"<!DOCTYPE html><html><title>Request Rate Threshold Exceeded</title></html>"
BODY = filing("SC 13G", ("SC 13G", "text")).encode()


@pytest.fixture(autouse=True)
def _filed(sec: Sec) -> None:
    """Every filing is there unless a test says otherwise."""
    sec.answer = lambda _path: (200, BODY)


def number(place: int) -> str:
    return f"0000000007-26-{place:06}"


def subjects(*places: int) -> list[str]:
    return [f"{number(place)}:0000000042:SC 13G:2026-11-04" for place in places]


def names(arrivals: list[FetchedFile]) -> list[str]:
    return [arrival.name for arrival in arrivals]


def test_each_filing_is_asked_for_whole_and_once(http: HttpClient, sec: Sec) -> None:
    arrivals = list(ownership_dataset.fetch_filings(http, None, [*subjects(1, 2), *subjects(1)]))
    assert names(arrivals) == [f"{number(1)}.txt", f"{number(2)}.txt"]
    assert sec.asked == [f"/Archives/edgar/data/42/{number(1)}.txt", f"/Archives/edgar/data/42/{number(2)}.txt"]
    assert arrivals[0].cursor is None
    assert arrivals[1].cursor is not None
    assert list(ownership_dataset.fetch_filings(http, arrivals[1].cursor, subjects(2, 1))) == []
    assert len(sec.asked) == 2


def test_a_missing_filing_is_passed_over_whichever_way_it_is_said(http: HttpClient, sec: Sec) -> None:
    for status in (403, 404):
        sec.answer = lambda path, status=status: (status, MISSING) if number(1) in path else (200, BODY)
        assert names(list(ownership_dataset.fetch_filings(http, None, subjects(1, 2)))) == [f"{number(2)}.txt"]


def test_pitfall_01_a_block_stops_the_asking_at_once(http: HttpClient, sec: Sec) -> None:
    sec.answer = lambda path: (403, BLOCKED) if number(2) in path else (200, BODY)
    with pytest.raises(RequestRejectedError, match="ten minutes"):
        list(ownership_dataset.fetch_filings(http, None, subjects(1, 2, 3)))
    assert len(sec.asked) == 2


def test_what_fails_is_told_after_the_others_and_asked_again(http: HttpClient, sec: Sec) -> None:
    sec.answer = lambda path: (503, b"") if number(1) in path else (200, BODY)
    asking = ownership_dataset.fetch_filings(http, None, subjects(1, 2))
    arrivals = [next(asking)]
    with pytest.raises(SourceUnavailableError):
        next(asking)
    assert names(arrivals) == [f"{number(2)}.txt"]
    sec.answer = lambda _path: (200, BODY)
    again = ownership_dataset.fetch_filings(http, arrivals[0].cursor, subjects(1, 2))
    assert names(list(again)) == [f"{number(1)}.txt"]


def test_a_cursor_that_does_not_read_asks_again(http: HttpClient, sec: Sec) -> None:
    assert len(list(ownership_dataset.fetch_filings(http, Cursor("nonsense"), subjects(1)))) == 1


def test_forms_go_to_their_datasets_and_filers_by_what_they_are() -> None:
    columns = staging.staged_schema(feeds_schema.CURRENT)
    told = [
        (number(1), "0000000042", "Subject", "SC 13G/A"),
        (number(1), "0000000008", "Filed by", "SC 13G/A"),
        (number(2), "0000000042", "Issuer", "4"),
        (number(2), "0000000011", "Reporting", "4"),
        (number(3), "0000000009", "Filer", "13F-HR"),
        (number(4), "0000000042", "Filer", "424B5"),
    ]
    keys = (feeds_schema.ACCESSION, feeds_schema.CIK, feeds_schema.ROLE, feeds_schema.FORM)
    rows = [dict(zip(keys, row, strict=True)) | {feeds_schema.FILED: day("2026-11-04"), "items": []} for row in told]
    shown = {feeds_schema.CURRENT.name: pl.DataFrame(rows, schema=columns, orient="row")}
    wanted = {
        dataset.key: list(dataset.subjects_to_fetch(shown))
        for dataset in (STAKES, INSIDERS, MANAGERS)
        if dataset.subjects_to_fetch
    }
    assert wanted == {
        "us.schedule13": [f"{number(1)}:0000000042:SC 13G/A:2026-11-04"],
        "us.insiders": [f"{number(2)}:0000000042:4:2026-11-04"],
        "us.form13f": [f"{number(3)}:0000000009:13F-HR:2026-11-04"],
    }
