"""Asking one after the other, by every dataset that does so: what fails keeps nobody, and no cursor runs ahead."""

from collections.abc import Callable, Iterator

import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError
from connectors.us import fetch_each
from connectors.us.companyfacts import fetch as companyfacts_fetch
from connectors.us.filing_headers import fetch as filing_headers_fetch
from connectors.us.ownership import dataset as ownership_dataset
from connectors.us.submissions import fetch as submissions_fetch
from tests.connectors.us.conftest import Sec

Asks = Callable[[HttpClient, Cursor | None, list[str]], Iterator[FetchedFile]]
WAYS: dict[str, tuple[Asks, str, bytes]] = {
    "us.facts": (companyfacts_fetch.fetch_responses, "10-Q", b'{"facts":{}}'),
    "us.filer": (submissions_fetch.fetch_responses, "10-Q", b'{"filings":{"files":[]}}'),
    "us.headers": (filing_headers_fetch.fetch, "8-K", b"<html>header</html>"),
    "us.insiders": (ownership_dataset.fetch_filings, "4", b"-----BEGIN"),
}
MANY = 10


def subjects(form: str) -> list[str]:
    """Each of a filer of its own: its number stands in every address."""
    return [f"{place:010}-26-000001:{place:010}:{form}:2026-11-20" for place in range(1, MANY + 1)]


def numbers(arrivals: list[FetchedFile]) -> list[int]:
    return [int("".join(sign for sign in arrival.name if sign.isdigit())[:10]) for arrival in arrivals]


def asked(
    ways: Asks, http: HttpClient, cursor: Cursor | None, form: str
) -> tuple[list[FetchedFile], FetchError | None]:
    found: list[FetchedFile] = []
    try:
        found.extend(ways(http, cursor, subjects(form)))  # keeps what came before an error
    except FetchError as error:
        return found, error
    return found, None


def failing(sec: Sec, body: bytes, *broken: int) -> None:
    def answer(path: str) -> tuple[int, bytes]:
        return (500, b"") if any(f"{number:010}" in path for number in broken) else (200, body)

    sec.answer = answer


@pytest.mark.parametrize("way", WAYS)
def test_one_that_fails_keeps_nobody_and_is_asked_again(way: str, sec: Sec, http: HttpClient) -> None:
    ways, form, body = WAYS[way]
    failing(sec, body, 3)
    found, error = asked(ways, http, None, form)
    assert error is not None
    assert numbers(found) == [1, 2, 4, 5, 6, 7, 8, 9, 10]
    failing(sec, body)
    again, error = asked(ways, http, found[-1].cursor, form)
    assert (numbers(again), error) == ([3], None)


@pytest.mark.parametrize("way", WAYS)
def test_where_several_fail_the_source_is_left_alone(way: str, sec: Sec, http: HttpClient) -> None:
    ways, form, body = WAYS[way]
    failing(sec, body, *range(2, MANY + 1))
    found, error = asked(ways, http, None, form)
    assert error is not None
    assert numbers(found) == [1]
    assert len(sec.asked) == 1 + fetch_each.PATIENCE


@pytest.mark.parametrize("every", [1, 2, 3, 50])
@pytest.mark.parametrize("way", WAYS)
def test_whatever_was_handed_over_is_all_that_a_cursor_tells_of(
    way: str, every: int, sec: Sec, http: HttpClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    ways, form, body = WAYS[way]
    for name in ("EACH_FILING", "EACH_FILER"):
        monkeypatch.setattr(fetch_each, name, every)
    failing(sec, body)
    whole, error = asked(ways, http, None, form)
    assert (numbers(whole), error) == (list(range(1, MANY + 1)), None)
    known = 0
    for place, arrival in enumerate(whole, 1):
        if arrival.cursor is not None:
            rest, _ = asked(ways, http, arrival.cursor, form)
            assert numbers(rest) == list(range(place + 1, MANY + 1))
            known = place
    assert known == MANY
