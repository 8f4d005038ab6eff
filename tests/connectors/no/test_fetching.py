"""Fetching, against a server on the loopback that answers as data.brreg.no is documented to."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.retry import RetryPolicy
from connectors.kit.http.set_aside import PAUSES
from connectors.no import NORWAY
from connectors.no.enheter.dataset import BULK_ACCEPT
from connectors.no.regnskap import fetch as accounts_fetch
from connectors.no.regnskap.cursor import FetchedAccounts
from tests.answering import Quiet, answering

BULK = "/enhetsregisteret/api/enheter/lastned/csv"
ACCOUNTS = "/regnskapsregisteret/regnskap/"
ENHETER, REGNSKAP = NORWAY.dataset("no.enheter"), NORWAY.dataset("no.regnskap")


@dataclass
class Register:
    """What the server answers by path, and what it was asked."""

    answers: dict[str, tuple[int, bytes, dict[str, str]]] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    url: str = ""

    def say(self, path: str, body: bytes, status: int = 200, **headers: str) -> None:
        self.answers[path] = (status, body, headers)


@pytest.fixture
def register() -> Iterator[Register]:
    known = Register()

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known.asked.append((self.path, self.headers.get("Accept")))
            status, body, headers = known.answers.get(self.path, (404, b"", {}))
            if headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
                status, body = 304, b""
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with answering(Handler) as known.url:
        yield known


STILL = FetchClock(sleep=lambda _: None)  # no time passes


@pytest.fixture
def http(register: Register, tmp_path: Path) -> Iterator[HttpClient]:
    settings = HttpSettings(
        "test",
        tmp_path,
        base_urls={"data.brreg.no": register.url},
        default_rate=1e6,
        retry_policy=RetryPolicy(attempts=2),
    )
    with HttpClient(settings, STILL) as client:
        yield client


def bulk(http: HttpClient, cursor: Cursor | None = None) -> list[FetchedFile]:
    assert ENHETER.fetch is not None
    return list(ENHETER.fetch(http, cursor, ()))


def accounts(http: HttpClient, subjects: list[str], cursor: Cursor | None = None) -> list[FetchedFile]:
    assert REGNSKAP.fetch is not None
    return list(REGNSKAP.fetch(http, cursor, subjects))


def test_the_bulk_is_full_and_fetched_once_per_etag(http: HttpClient, register: Register) -> None:
    body = gzip.compress(b"organisasjonsnummer,navn\n")
    register.say(BULK, body, ETag='"a1"')
    (arrival,) = bulk(http)
    assert (arrival.scope, arrival.body.read()) == (Scope.FULL, body)
    assert register.asked == [(BULK, BULK_ACCEPT)]
    assert bulk(http, arrival.cursor) == []
    register.say(BULK, body, ETag='"a2"')
    assert len(bulk(http, arrival.cursor)) == 1


def test_accounts_are_asked_once_per_company_and_year(http: HttpClient, register: Register) -> None:
    register.say(ACCOUNTS + "923609016", json.dumps([{"id": 1}]).encode())
    subjects = ["923609016:2025", "984851006:2025"]
    (arrival,) = accounts(http, subjects)
    assert (arrival.name, arrival.scope, arrival.http_status) == ("923609016.json", Scope.PART, 200)
    assert len(register.asked) == 2
    assert accounts(http, subjects, arrival.cursor) == []
    assert len(register.asked) == 2
    assert len(accounts(http, ["923609016:2026"], arrival.cursor)) == 1


def test_404_is_none_and_500_arrives_and_both_are_remembered(http: HttpClient, register: Register) -> None:
    """Pitfall 4: 500 is permanent for banks."""
    register.say(ACCOUNTS + "984851006", b'{"status":"500","error":"E","path":"/regnskap/984851006"}', 500)
    arrivals = accounts(http, ["999999999:2025", "984851006:2025"])
    assert [arrival.http_status for arrival in arrivals] == [500]
    assert accounts(http, ["999999999:2025", "984851006:2025"], arrivals[-1].cursor) == []


@pytest.mark.parametrize("body", [b"Too many requests", b"<html>Vent</html>"])
def test_text_with_status_200_is_asked_again_next_time(http: HttpClient, register: Register, body: bytes) -> None:
    """Pitfall 5."""
    register.say(ACCOUNTS + "923609016", body)
    register.say(ACCOUNTS + "984851006", b"[]")
    arrivals: list[FetchedFile] = []
    with pytest.raises((SourceUnavailableError, UnexpectedBodyError)):  # so that its subject stays in the backlog
        arrivals += REGNSKAP.fetch(http, None, ["923609016:2025", "984851006:2025"])
    (arrival,) = arrivals
    assert arrival.name == "984851006.json"
    register.say(ACCOUNTS + "923609016", b"[]")
    assert [later.name for later in accounts(http, ["923609016:2025"], arrival.cursor)] == ["923609016.json"]


def test_what_arrived_is_handed_over_before_an_outage_is_told(http: HttpClient, register: Register) -> None:
    register.say(ACCOUNTS + "923609016", b"[]")
    register.say(ACCOUNTS + "984851006", b"", 503)
    assert REGNSKAP.fetch is not None
    coming = REGNSKAP.fetch(http, None, ["923609016:2025", "984851006:2025"])
    arrival = next(coming)
    assert FetchedAccounts.of(arrival.cursor).has_accounts("923609016", "2025")
    with pytest.raises(SourceUnavailableError):
        next(coming)


def test_fetch_accounts_company_that_stays_unavailable_stops_no_other(http: HttpClient, register: Register) -> None:
    gone = "984851006"
    register.say(ACCOUNTS + gone, b"", 503)
    others = [f"92360{n:04}" for n in range(20)]
    for number in others:
        register.say(ACCOUNTS + number, b"[]")
    subjects = [f"{gone}:2025", *(f"{number}:2025" for number in others)]
    arrivals: list[FetchedFile] = []
    with pytest.raises(SourceUnavailableError, match=gone):
        arrivals += REGNSKAP.fetch(http, None, subjects)
    assert [arrival.name for arrival in arrivals] == [f"{number}.json" for number in others]
    assert sum(path.endswith(gone) for path, _ in register.asked) == 2 * 2  # two rounds of two attempts
    register.say(ACCOUNTS + gone, b"[]")
    assert [later.name for later in accounts(http, subjects, arrivals[-1].cursor)] == [f"{gone}.json"]


def test_fetch_accounts_company_without_an_answer_in_seven_runs_waits_for_its_next_turn() -> None:
    asked = FetchedAccounts()
    for _ in range(7):
        assert not asked.has_accounts("984851006", "2025@2026-11")
        asked.failed("984851006", "2025@2026-11")
        asked = FetchedAccounts.of(asked.cursor())
    assert asked.has_accounts("984851006", "2025@2026-11")
    assert not asked.has_accounts("984851006", "2025@2026-12")


def test_fetch_accounts_register_that_stops_answering_ends_the_run(http: HttpClient, register: Register) -> None:
    subjects = [f"92360{n:04}:2025" for n in range(40)]
    for subject in subjects:
        register.say(ACCOUNTS + subject[:9], b"", 503)
    with pytest.raises(SourceUnavailableError):
        accounts(http, subjects)
    assert len(register.asked) == 2 * (len(PAUSES) + 1)


def test_fetch_accounts_budget_leaves_the_rest_to_the_next_run(
    http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_fetch, "BUDGET", 2)
    subjects = [f"92360{n:04}:2025" for n in range(5)]
    for subject in subjects:
        register.say(ACCOUNTS + subject[:9], b"[]")
    cursor: Cursor | None = None
    told: list[list[tuple[str, bool, tuple[int, str] | None]]] = []
    for _ in range(3):
        arrivals = accounts(http, subjects, cursor)
        cursor = arrivals[-1].cursor
        told.append([(one.name[5:9], one.has_more, one.remaining) for one in arrivals])
    assert told == [
        [("0000", False, None), ("0001", True, (3, "companies"))],
        [("0002", False, None), ("0003", True, (1, "companies"))],
        [("0004", False, None)],
    ]


def test_fetch_accounts_of_companies_without_any_is_not_repeated_by_the_next_run(
    http: HttpClient, register: Register
) -> None:
    subjects = [f"92360{n:04}:2025" for n in range(3)]  # 404 for all
    [arrival] = accounts(http, subjects)
    assert arrival.http_status == 404, "the cursor is saved with a file"
    assert accounts(http, subjects, arrival.cursor) == []
    assert len(register.asked) == 3


def test_fetch_accounts_budget_counts_companies_without_accounts(
    http: HttpClient, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_fetch, "BUDGET", 2)
    arrivals = accounts(http, [f"92360{n:04}:2025" for n in range(5)])
    assert [(one.has_more, one.remaining) for one in arrivals] == [(True, (3, "companies"))]
    assert len(register.asked) == 2


def test_wanted_are_those_that_filed_newest_first() -> None:
    assert REGNSKAP.subjects_to_fetch is not None
    rows = pl.DataFrame(
        {
            "organisasjonsnummer": ["923609016", "984851006", "999288774"],
            "sisteInnsendteAarsregnskap": ["2024", None, "2025"],
        }
    )
    assert list(REGNSKAP.subjects_to_fetch({"no_enheter": rows})) == ["999288774:2025", "923609016:2024"]
    assert list(REGNSKAP.subjects_to_fetch({})) == []


class TestAsked:
    def test_a_cursor_remembers(self) -> None:
        asked = FetchedAccounts()
        for number, year in (("923609016", "2025"), ("810000000", "2024"), ("000000001", "2025")):
            asked.add(number, year)
        again = FetchedAccounts.of(asked.cursor())
        assert again.has_accounts("923609016", "2025")
        assert again.has_accounts("923609016", "2024")
        assert again.has_accounts("000000001", "2025")
        assert not again.has_accounts("810000000", "2025")
        assert not again.has_accounts("999999999", "2020")
        assert again.cursor() == asked.cursor()

    @pytest.mark.parametrize("text", ["", "%%%", '{"etag": "x"}'])
    def test_a_cursor_that_does_not_read_remembers_nothing(self, text: str) -> None:
        assert len(FetchedAccounts.of(Cursor(text))) == 0
