"""Asking the Finnish services: pages from 1, windows of days, splits of what is too broad, cursors."""

import json
from collections import deque
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.fi.notices import fetch as notices_fetch
from connectors.fi.xbrl import fetch as xbrl_fetch
from connectors.fi.xbrl.fetch import MOST_RUNS
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError, SourceUnavailableError, UnexpectedBodyError
from pipelines.sources.live import declared_rates
from tests.connectors.fi.conftest import HOSTS, Service
from tests.connectors.fi.finnish_files import (
    FLAGGING,
    NOTICES,
    ONE,
    RELEASES,
    TWO,
    XBRL,
    YTJ,
    company,
    listed,
    notice,
    noticed,
    release,
    statement,
    zipped,
)

BALANCE = ("mi53", "x360", "2024-12-31", "5.00", None)


def query(path: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}


def test_every_host_is_asked_once_a_second() -> None:
    rates = declared_rates()
    assert {rates[dataset.host] for dataset in (YTJ, XBRL, NOTICES, RELEASES, FLAGGING)} == {1.0}
    assert [rates[host] for host in HOSTS] == [1.0, 1.0, 1.0]


def test_the_bulk_comes_whole_and_once(service: Service, http: HttpClient) -> None:
    service.answer = lambda _: (200, zipped("data.json", json.dumps([company()]).encode()))
    service.headers = {"ETag": '"1"'}
    (arrival,) = YTJ.fetch(http, None, ())
    assert (arrival.scope, arrival.name) == (Scope.FULL, "all_companies.zip")
    assert service.asked == ["/opendata-ytj-api/v3/all_companies"]
    assert list(YTJ.fetch(http, arrival.cursor, ())) == []


@pytest.mark.parametrize("body", [b"<html>blocked</html>", b'{"errorcode":1005,"message":"x"}'])
def test_a_page_with_status_200_is_no_bulk(service: Service, http: HttpClient, body: bytes) -> None:
    service.answer = lambda _: (200, body)
    with pytest.raises(FetchError):
        list(YTJ.fetch(http, None, ()))


class Statements:
    """The XBRL service: lists in pages of two, statements; 400 for one that is not there."""

    def __init__(self, *items: tuple[str, str, str], missing: tuple[str, ...] = ()) -> None:
        self.items = items
        self.missing = missing

    def __call__(self, path: str) -> tuple[int, bytes]:
        asked = query(path)
        if urlsplit(path).path.endswith("/financial"):
            if asked["businessId"] in self.missing:
                return 400, b'{"errorcode":1005,"message":"none"}'
            return 200, statement(BALANCE, number=asked["businessId"], end=asked["financialDate"])
        first, last, page = asked["registeredDateStart"], asked["registeredDateEnd"], int(asked["page"])
        assert page >= 1
        found = [item for item in self.items if first <= item[2] <= last]
        answer = listed(*found[(page - 1) * 2 : page * 2]) | {"totalResults": len(found)}
        return 200, json.dumps(answer).encode()


def names(found: list[Any]) -> list[str]:
    return [arrival.name for arrival in found if arrival.name.endswith(".xml")]


def test_pitfall_02_lists_are_walked_from_page_1_and_from_the_first_month_on(
    service: Service, http: HttpClient
) -> None:
    items = [(f"010000{n}-0", "2023-12-31", "2024-05-02") for n in range(5)] + [(TWO, "2025-12-31", "2026-11-15")]
    service.answer = Statements(*items)
    found = list(XBRL.fetch(http, None, ()))
    assert sorted(names(found)) == sorted(f"{number}_{last}.xml" for number, last, _ in items)
    starts = [query(path)["registeredDateStart"] for path in service.asked if "registeredDateStart" in path]
    assert min(starts) == "2023-07-01"
    assert found[-1].cursor is not None
    assert json.loads(found[-1].cursor.value)["until"] == "2026-11-16"


