"""Look-ups one by one: what fails is set aside, and a source that keeps failing ends the run."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import FetchError, RequestRejectedError, SourceUnavailableError, UnexpectedBodyError
from connectors.kit.http.response import FetchedResponse
from connectors.kit.http.set_aside import PAUSES, SetAside

URL = "https://registry.example"
BUSY = SourceUnavailableError(URL, 503, "busy")


@dataclass
class Source:
    """Fails by item and attempt; remembers requests and pauses."""

    error: Callable[[int, int], FetchError | None]
    asked: list[int] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def pause(self, url: str, seconds: float) -> None:
        assert url == URL
        self.pauses.append(seconds)

    def request(self, item: int) -> FetchedResponse:
        self.asked.append(item)
        if error := self.error(item, self.asked.count(item)):
            raise error
        return cast("FetchedResponse", item)


def looked_up(source: Source, items: int) -> tuple[list[int], SetAside[int]]:
    aside: SetAside[int] = SetAside(cast("HttpClient", source), URL)
    return [item for item, _ in aside.answers(range(items), source.request)], aside


def test_answers_item_that_fails_once_comes_last() -> None:
    found, aside = looked_up(Source(lambda item, attempt: BUSY if (item, attempt) == (0, 1) else None), 3)
    assert found == [1, 2, 0]
    assert (aside.failed, aside.broken, aside.is_outage) == ([], None, False)


def test_answers_item_that_fails_twice_is_failed_and_stops_no_other() -> None:
    source = Source(lambda item, _: BUSY if item == 1 else None)
    found, aside = looked_up(source, 3)
    assert found == [0, 2]
    assert (aside.failed, aside.broken, aside.is_outage) == ([1], BUSY, False)
    assert source.pauses == []  # one item alone is no outage


def test_answers_failures_in_a_row_are_paused_longer_and_longer_until_they_are_an_outage() -> None:
    source = Source(lambda *_: BUSY)
    found, aside = looked_up(source, 100)
    assert found == []
    assert aside.is_outage
    assert aside.broken is BUSY
    assert source.asked == list(range(len(PAUSES) + 1))
    assert source.pauses == [seconds for seconds in PAUSES if seconds]
    assert sum(source.pauses) >= 30 * 60


def test_answers_burst_that_ends_costs_no_item() -> None:
    requests = iter(range(1_000))
    found, aside = looked_up(Source(lambda *_: BUSY if 5 <= next(requests) < 12 else None), 20)
    assert sorted(found) == list(range(20))
    assert (aside.failed, aside.broken) == ([], None)


def test_answers_source_that_refuses_everything_ends_the_run_without_pauses() -> None:
    refused = RequestRejectedError(URL, 403, "Forbidden")
    source = Source(lambda *_: refused)
    _, aside = looked_up(source, 100)
    assert (aside.is_outage, aside.broken, len(source.asked)) == (True, refused, len(PAUSES) + 1)
    assert source.pauses == []


def test_answers_page_in_place_of_an_answer_is_a_failure_of_its_item() -> None:
    page = UnexpectedBodyError(URL, 200, "a page")
    found, aside = looked_up(Source(lambda item, _: page if item % 2 else None), 8)
    assert found == [0, 2, 4, 6]
    assert (aside.failed, aside.broken, aside.is_outage) == ([1, 3, 5, 7], page, False)
