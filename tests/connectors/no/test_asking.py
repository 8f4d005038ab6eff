"""Asking the registers again: groups, the sweep of filers, announcements by day, the list of shares."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import polars as pl
import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError
from connectors.kit.http.retry import RetryPolicy
from connectors.no import NORWAY
from connectors.no.konsern.fetch import subjects_to_fetch
from connectors.no.regnskap.cursor import FetchedAccounts, last_monthly_slot
from tests.answering import Quiet, answering
from tests.connectors.no.market_files import envelope, euronext, group, message, node, share

ONE, TWO, THREE = "982463718", "983939724", "976967631"
NOVEMBER, DECEMBER = datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 30, tzinfo=UTC)
HOSTS = ("data.brreg.no", "newsweb.oslobors.no", "api3.oslo.oslobors.no", "live.euronext.com")


class Registers:
    """What is answered by path and query, and what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, tuple[int, bytes]] = {}

    def answer(self, target: str) -> tuple[int, bytes]:
        path = urlsplit(target).path
        self.asked.append(target)
        return self.answers.get(target) or self.answers.get(path) or (404, b"")


@pytest.fixture
def registers() -> Registers:
    return Registers()


@contextmanager
def asking(registers: Registers, folder: Path, now: datetime) -> Iterator[HttpClient]:
    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_whole(*registers.answer(self.path), {"Date": format_datetime(now, usegmt=True)})

    with answering(Handler) as base:
        settings = HttpSettings(
            "test",
            folder,
            base_urls=dict.fromkeys(HOSTS, base),
            default_rate=10_000.0,
            retry_policy=RetryPolicy(attempts=1),
        )
        with HttpClient(settings, FetchClock(now=lambda: now)) as http:
            yield http


def fetched(http: HttpClient, dataset: str, cursor: Cursor | None = None, subjects: Any = ()) -> list[FetchedFile]:
    fetch = NORWAY.dataset(dataset).fetch
    assert fetch is not None
    return list(fetch(http, cursor, subjects))


def test_once_a_month_on_a_day_of_its_own() -> None:
    turn = int(ONE) % 28 + 1
    assert last_monthly_slot(ONE, datetime(2026, 11, turn, tzinfo=UTC).date()) == "2026-11"
    assert last_monthly_slot(ONE, datetime(2026, 11, turn - 1, tzinfo=UTC).date()) == "2026-10"
    assert last_monthly_slot(ONE, datetime(2026, 1, 1, tzinfo=UTC).date()) in ("2025-12", "2026-01")


def test_only_companies_in_groups_are_asked_for() -> None:
    rows = pl.DataFrame({"organisasjonsnummer": [ONE, TWO, THREE], "erIKonsern": [True, None, False]})
    assert list(subjects_to_fetch({"no_enheter": rows})) == [ONE]
    assert list(subjects_to_fetch({})) == []


def test_who_is_listed_in_an_answer_is_not_asked_again_this_month(registers: Registers, tmp_path: Path) -> None:
    registers.answers[f"/enhetsregisteret/api/konsernstruktur/{ONE}"] = (200, group(ONE, node(TWO)))
    with asking(registers, tmp_path, NOVEMBER) as http:
        first = fetched(http, "no.konsern", None, [ONE, TWO, THREE])
        assert [(arrival.name, arrival.http_status) for arrival in first] == [
            (f"{ONE}.json", 200),
            (f"{THREE}.json", 404),
        ]
        assert fetched(http, "no.konsern", first[-1].cursor, [ONE, TWO, THREE]) == []
    with asking(registers, tmp_path, DECEMBER) as http:
        assert len(fetched(http, "no.konsern", first[-1].cursor, [ONE, TWO, THREE])) == 2


def test_a_company_that_left_its_group_is_asked_itself(registers: Registers, tmp_path: Path) -> None:
    registers.answers[f"/enhetsregisteret/api/konsernstruktur/{ONE}"] = (200, group(ONE, node(TWO)))
    with asking(registers, tmp_path, NOVEMBER) as http:
        (before,) = fetched(http, "no.konsern", None, [ONE, TWO])
    registers.answers[f"/enhetsregisteret/api/konsernstruktur/{ONE}"] = (200, group(ONE, node(THREE)))
    with asking(registers, tmp_path, DECEMBER) as http:
        names = [arrival.name for arrival in fetched(http, "no.konsern", before.cursor, [ONE, TWO])]
    assert names == [f"{ONE}.json", f"{TWO}.json"]


def test_a_page_under_404_ends_no_group(registers: Registers, tmp_path: Path) -> None:
    registers.answers[f"/enhetsregisteret/api/konsernstruktur/{TWO}"] = (404, b"<html>moved</html>")
    registers.answers[f"/enhetsregisteret/api/konsernstruktur/{ONE}"] = (200, group(ONE))
    fetch = NORWAY.dataset("no.konsern").fetch
    assert fetch is not None
    with asking(registers, tmp_path, NOVEMBER) as http:
        arrivals = fetch(http, None, [ONE, TWO])
        first = next(arrivals)
        assert FetchedAccounts.of(first.cursor).has_accounts(ONE, last_monthly_slot(ONE, NOVEMBER.date()))
        assert not FetchedAccounts.of(first.cursor).has_accounts(TWO, last_monthly_slot(TWO, NOVEMBER.date()))
        with pytest.raises(FetchError, match="not a response of the register"):
            next(arrivals)