def test_later_the_last_week_is_listed_again_and_only_new_statements_asked(service: Service, http: HttpClient) -> None:
    service.answer = Statements((ONE, "2025-12-31", "2026-11-12"))
    cursor = list(XBRL.fetch(http, None, ()))[-1].cursor
    service.asked.clear()
    late = (TWO, "2025-12-31", "2026-11-13")  # registered behind our back
    service.answer = Statements((ONE, "2025-12-31", "2026-11-12"), late)
    service.date = "Tue, 17 Nov 2026 12:00:00 GMT"
    found = list(XBRL.fetch(http, cursor, ()))
    assert names(found) == [f"{TWO}_2025-12-31.xml"]
    assert [query(path)["registeredDateStart"] for path in service.asked if "Start" in path] == ["2026-11-10"]


def test_registered_again_is_asked_again(service: Service, http: HttpClient) -> None:
    service.answer = Statements((ONE, "2025-12-31", "2026-11-12"))
    cursor = list(XBRL.fetch(http, None, ()))[-1].cursor
    service.answer = Statements((ONE, "2025-12-31", "2026-11-16"))
    assert names(list(XBRL.fetch(http, cursor, ()))) == [f"{ONE}_2025-12-31.xml"]


def test_pitfall_08_a_statement_that_is_not_there_is_asked_for_with_the_next_week(
    service: Service, http: HttpClient
) -> None:
    items = ((ONE, "2025-12-31", "2026-11-12"), (TWO, "2025-12-31", "2026-11-12"))
    service.answer = Statements(*items, missing=(ONE,))
    found = list(XBRL.fetch(http, None, ()))
    assert names(found) == [f"{TWO}_2025-12-31.xml"]
    service.answer = Statements(*items)
    assert names(list(XBRL.fetch(http, found[-1].cursor, ()))) == [f"{ONE}_2025-12-31.xml"]


def test_where_the_service_stops_answering_what_came_is_handed_over(service: Service, http: HttpClient) -> None:
    good = Statements(*((f"010000{n}-0", "2023-12-31", "2024-05-02") for n in range(4)))
    service.answer = lambda path: (503, b"") if "0100003-0" in path else good(path)
    came: deque[Any] = deque()
    with pytest.raises(SourceUnavailableError):
        came.extend(XBRL.fetch(http, None, ()))  # what came before the end stays in it
    assert len(names(list(came))) == 3
    assert came[-1].cursor is not None
    service.asked.clear()
    service.answer = good
    again = list(XBRL.fetch(http, came[-1].cursor, ()))
    assert names(again) == ["0100003-0_2023-12-31.xml"]


def test_fetch_statement_that_stays_unavailable_stops_no_other(service: Service, http: HttpClient) -> None:
    gone, later = ("0100000-0", "2023-12-31", "2024-05-02"), ("0100001-0", "2024-12-31", "2025-05-02")
    good = Statements(gone, later)
    service.answer = lambda path: (503, b"") if gone[0] in path else good(path)
    cursor: Cursor | None = None
    for run in range(MOST_RUNS):
        service.asked.clear()
        came: deque[Any] = deque()
        with pytest.raises(SourceUnavailableError):
            came.extend(XBRL.fetch(http, cursor, ()))
        assert names(list(came)) == ([f"{later[0]}_{later[1]}.xml"] if run == 0 else [])
        cursor = came[-1].cursor
        assert cursor is not None
        assert json.loads(cursor.value)["until"] == "2026-11-16"
    service.asked.clear()
    assert names(list(XBRL.fetch(http, cursor, ()))) == []  # given up
    assert not any(gone[0] in path for path in service.asked)


def test_fetch_statement_that_is_owed_comes_with_a_later_run(service: Service, http: HttpClient) -> None:
    gone, other = ("0100000-0", "2023-12-31", "2024-05-02"), ("0100001-0", "2024-12-31", "2025-05-02")
    good = Statements(gone, other)
    service.answer = lambda path: (503, b"") if gone[0] in path else good(path)
    came: deque[Any] = deque()
    with pytest.raises(SourceUnavailableError):
        came.extend(XBRL.fetch(http, None, ()))
    service.answer = good
    found = list(XBRL.fetch(http, came[-1].cursor, ()))
    assert names(found) == [f"{gone[0]}_{gone[1]}.xml"]
    assert names(list(XBRL.fetch(http, found[-1].cursor, ()))) == []


