"""Asking for FIRDS: lists page by page, complete sets of parts alone, checksums, what is new since the last time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qs, urlsplit

import pytest

from connectors.contract.dataset import Cursor, Dataset, FetchedFile, Scope
from connectors.firds import fetch as firds_fetch
from connectors.firds.dataset import ESMA, FCA, firds_datasets
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError, UnexpectedBodyError
from tests.answering import Quiet, answering
from tests.connectors.firds.firds_files import Line, delta, full, packed, whole_name
from tests.tables import check_cases

TODAY = date(2026, 1, 20)
SATURDAY = date(2026, 1, 17)
AUTHORITIES = {"esma": firds_datasets("SE", ESMA), "fca": firds_datasets("UK", FCA)}


class Authority:
    """What the authority publishes: names to bytes, and what is asked."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.broken: dict[str, bytes] = {}  # sent in place of what the list tells of
        self.listed: bytes | None = None
        self.most = 10_000  # on a page, whatever is asked for
        self.left_out = 0  # files that the total counts and no page has

    def publish(self, name: str, body: bytes = b"") -> None:
        made = full(Line()) if name.startswith("FULINS") else delta(Line())
        self.files[name] = body or packed(made, name)

    def answer(self, path: str) -> tuple[int, str, bytes]:
        self.asked.append(path)
        name = path.rpartition("/")[2]
        if name in self.files:
            return 200, "application/zip", self.broken.get(name, self.files[name])
        if self.listed is not None:
            return 200, "application/json", self.listed
        query = {key: values[0] for key, values in parse_qs(urlsplit(path).query).items()}
        if "solr" in path:
            return 200, "application/json", json.dumps(self.solr(query)).encode()
        return 200, "application/json", json.dumps(self.elastic(query)).encode()

    def solr(self, query: dict[str, str]) -> dict[str, Any]:
        docs = [
            {
                "file_name": name,
                "file_type": name[:6],
                "download_link": f"http://registers.esma.europa.eu/firds/{name}",
                "checksum": hashlib.md5(body, usedforsecurity=False).hexdigest().upper(),
            }
            for name, body in sorted(self.files.items())
        ]
        start = int(query["start"])
        length = min(self.most, int(query["rows"]))
        return {"response": {"numFound": len(docs) + self.left_out, "docs": docs[start : start + length]}}

    def elastic(self, query: dict[str, str]) -> dict[str, Any]:
        hits = [
            {"_source": {"file_name": name, "download_link": f"https://api.data.fca.org.uk/firds/{name}"}}
            for name in sorted(self.files)
        ]
        start = int(query["from"])
        length = min(self.most, int(query["size"]))
        return {"hits": {"total": {"value": len(hits) + self.left_out}, "hits": hits[start : start + length]}}


@pytest.fixture
def authority() -> Authority:
    return Authority()


@pytest.fixture
def http(authority: Authority, tmp_path: Path) -> Iterator[HttpClient]:
    class Handler(Quiet):
        def do_GET(self) -> None:  # noqa: N802
            status, kind, body = authority.answer(self.path)
            self.send_whole(status, body, {"Content-Type": kind})

    with answering(Handler) as base:
        hosts = (firds_fetch.ESMA_HOST, firds_fetch.FCA_HOST)
        clock = FetchClock(now=lambda: datetime(2026, 1, 20, 12, tzinfo=UTC))
        asked = HttpSettings("t (a@example.org)", tmp_path, base_urls=dict.fromkeys(hosts, base), default_rate=1e6)
        with HttpClient(asked, clock) as client:
            yield client


def fetched(dataset: Dataset, http: HttpClient, cursor: Cursor | None = None) -> list[FetchedFile]:
    assert dataset.fetch is not None
    return list(dataset.fetch(http, cursor, ()))


