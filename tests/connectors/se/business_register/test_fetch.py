"""Walking through SCB's register: pages, cursors, the key, and answers that are no end and no statement."""

import json

import pytest

from connectors.contract.dataset import Cursor, FetchedFile, Scope
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from connectors.se.business_register import fetch as fetching
from tests.connectors.se.bulk_files import ONE, THREE, TWO
from tests.connectors.se.conftest import Answer, Asked, Registry
from tests.connectors.se.register_files import REGISTER, legal_unit, page

INFO, COUNT, FULL = "/v1/api-info", "/v1/juridiskaenheter/count", "/v1/juridiskaenheter/full"
FIRST = f"{FULL}?limit=5000"
KEY = "register-key"


def place(cursor: int) -> str:
    return f"{FIRST}&cursorId={cursor}"


@pytest.fixture
def register(registry: Registry) -> Registry:
    """Three units on two pages."""
    registry.say(INFO, json.dumps({"apiNamn": "SCB", "senasteUppdateringsDatum": "2026-11-15"}).encode())
    registry.say(COUNT, b'{"count":3,"path":"/juridiskaenheter"}')
    registry.say(FIRST, page(legal_unit(ONE), legal_unit(TWO), following=17))
    registry.say(place(17), page(legal_unit(THREE)))
    return registry


def walk_into(given: list[FetchedFile], http: HttpClient) -> None:
    """Collects what a walk yields before it fails."""
    assert REGISTER.fetch is not None
    given.extend(REGISTER.fetch(http, None, ()))


def walk(http: HttpClient, cursor: Cursor | None = None) -> list[FetchedFile]:
    assert REGISTER.fetch is not None
    return list(REGISTER.fetch(http, cursor, ()))


def test_register_is_fetched_page_by_page_with_the_key_in_its_header(register: Registry, http: HttpClient) -> None:
    files = walk(http)
    assert [file.name for file in files] == ["juridiskaenheter-first.json", "juridiskaenheter-17.json"]
    assert {file.scope for file in files} == {Scope.PART}
    assert register.paths == [INFO, COUNT, FIRST, place(17)]
    assert {asked.headers["x-api-key"] for asked in register.asked} == {KEY}
    assert [asked.headers.get("authorization") for asked in register.asked] == [None] * 4
    assert not any(KEY in str((file.url, file.cursor, file.response_headers)) for file in files)


def test_register_without_a_key_is_not_requested(register: Registry, tmp_path) -> None:
    settings = HttpSettings("test (test@example.com)", tmp_path, {"apiafr.scb.se": register.url})
    with HttpClient(settings) as client:
        assert walk(client) == []
    assert register.asked == []


def test_complete_walk_is_repeated_only_after_an_update(register: Registry, http: HttpClient) -> None:
    done = walk(http)[-1].cursor
    register.asked.clear()
    assert walk(http, done) == []
    assert register.paths == [INFO]
    register.say(INFO, b'{"senasteUppdateringsDatum":"2026-11-16"}')
    assert len(walk(http, done)) == 2


def test_broken_walk_goes_on_at_the_page_that_is_missing(register: Registry, http: HttpClient) -> None:
    register.say(place(17), b"{}", 503)
    given: list[FetchedFile] = []
    with pytest.raises(SourceUnavailableError):
        walk_into(given, http)
    assert [file.name for file in given] == ["juridiskaenheter-first.json"]
    register.say(place(17), page(legal_unit(THREE)))
    register.asked.clear()
    rest = walk(http, given[-1].cursor)
    assert [file.name for file in rest] == ["juridiskaenheter-17.json"]
    assert register.paths == [COUNT, place(17)]
    assert walk(http, rest[-1].cursor) == []


def test_cursor_that_the_register_no_longer_knows_begins_anew(register: Registry, http: HttpClient) -> None:
    cursor = walk(http)[0].cursor
    register.say(place(17), b'{"status":400}', 400)
    assert cursor is not None
    register.say(FIRST, page(legal_unit(ONE), legal_unit(TWO), legal_unit(THREE)))
    assert [file.name for file in walk(http, cursor)] == ["juridiskaenheter-first.json"]