def test_fetch_statements_budget_leaves_the_rest_to_the_next_run(
    service: Service, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xbrl_fetch, "BUDGET", 2)
    items = [(f"010000{n}-0", "2023-12-31", "2024-05-02") for n in range(3)]
    service.answer = Statements(*items)
    first = list(XBRL.fetch(http, None, ()))
    assert (names(first), first[-1].has_more) == ([f"{number}_{last}.xml" for number, last, _ in items[:2]], True)
    assert first[-1].remaining is not None
    assert first[-1].remaining[1] == "days of registrations"
    second = list(XBRL.fetch(http, first[-1].cursor, ()))
    assert (names(second), second[-1].has_more) == ([f"{items[2][0]}_{items[2][1]}.xml"], False)


def test_an_answer_that_is_no_list_is_not_believed(service: Service, http: HttpClient) -> None:
    for dataset in (XBRL, NOTICES, RELEASES):
        service.answer = lambda _: (200, b'{"hello":1}')
        with pytest.raises(UnexpectedBodyError):
            list(dataset.fetch(http, None, ()))


class Noticed:
    """The notices API: fifty a page, 504 from page 2 on for whoever asks too broadly."""

    def __init__(self, broad: bool = False, hopeless: bool = False) -> None:
        self.broad, self.hopeless = broad, hopeless

    def __call__(self, path: str) -> tuple[int, bytes]:
        asked = query(path)
        if "registeredDateStart" in asked:
            return 200, b'{"totalResults":0,"financials":[]}'
        day = asked["noticeRegistrationDateStart"]
        assert day == asked["noticeRegistrationDateEnd"]
        if self.hopeless or (self.broad and "companyForm" not in asked and int(asked["page"]) > 1):
            return 504, b"upstream"
        if day != "2026-11-13" or asked.get("companyForm", "OY") != "OY":
            return 200, b'{"totalResults":0,"companies":[]}'
        total = 120 if asked.get("noticeRegistrationType", "TA") == "TA" else 0
        page = [noticed(notice(day), number=f"{n:07d}-0") for n in range(total)]
        start = (int(asked["page"]) - 1) * 50
        return 200, json.dumps({"totalResults": total, "companies": page[start : start + 50]}).encode()


def test_notices_of_each_day_since_a_week_before(service: Service, http: HttpClient) -> None:
    service.answer = Noticed()
    found = list(NOTICES.fetch(http, None, ()))
    assert [arrival.name for arrival in found] == [
        "all_financial_statements_2026-11-10_2026-11-16_1.json",
        *(f"notices_2026-11-13_{page}.json" for page in (1, 2, 3)),
    ]
    assert found[-1].cursor == Cursor("2026-11-13")  # the last day that had any
    days = {query(path).get("noticeRegistrationDateStart") for path in service.asked[2:]}
    assert days == {f"2026-11-{day}" for day in range(10, 17)}


def test_where_nobody_tells_what_was_filed_digitally_no_notice_is_taken(service: Service, http: HttpClient) -> None:
    service.answer = lambda path: (503, b"") if "all_financial_statements" in path else Noticed()(path)
    with pytest.raises(SourceUnavailableError):
        list(NOTICES.fetch(http, None, ()))
    service.answer = lambda path: (200, b"<html>") if "all_financial_statements" in path else Noticed()(path)
    with pytest.raises(FetchError):
        list(NOTICES.fetch(http, None, ()))


def test_a_question_that_is_too_broad_is_split_by_kind_and_by_form(service: Service, http: HttpClient) -> None:
    service.answer = Noticed(broad=True)
    found = list(NOTICES.fetch(http, Cursor("2026-11-16"), ()))
    numbers = {
        record["businessId"]["value"] for arrival in found[1:] for record in json.load(arrival.body)["companies"]
    }
    assert len(numbers) == 120
    forms = {query(path).get("companyForm") for path in service.asked if "noticeRegistrationType=TA" in path}
    assert forms == {None, *notices_fetch.FORMS}


def test_what_cannot_be_split_further_fails_loudly(service: Service, http: HttpClient) -> None:
    service.answer = lambda path: (200, b'{"companies":[]}') if "2014" in path else Noticed(hopeless=True)(path)
    with pytest.raises(SourceUnavailableError, match="too many notices"):
        list(NOTICES.fetch(http, None, ()))