@pytest.mark.parametrize("name", AUTHORITIES)
def test_the_newest_complete_set_is_taken_and_remembered(name: str, authority: Authority, http: HttpClient) -> None:
    whole, _ = AUTHORITIES[name]
    for part in (1, 2):
        authority.publish(whole_name(SATURDAY - timedelta(days=7), part, 2))
    authority.publish(whole_name(SATURDAY, 2, 2))  # its first part is not there yet
    authority.publish("FULINS_D_20260117_01of01.zip")
    found = fetched(whole, http)
    assert [(one.name, one.scope) for one in found] == [
        ("FULINS_E_20260110_01of02.zip", Scope.FULL),
        ("FULINS_E_20260110_02of02.zip", Scope.FULL),
    ]
    assert [one.cursor for one in found] == [None, Cursor("2026-01-10")]
    assert fetched(whole, http, Cursor("2026-01-10")) == []
    authority.publish(whole_name(SATURDAY, 1, 2))
    assert [one.name[9:17] for one in fetched(whole, http, Cursor("2026-01-10"))] == ["20260117"] * 2


@pytest.mark.parametrize("name", AUTHORITIES)
def test_changes_since_the_last_time_come_in_order(name: str, authority: Authority, http: HttpClient) -> None:
    _, daily = AUTHORITIES[name]
    for day in (15, 13, 14):
        authority.publish(f"DLTINS_202601{day}_01of01.zip")
    authority.publish("DLTINS_20260116_02of02.zip")
    found = fetched(daily, http, Cursor("2026-01-13"))
    assert [(one.name, one.scope, one.cursor) for one in found] == [
        ("DLTINS_20260114_01of01.zip", Scope.FEED, Cursor("2026-01-14")),
        ("DLTINS_20260115_01of01.zip", Scope.FEED, Cursor("2026-01-15")),
    ]


@pytest.mark.parametrize("name", AUTHORITIES)
def test_changes_after_a_day_without_all_its_parts_wait_for_them(
    name: str, authority: Authority, http: HttpClient
) -> None:
    _, daily = AUTHORITIES[name]
    for file in ("14_01of01", "15_02of02", "16_01of01"):
        authority.publish(f"DLTINS_202601{file}.zip")
    assert [one.cursor for one in fetched(daily, http)] == [Cursor("2026-01-14")]
    authority.publish("DLTINS_20260115_01of02.zip")
    assert [one.cursor for one in fetched(daily, http, Cursor("2026-01-14"))] == [
        None,
        Cursor("2026-01-15"),
        Cursor("2026-01-16"),
    ]


def test_changes_of_a_day_that_stays_without_a_part_are_given_up(authority: Authority, http: HttpClient) -> None:
    _, daily = AUTHORITIES["esma"]
    for file in ("11_01of01", "12_02of02", "13_01of01"):
        authority.publish(f"DLTINS_202601{file}.zip")
    assert [one.cursor for one in fetched(daily, http)] == [Cursor("2026-01-11"), Cursor("2026-01-13")]


@pytest.mark.parametrize("name", AUTHORITIES)
def test_lists_are_read_page_by_page(name: str, authority: Authority, http: HttpClient, monkeypatch) -> None:
    monkeypatch.setattr(firds_fetch, "PAGE_ENTRIES", 2)
    for part in range(1, 6):
        authority.publish(whole_name(SATURDAY, part, 5))
    assert len(fetched(AUTHORITIES[name][0], http)) == 5
    assert sum("select" in path or "fca_data" in path for path in authority.asked) == 3


@pytest.mark.parametrize("name", AUTHORITIES)
def test_a_page_that_is_shorter_than_asked_for_is_not_the_end(
    name: str, authority: Authority, http: HttpClient
) -> None:
    authority.most = 2
    for part in range(1, 6):
        authority.publish(whole_name(SATURDAY, part, 5))
    assert len(fetched(AUTHORITIES[name][0], http)) == 5


@pytest.mark.parametrize("name", AUTHORITIES)
def test_list_that_ends_before_its_total_passes_no_day(name: str, authority: Authority, http: HttpClient) -> None:
    authority.publish("DLTINS_20260114_01of01.zip")
    authority.publish("DLTINS_20260116_01of01.zip")
    authority.left_out = 1
    with pytest.raises(UnexpectedBodyError, match="a list of 3 files that ends after 2: some are missing"):
        fetched(AUTHORITIES[name][1], http, Cursor("2026-01-13"))