def test_too_many_requests_are_waited_for(register: Registry, http: HttpClient) -> None:
    answers: list[Answer] = [(429, b"{}", {"Retry-After": "1"}), (200, page(legal_unit(THREE)), {})]

    def next_answer(_: Asked) -> Answer:
        return answers.pop(0)

    register.answers[place(17)] = next_answer
    assert len(walk(http)) == 2
    register.answers[place(17)] = (429, b"{}", {})
    with pytest.raises(SourceUnavailableError):
        walk(http)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("path", [INFO, COUNT, FIRST])
def test_refused_key_says_what_to_set_and_nothing_secret(
    register: Registry, http: HttpClient, status: int, path: str
) -> None:
    register.say(path, b'{"title":"Invalid or missing API key"}', status)
    with pytest.raises(RequestRejectedError, match=r"FIRM_CREDENTIALS needs apiafr\.scb\.se=KEY:") as told:
        walk(http)
    assert KEY not in str(told.value)


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        (page(following=None), "without units"),
        (page(following=18), "without units"),
        (b'{"jes":[{}]}', "hasMore"),
        (b'{"jes":[{}],"pagination":{"hasMore":"no"}}', "hasMore"),
        (b'{"pagination":{"hasMore":false}}', "hasMore"),
        (b'{"jes":null,"pagination":{"hasMore":false}}', "hasMore"),
        (b'{"jes":[{}],"pagination":{"hasMore":true}}', "no nextCursorId"),
        (b'{"jes":[{}],"pagination":{"hasMore":true,"nextCursorId":null}}', "no nextCursorId"),
        (b'{"jes":[{}],"pagination":{"hasMore":true,"nextCursorId":"18"}}', "no nextCursorId"),
        (page(legal_unit(THREE), following=17), "repeats"),
        (page(legal_unit(THREE))[:-40], "whole"),
    ],
)
def test_page_that_says_neither_more_nor_end_is_not_stored(
    register: Registry, http: HttpClient, second: bytes, reason: str
) -> None:
    register.say(place(17), second)
    given: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match=reason):
        walk_into(given, http)
    assert [file.name for file in given] == ["juridiskaenheter-first.json"]
    register.say(place(17), page(legal_unit(THREE)))
    assert len(walk(http, given[-1].cursor)) == 1


def test_cursor_that_returns_to_an_earlier_page_ends_the_walk(register: Registry, http: HttpClient) -> None:
    register.say(place(17), page(legal_unit(THREE), following=18))
    register.say(place(18), page(legal_unit(THREE), following=17))
    with pytest.raises(UnexpectedBodyError, match="repeats"):
        walk(http)


def test_register_that_ends_before_its_count_is_no_complete_walk(register: Registry, http: HttpClient) -> None:
    register.say(COUNT, b'{"count":300}')
    given: list[FetchedFile] = []
    with pytest.raises(UnexpectedBodyError, match="ends after 3 of 300 units"):
        walk_into(given, http)
    register.say(COUNT, b'{"count":3}')
    assert len(walk(http, given[-1].cursor)) == 1


@pytest.mark.parametrize(("path", "body"), [(INFO, b"{}"), (INFO, b'{"senasteUppdateringsDatum":""}'), (COUNT, b"{}")])
def test_answer_without_its_statement_is_told(register: Registry, http: HttpClient, path: str, body: bytes) -> None:
    register.say(path, body)
    with pytest.raises(UnexpectedBodyError, match="expected"):
        walk(http)


def test_run_has_a_budget_and_says_what_is_left(
    register: Registry, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MOST_PAGES", 1)
    (first,) = walk(http)
    assert (first.has_more, first.remaining) == (True, (1, "units"))
    (last,) = walk(http, first.cursor)
    assert (last.has_more, last.remaining) == (False, None)