class Releases:
    """The exchange's news service: newest first, in pages."""

    def __init__(self, *numbers: int, most: int = 10_000) -> None:
        self.numbers = numbers
        self.most = most

    def __call__(self, path: str) -> tuple[int, bytes]:
        asked = query(path)
        assert asked["timeZone"] == "UTC"
        assert "callback" not in asked
        start, limit = int(asked["start"]), min(int(asked["limit"]), self.most)
        items = [release(number, "x") for number in self.numbers[start : start + limit]]
        return 200, json.dumps({"results": {"item": items}}).encode()


def test_newest_pages_until_everything_is_known(service: Service, http: HttpClient) -> None:
    service.answer = Releases(*range(1, 451))
    first = list(RELEASES.fetch(http, None, ()))
    assert len(first) == 3
    assert [arrival.cursor is None for arrival in first] == [True, True, False]
    assert list(RELEASES.fetch(http, first[-1].cursor, ())) == []
    service.asked.clear()
    service.answer = Releases(1000, 7000, *range(1, 451))  # numbers do not follow time
    (more,) = RELEASES.fetch(http, first[-1].cursor, ())
    assert len(service.asked) == 1
    assert list(RELEASES.fetch(http, more.cursor, ())) == []


def test_page_of_releases_shorter_than_requested_is_not_the_last(service: Service, http: HttpClient) -> None:
    service.answer = Releases(9001, most=100)
    (before,) = RELEASES.fetch(http, None, ())
    service.answer = Releases(*range(1, 251), 9001, most=100)
    found = list(RELEASES.fetch(http, before.cursor, ()))
    items = [item for one in found for item in json.load(one.body)["results"]["item"]]
    assert len({item["disclosureId"] for item in items}) == 251


def test_releases_that_no_page_of_a_run_reaches_are_told_once(service: Service, http: HttpClient) -> None:
    service.answer = Releases(9001)
    (before,) = RELEASES.fetch(http, None, ())
    service.answer = Releases(*range(1, 2_500), 9001)  # weeks later: ten pages end before what is known
    reached: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match="some between these and those of the run before are missing"):
        reached.extend(RELEASES.fetch(http, before.cursor, ()))
    assert (len(reached), reached[-1].cursor is None) == (10, False)
    assert list(RELEASES.fetch(http, reached[-1].cursor, ())) == []


def test_pages_of_flaggings_are_asked_for_once_and_of_the_exchange_only(service: Service, http: HttpClient) -> None:
    url = "https://view.news.eu.nasdaq.com/view?id=b{}&lang=en&src=listed"
    rows = [
        ("1", 144, "Major shareholder announcements", url.format(1)),
        ("2", 428, "Inside information", url.format(2)),
        ("3", 9999, "Major shareholder announcements", url.format(3)),
        ("4", 144, None, None),
    ]
    schema = {"disclosureId": pl.String, "categoryId": pl.Int64, "cnsCategory": pl.String, "messageUrl": pl.String}
    staged = {"fi_tiedote": pl.DataFrame(rows, schema=schema, orient="row")}
    assert FLAGGING.subjects_to_fetch is not None
    subjects = list(FLAGGING.subjects_to_fetch(staged))
    assert subjects == [url.format(1), url.format(3)]
    service.answer = lambda path: (404, b"") if "id=b3" in path else (200, b"<!doctype html><html>x</html>")
    found = list(FLAGGING.fetch(http, None, [*subjects, "https://evil.example/view?id=b9"]))
    assert [arrival.name for arrival in found] == ["b1_en.html"]
    assert list(FLAGGING.fetch(http, found[-1].cursor, [url.format(1)])) == []
    assert list(FLAGGING.subjects_to_fetch({})) == []


@pytest.mark.parametrize("dataset", [XBRL, NOTICES, RELEASES, FLAGGING])
def test_a_cursor_of_another_making_begins_anew(service: Service, http: HttpClient, dataset: Any) -> None:
    service.answer = Releases() if dataset is RELEASES else Noticed() if dataset is NOTICES else Statements()
    list(dataset.fetch(http, Cursor("what is this"), ()))