def test_every_filer_is_asked_again_once_a_month(registers: Registers, tmp_path: Path) -> None:
    registers.answers[f"/regnskapsregisteret/regnskap/{ONE}"] = (200, b"[]")
    with asking(registers, tmp_path, NOVEMBER) as http:
        (first,) = fetched(http, "no.regnskap", None, [f"{ONE}:2025"])
        assert fetched(http, "no.regnskap", first.cursor, [f"{ONE}:2025"]) == []
        (newer,) = fetched(http, "no.regnskap", first.cursor, [f"{ONE}:2026"])
    with asking(registers, tmp_path, DECEMBER) as http:
        (again,) = fetched(http, "no.regnskap", first.cursor, [f"{ONE}:2025"])
        assert fetched(http, "no.regnskap", again.cursor, [f"{ONE}:2025"]) == []
    assert FetchedAccounts.of(newer.cursor).has_accounts(ONE, "2026")


class NewsWeb(Registers):
    """Announcements by day; a list holds two, or says that there were more."""

    def __init__(self, *messages: dict[str, Any], most: int = 2) -> None:
        super().__init__()
        self.messages = messages
        self.most = most

    def answer(self, target: str) -> tuple[int, bytes]:
        self.asked.append(target)
        parts = urlsplit(target)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/urls.json":
            return 200, b'{"api_large":"https://api3.oslo.oslobors.no"}'
        if parts.path == "/v1/newsreader/message":
            (found,) = [row for row in self.messages if str(row["messageId"]) == asked["messageId"]]
            return 200, envelope({"message": found | {"body": "", "attachments": []}})
        found = [row for row in self.messages if self._fits(row, asked)]
        return 200, envelope({"messages": found[: self.most], "overflow": len(found) > self.most})

    def _fits(self, row: dict[str, Any], asked: dict[str, str]) -> bool:
        of_category = "category" not in asked or str(row["category"][0]["id"]) == asked["category"]
        return of_category and asked["fromDate"] <= row["publishedTime"][:10] <= asked["toDate"]


def test_lists_that_overflow_are_asked_in_halves_and_a_day_by_category(tmp_path: Path) -> None:
    days = ("2026-11-20", "2026-11-24", "2026-11-24", "2026-11-24")
    site = NewsWeb(
        *(
            message(number, category, publishedTime=f"{day}T07:00:00.000Z")
            for number, (day, category) in enumerate(zip(days, (1001, 1002, 1006, 1104), strict=True), start=1)
        )
    )
    with asking(site, tmp_path, datetime(2026, 11, 25, tzinfo=UTC)) as http:
        arrivals = fetched(http, "no.newsweb", Cursor("2026-11-20"))
    names = [arrival.name for arrival in arrivals]
    assert sorted(name for name in names if name.startswith("message")) == [
        "message-1.json",
        "message-2.json",
        "message-3.json",
    ]
    assert "list-2026-11-24-2026-11-24-1006.json" in names
    assert arrivals[-1].cursor == Cursor("2026-11-26")
    assert [arrival.cursor for arrival in arrivals[:-1]] == [None] * (len(arrivals) - 1)


def test_announcements_go_on_from_the_last_day_with_a_day_more(tmp_path: Path) -> None:
    site = NewsWeb()
    with asking(site, tmp_path, datetime(2026, 11, 25, tzinfo=UTC)) as http:
        fetched(http, "no.newsweb", Cursor("2026-11-25"))
        assert [parse_qs(urlsplit(target).query)["fromDate"] for target in site.asked[1:]] == [["2026-11-23"]]
        site.asked.clear()
        fetched(http, "no.newsweb")
    assert len(site.asked) > 20  # the first time, more than a year


def test_newsweb_after_a_clock_that_was_ahead_goes_on_from_today(tmp_path: Path) -> None:
    site = NewsWeb()
    with asking(site, tmp_path, datetime(2026, 11, 25, tzinfo=UTC)) as http:
        (arrival,) = fetched(http, "no.newsweb", Cursor("2027-11-25"))
    assert [parse_qs(urlsplit(target).query)["fromDate"] for target in site.asked[1:]] == [["2026-11-24"]]
    assert arrival.cursor == Cursor("2026-11-26")


def test_an_error_in_the_envelope_stops_before_it_is_kept(tmp_path: Path) -> None:
    site = NewsWeb()
    site.answer = lambda target: (  # type: ignore[method-assign]
        (200, b'{"api_large":"https://api3.oslo.oslobors.no"}')
        if target == "/urls.json"
        else (200, json.dumps({"header": {"result.val": 9}, "data": {}}).encode())
    )
    with asking(site, tmp_path, NOVEMBER) as http, pytest.raises(FetchError, match="an error in the envelope"):
        fetched(http, "no.newsweb")


def test_the_list_of_shares_comes_whole(registers: Registers, tmp_path: Path) -> None:
    registers.answers["/pd_es/data/stocks/download"] = (200, euronext(share("DNB BANK", "NO0010161896")))
    with asking(registers, tmp_path, NOVEMBER) as http:
        (arrival,) = fetched(http, "no.euronext")
        assert str(arrival.scope) == "full"
        registers.answers["/pd_es/data/stocks/download"] = (200, b"<html>Just a moment</html>")
        with pytest.raises(FetchError):
            fetched(http, "no.euronext")
