"""Single answers of the REST API: who is asked what, under one limit (docs/formats/uk.md 5)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.contract.dataset import FetchedFile
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError, RequestRejectedError
from connectors.kit.http.rate_limit import FetchClock
from connectors.kit.http.set_aside import PAUSES
from connectors.uk.register import API_HOST
from connectors.uk.rest_api import fetch as rest_api_fetch
from connectors.uk.streaming_api import datasets
from pipelines.sources.live import declared_limiters, declared_rates
from tests.connectors.kit.conftest import Answer, Registry, loopback, registry

__all__ = ["loopback", "registry"]  # fixtures
NUMBER = "01234567"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def http(registry: Registry, tmp_path: Path, slept: list[float]) -> Iterator[HttpClient]:
    def sleep(seconds: float) -> None:
        slept.append(seconds)

    clock = FetchClock(now=lambda: NOON, monotonic=lambda: sum(slept), sleep=sleep)
    settings = HttpSettings(
        "t (t@example.com)",
        tmp_path,
        base_urls={API_HOST: f"http://127.0.0.1:{registry.port}"},
        credentials={API_HOST: ("rest-key", "")},
        rates=declared_rates(),
        shared_limiters=declared_limiters(),
    )
    with HttpClient(settings, clock) as made:
        yield made


def answers(**by_path: object) -> Callable[[str, dict[str, str]], Answer]:
    def decide(path: str, _headers: dict[str, str]) -> Answer:
        name = path.partition("?")[0].rpartition("/")[2]
        found = by_path.get(f"_{name}" if name.isdecimal() else name.replace("-", "_"))
        return Answer(status=404) if found is None else Answer(json.dumps(found).encode())

    return decide


def names(arrivals: Iterator[FetchedFile]) -> list[str]:
    return [arrival.name for arrival in arrivals]


def test_a_profile_is_asked_and_the_cases_it_links(http: HttpClient, registry: Registry):
    linked = {"company_name": "X", "links": {"insolvency": f"/company/{NUMBER}/insolvency"}}
    registry.decide = answers(_01234567=linked, insolvency={"cases": []})
    found = names(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}", "profile:99999999"]))
    assert found == [f"checked/{NUMBER}-profile.json", f"checked/{NUMBER}-insolvency.json"]
    assert registry.asked[0][1]["authorization"] == "Basic cmVzdC1rZXk6"


def test_a_filing_history_is_asked_page_by_page(http: HttpClient, registry: Registry):
    pages = iter([{"items": [{}] * 100}, {"items": [{}]}])
    registry.decide = lambda _path, _headers: Answer(json.dumps(next(pages)).encode())
    found = names(rest_api_fetch.fetch(http, None, [f"filing-history:{NUMBER}"]))
    assert found == [f"checked/{NUMBER}-filing-history-0.json", f"checked/{NUMBER}-filing-history-100.json"]
    assert registry.asked[1][0].endswith("start_index=100")


def test_six_hundred_in_five_minutes_are_never_passed(http: HttpClient, registry: Registry, slept: list[float]):
    registry.decide = answers(_01234567={"company_name": "X"})
    assert len(names(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"] * 40))) == 40
    assert sum(slept) >= 39 / 2.0  # two a second are 600 in 300


def test_6_a_key_of_the_stream_is_refused_and_the_setting_named(http: HttpClient, registry: Registry):
    body = b'{"error":"Invalid Authorization","type":"ch:service"}'
    registry.answers = [Answer(body, status=401)]
    with pytest.raises(RequestRejectedError, match=r"FIRM_CREDENTIALS needs api\.company-information"):
        names(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"] * 9))
    assert len(registry.asked) == 1


def collected(arrivals: Iterator[FetchedFile]) -> tuple[list[str], FetchError | None]:
    """Names of what came, and what ended it."""
    found: list[str] = []
    try:
        for arrival in arrivals:
            found += [arrival.name]  # at once: what came before an error counts
    except FetchError as error:
        return found, error
    return found, None


@pytest.mark.parametrize("broken", [Answer(b"[1]"), Answer(status=500), Answer(b"<html>"), Answer(b'{"links": 7}')])
def test_one_answer_that_fails_keeps_no_other_back(http: HttpClient, registry: Registry, broken: Answer):
    sound = Answer(b'{"company_name": "X"}')
    registry.decide = lambda path, _: broken if path.endswith("2") else sound
    found, error = collected(rest_api_fetch.fetch(http, None, [f"profile:0000000{n}" for n in range(1, 5)]))
    assert found == [f"checked/0000000{n}-profile.json" for n in (1, 3, 4)]
    assert error is not None
    assert "00000002" in error.url


def test_an_api_that_is_down_is_not_asked_about_everybody(http: HttpClient, registry: Registry) -> None:
    registry.answers = [Answer(status=500)]
    found, error = collected(rest_api_fetch.fetch(http, None, [f"profile:000000{n}" for n in range(10, 60)]))
    assert (found, len(registry.asked)) == ([], len(PAUSES) + 1)
    assert error is not None


def test_an_outage_of_five_requests_costs_no_company_its_answer(http: HttpClient, registry: Registry) -> None:
    sound, fails = Answer(b'{"company_name": "X"}'), Answer(status=500)
    registry.decide = lambda _path, _headers: fails if 3 <= len(registry.asked) <= 7 else sound
    subjects = [f"profile:000000{n}" for n in range(10, 22)]
    found, error = collected(rest_api_fetch.fetch(http, None, subjects))
    assert error is None
    assert sorted(found) == [f"checked/000000{n}-profile.json" for n in range(10, 22)]


def test_profile_whose_insolvency_cases_fail_is_left_to_the_next_run_whole(
    http: HttpClient, registry: Registry
) -> None:
    linked = Answer(json.dumps({"links": {"insolvency": f"/company/{NUMBER}/insolvency"}}).encode())
    registry.decide = lambda path, _headers: Answer(status=500) if path.endswith("insolvency") else linked
    found, error = collected(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"]))
    assert (found, error is None) == ([], False), "else nothing would ask about its cases again"


def test_a_limit_that_is_reached_is_waited_out(http: HttpClient, registry: Registry, slept: list[float]):
    until = str(int(NOON.timestamp()) + 240)
    crowded = Answer(status=429, headers={"X-Ratelimit-Reset": until, "Date": "Fri, 20 Nov 2026 12:00:00 GMT"})
    registry.answers = [crowded, Answer(b'{"company_name": "X"}')]
    assert names(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"])) == [f"checked/{NUMBER}-profile.json"]
    assert sum(slept) >= 240


def test_without_a_key_nobody_is_asked(tmp_path: Path):
    with HttpClient(HttpSettings("t (t@example.com)", tmp_path)) as http:
        assert names(rest_api_fetch.fetch(http, None, [f"profile:{NUMBER}"])) == []


def test_answers_are_read_by_what_they_were_asked_for(bench):
    cases = {"cases": [{"type": "moratorium", "number": "1"}]}
    item = {"transaction_id": "T1", "links": {"self": f"/company/{NUMBER}/filing-history/T1"}}
    for body, name, table in (
        (cases, f"checked/{NUMBER}-insolvency.json", "uk_insolvency"),
        ({"items": [item]}, f"checked/{NUMBER}-filing-history-0.json", "uk_filing_history"),
        ({"company_name": "X", "company_number": NUMBER}, f"checked/{NUMBER}-profile.json", "uk_profiles"),
    ):
        assert list(bench.read(datasets.CHECKED, json.dumps(body).encode(), name).rows) == [table]


def queue_pages(registry: Registry, *pages: dict[str, object]) -> None:
    told = iter(pages)
    registry.decide = lambda _path, _headers: Answer(json.dumps(next(told)).encode())


def test_a_list_whose_pages_are_shorter_than_requested_is_read_to_its_total(http: HttpClient, registry: Registry):
    queue_pages(
        registry, {"total_count": 60, "items": [{}] * 50}, {"total_count": 60, "start_index": 50, "items": [{}] * 10}
    )
    found = names(rest_api_fetch.fetch(http, None, [f"filing-history:{NUMBER}"]))
    assert found == [f"checked/{NUMBER}-filing-history-0.json", f"checked/{NUMBER}-filing-history-50.json"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ({"total_count": 200, "items": []}, "it ends after 100 of 200 items"),
        ({"total_count": 200, "start_index": 0, "items": [{}] * 100}, "the items from 0 on, requested from 100"),
    ],
)
def test_a_list_with_a_missing_or_repeated_page_is_an_error(
    http: HttpClient, registry: Registry, second: dict[str, object], said: str
):
    first = {"total_count": 200, "start_index": 0, "items": [{}] * 100}
    registry.decide = lambda path, _headers: Answer(
        json.dumps(first if path.endswith("start_index=0") else second).encode()
    )
    found, error = collected(rest_api_fetch.fetch(http, None, [f"filing-history:{NUMBER}"]))
    assert found == []
    assert said in str(error)
