"""Single answers of the REST API: who is asked what, under one limit (FORMAT uk 5)."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from connectors.declare import Arrival
from connectors.kit.errors import Refused, WrongBody
from connectors.kit.http import Http, HttpSettings
from connectors.kit.limits import Clock
from connectors.uk import live, rest
from pipelines.registries import declared_limiters, declared_rates
from tests.connectors.kit.conftest import Answer, Registry, loopback, registry

__all__ = ["loopback", "registry"]  # fixtures
NUMBER = "01234567"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def http(registry: Registry, tmp_path: Path, slept: list[float]) -> Iterator[Http]:
    def sleep(seconds: float) -> None:
        slept.append(seconds)

    clock = Clock(now=lambda: NOON, monotonic=lambda: sum(slept), sleep=sleep)
    settings = HttpSettings(
        "t (t@example.com)",
        tmp_path,
        bases={rest.HOST: f"http://127.0.0.1:{registry.port}"},
        credentials={rest.HOST: ("rest-key", "")},
        rates=declared_rates(),
        together=declared_limiters(),
    )
    with Http(settings, clock) as made:
        yield made


def answers(**by_path: object) -> Callable[[str, dict[str, str]], Answer]:
    def decide(path: str, _headers: dict[str, str]) -> Answer:
        name = path.partition("?")[0].rpartition("/")[2]
        found = by_path.get(f"_{name}" if name.isdecimal() else name.replace("-", "_"))
        return Answer(status=404) if found is None else Answer(json.dumps(found).encode())

    return decide


def names(arrivals: Iterator[Arrival]) -> list[str]:
    return [arrival.name for arrival in arrivals]


def test_a_profile_is_asked_and_the_cases_it_links(http: Http, registry: Registry):
    linked = {"company_name": "X", "links": {"insolvency": f"/company/{NUMBER}/insolvency"}}
    registry.decide = answers(_01234567=linked, insolvency={"cases": []})
    found = names(rest.fetch(http, None, [f"profile:{NUMBER}", "profile:99999999"]))
    assert found == [f"checked/{NUMBER}-profile.json", f"checked/{NUMBER}-insolvency.json"]
    assert registry.asked[0][1]["authorization"] == "Basic cmVzdC1rZXk6"


def test_a_filing_history_is_asked_page_by_page(http: Http, registry: Registry):
    pages = iter([{"items": [{}] * 100}, {"items": [{}]}])
    registry.decide = lambda _path, _headers: Answer(json.dumps(next(pages)).encode())
    found = names(rest.fetch(http, None, [f"filing-history:{NUMBER}"]))
    assert found == [f"checked/{NUMBER}-filing-history-0.json", f"checked/{NUMBER}-filing-history-100.json"]
    assert registry.asked[1][0].endswith("start_index=100")


def test_six_hundred_in_five_minutes_are_never_passed(http: Http, registry: Registry, slept: list[float]):
    registry.decide = answers(_01234567={"company_name": "X"})
    assert len(names(rest.fetch(http, None, [f"profile:{NUMBER}"] * 40))) == 40
    assert sum(slept) >= 39 / 2.0  # two a second are 600 in 300


def test_a_key_of_the_stream_is_refused_and_told(http: Http, registry: Registry):
    body = b'{"error":"Invalid Authorization","type":"ch:service"}'
    registry.answers = [Answer(body, status=401)]
    with pytest.raises(Refused, match="401"):
        names(rest.fetch(http, None, [f"profile:{NUMBER}"]))


def test_what_is_no_profile_is_not_believed(http: Http, registry: Registry):
    registry.answers = [Answer(b"[1]")]
    with pytest.raises(WrongBody, match="a company profile was due"):
        names(rest.fetch(http, None, [f"profile:{NUMBER}"]))


def test_without_a_key_nobody_is_asked(tmp_path: Path):
    with Http(HttpSettings("t (t@example.com)", tmp_path)) as http:
        assert names(rest.fetch(http, None, [f"profile:{NUMBER}"])) == []


def test_answers_are_read_by_what_they_were_asked_for(bench):
    cases = {"cases": [{"type": "moratorium", "number": "1"}]}
    item = {"transaction_id": "T1", "links": {"self": f"/company/{NUMBER}/filing-history/T1"}}
    for body, name, table in (
        (cases, f"checked/{NUMBER}-insolvency.json", "uk_insolvency"),
        ({"items": [item]}, f"checked/{NUMBER}-filing-history-0.json", "uk_filing_history"),
        ({"company_name": "X", "company_number": NUMBER}, f"checked/{NUMBER}-profile.json", "uk_profiles"),
    ):
        assert list(bench.read(live.CHECKED, json.dumps(body).encode(), name).rows) == [table]