def test_list_of_more_pages_than_are_read_passes_no_day(authority: Authority, http: HttpClient) -> None:
    authority.most = 1
    for number in range(1, 52):
        authority.publish(f"DLTINS_20260114_{number:02}of51.zip")
    with pytest.raises(UnexpectedBodyError, match="more than 50 pages"):
        fetched(AUTHORITIES["esma"][1], http, Cursor("2026-01-13"))


def test_a_file_that_is_not_what_the_list_says_is_refused(authority: Authority, http: HttpClient) -> None:
    authority.publish(whole_name(SATURDAY))
    authority.broken[whole_name(SATURDAY)] = packed(full(), "another.zip")
    with pytest.raises(UnexpectedBodyError, match="checksum"):
        fetched(AUTHORITIES["esma"][0], http)


@pytest.mark.parametrize("name", AUTHORITIES)
@pytest.mark.parametrize(
    "body", [b"{}", b"[]", b'{"response": {"docs": {}}}', b'{"hits": {"hits": 1}}', b"<html></html>"]
)
def test_a_list_that_is_none_is_refused(name: str, body: bytes, authority: Authority, http: HttpClient) -> None:
    authority.listed = body
    for dataset in AUTHORITIES[name]:
        with pytest.raises(FetchError):
            fetched(dataset, http)


def test_a_list_without_whole_files_is_not_believed(authority: Authority, http: HttpClient) -> None:
    authority.publish("DLTINS_20260115_01of01.zip")
    with pytest.raises(UnexpectedBodyError, match="no complete set"):
        fetched(AUTHORITIES["esma"][0], http)


class OnePage(NamedTuple):
    """Answers every question with one list, in place of a client."""

    entries: list[Any]

    def json(self, _url: str) -> Any:
        return {"response": {"docs": self.entries, "numFound": len(self.entries)}}


def listed_files(entries: list[Any]) -> list[firds_fetch.FirdsFile]:
    """The files that are taken from entries of ESMA's list."""
    return list(firds_fetch.list_esma_files(cast("HttpClient", OnePage(entries)), SATURDAY, TODAY))


@check_cases(
    "entry",
    [
        None,
        "FULINS_E",
        {"file_name": "FULINS_E_20260117_01of01.zip"},
        {"file_name": "../../FULINS_E_20260117_01of01.zip", "download_link": "x"},
        {"file_name": "FULINS_E_20260117_01of01.zip", "download_link": "https://firds.esma.europa.eu/other.zip"},
        {
            "file_name": "FULINS_E_20260117_01of01.zip",
            "download_link": "https://esma.europa.eu.example/FULINS_E_20260117_01of01.zip",
        },
        {
            "file_name": "FULINS_E_20260199_01of01.zip",
            "download_link": "https://firds.esma.europa.eu/FULINS_E_20260199_01of01.zip",
        },
        {
            "file_name": f"FULINS_E_20260117_01of{'9' * 9}.zip",
            "download_link": f"https://firds.esma.europa.eu/FULINS_E_20260117_01of{'9' * 9}.zip",
        },
    ],
)
def test_entries_that_name_no_file_are_left(entry: Any) -> None:
    assert listed_files([entry]) == []


def test_entry_whose_fields_are_lists_of_one_names_its_file() -> None:
    plain = {
        "file_name": "FULINS_E_20260117_01of01.zip",
        "download_link": "https://firds.esma.europa.eu/firds/FULINS_E_20260117_01of01.zip",
        "checksum": "f7f1f7ce35f9831403cd593b9a06901a",
    }
    assert listed_files([{name: [value] for name, value in plain.items()}]) == listed_files([plain]) != []
    assert listed_files([plain | {"file_name": [plain["file_name"], "DLTINS_20260117_01of01.zip"]}]) == []


def test_parts_count_up_to_what_each_says() -> None:
    files = listed_files(
        [
            {"file_name": name, "download_link": f"https://firds.esma.europa.eu/firds/{name}"}
            for name in (whole_name(SATURDAY, part, 3) for part in (3, 1, 1, 2))
        ]
    )
    assert [[one.part for one in parts] for parts in firds_fetch.complete_sets(files, firds_fetch.WHOLE)] == [[1, 2, 3]]
    assert firds_fetch.complete_sets(files[:2], firds_fetch.WHOLE) == []
    assert firds_fetch.complete_sets(files, firds_fetch.CHANGES) == []
