"""The sandbox as filings.xbrl.org and GLEIF, asked by the connectors that ask the real ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import Cursor, FetchedFile
from connectors.esef import fetch as esef_fetch
from connectors.esef.dataset import esef_dataset
from connectors.gleif.level1.dataset import lei_dataset
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError
from connectors.kit.http.retry import RetryPolicy
from sandbox import SandboxServer, World, serve
from sandbox.shared import esef_http, gleif_http

WORLD = World(seed=3, companies=150, days=4, markets=("NO",))
ESEF = esef_dataset("NO")
LEI = lei_dataset("NO", {"no_esef_index": "lei"})


@pytest.fixture(scope="module")
def registry() -> Iterator[SandboxServer]:
    with serve(WORLD) as running:
        for _ in range(3):
            running.advance()
        yield running


@pytest.fixture
def http(registry: SandboxServer, tmp_path: Path) -> Iterator[HttpClient]:
    bases: dict[str, str] = {"filings.xbrl.org": registry.url, "api.gleif.org": registry.url}
    retry = RetryPolicy(first=0.001, longest=0.002, max_total_seconds=1.0)
    with HttpClient(
        HttpSettings("firmdata/test", tmp_path, base_urls=bases, default_rate=10_000.0, retry_policy=retry)
    ) as client:
        yield client


def bodies(arrivals: Iterator[FetchedFile]) -> list[tuple[str, bytes, str | None]]:
    return [(made.name, made.body.read(), None if made.cursor is None else made.cursor.value) for made in arrivals]


def test_reports_come_before_the_page_that_lists_them_and_once(http: HttpClient) -> None:
    fetch = ESEF.fetch
    assert fetch is not None
    first = bodies(fetch(http, None, ()))
    known = esef_http.filing_entries(WORLD, 3, "NO")
    assert len(known) > 20
    names = [name for name, _, _ in first]
    assert names[-1].startswith("index-")
    assert sorted(names[:-1]) == sorted(entry.json_url[1:] for entry in known if entry.json_url)
    last = first[-1][2]
    entries = [entry["attributes"] for entry in json.loads(first[-1][1])["data"]]
    newest = max(entry["processed"] for entry in entries)
    at = [entry["fxo_id"] for entry in entries if entry["processed"] == newest]
    assert json.loads(last or "") == {"since": newest, "owed": {}, "at": at}
    assert bodies(fetch(http, Cursor(str(last)), ())) == []


def test_pages_are_followed_and_a_run_takes_only_some(http: HttpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    fetch = ESEF.fetch
    assert fetch is not None
    whole = {name: body for name, body, _ in bodies(fetch(http, None, ())) if not name.startswith("index-")}
    monkeypatch.setattr(esef_fetch, "PAGE", 7)
    monkeypatch.setattr(esef_fetch, "PAGES", 3)
    found: dict[str, bytes] = {}
    cursor: Cursor | None = None
    for _ in range(40):
        some = bodies(fetch(http, cursor, ()))
        if not some:
            break
        assert sum(name.startswith("index-") for name, _, _ in some) <= 3
        found |= {name: body for name, body, _ in some if not name.startswith("index-")}
        cursor = Cursor(some[-1][2] or "")
    assert found == whole


def test_a_later_day_brings_only_what_was_processed_since(http: HttpClient) -> None:
    fetch = ESEF.fetch
    assert fetch is not None
    before = max(map(esef_http.processed_at, esef_http.filing_entries(WORLD, 2, "NO")))
    fresh = [
        name
        for name, _, _ in bodies(fetch(http, Cursor(json.dumps({"since": before})), ()))
        if not name.startswith("index-")
    ]
    due = [entry for entry in esef_http.filing_entries(WORLD, 3, "NO") if esef_http.processed_at(entry) > before]
    assert due
    assert sorted(fresh) == sorted(entry.json_url[1:] for entry in due if entry.json_url)


def test_a_report_that_cannot_be_had_is_owed_and_keeps_nobody_from_the_others(
    registry: SandboxServer, http: HttpClient
) -> None:
    fetch = ESEF.fetch
    assert fetch is not None
    path = min(entry.json_url for entry in esef_http.filing_entries(WORLD, 3, "NO") if entry.json_url)
    registry.troubles.by_path[path] = "html"
    try:
        names, cursor = _until_it_breaks(fetch(http, None, ()))
        assert path[1:] not in names
        assert names[-1].startswith("index-")
        again, same = _until_it_breaks(fetch(http, cursor, ()))
        assert (again, same) == ([], None)
    finally:
        registry.troubles.by_path.clear()
    (owed,) = bodies(fetch(http, cursor, ()))
    assert owed[0] == path[1:]
    assert bodies(fetch(http, Cursor(owed[2] or ""), ())) == []


def test_a_site_in_trouble_is_left_alone(registry: SandboxServer, http: HttpClient) -> None:
    fetch = ESEF.fetch
    assert fetch is not None
    registry.troubles.by_path["/ESEF/"] = "html"
    before = len(registry.requests)
    try:
        assert _until_it_breaks(fetch(http, None, ())) == ([], None)
    finally:
        registry.troubles.by_path.clear()
    assert len(registry.requests) - before == 1 + 5


def _until_it_breaks(arrivals: Iterator[FetchedFile]) -> tuple[list[str], Cursor | None]:
    """Names of what came, and the last cursor."""
    came: list[FetchedFile] = []
    with pytest.raises(FetchError):
        came.extend(arrivals)
    cursors = [arrival.cursor for arrival in came if arrival.cursor is not None]
    return [arrival.name for arrival in came], cursors[-1] if cursors else None


def test_the_index_errs_as_the_real_one_does(http: HttpClient) -> None:
    site = "https://filings.xbrl.org/api/filings"
    answers = {
        query: http.get(f"{site}?{query}", allow=(400, 500)).status
        for query in ("filter[error_count]=0", "filter[abcdef]=0", "page[number]=-1", "filter[country]=FI")
    }
    assert list(answers.values()) == [500, 400, 500, 200]


def test_every_lei_of_the_world_is_answered_with_its_company(http: HttpClient) -> None:
    fetch = LEI.fetch
    assert fetch is not None
    leis = {entry.lei: entry.company.number for entry in esef_http.filing_entries(WORLD, 3, "NO")}
    assert all(map(is_lei, leis))
    strange = "9845006BFDJF0375E466"
    (arrival,) = fetch(http, None, [*leis, strange])
    data = json.loads(arrival.body.read())["data"]
    typed = {made["id"]: made["attributes"]["entity"]["registeredAs"].replace(" ", "") for made in data}
    assert typed == leis


def test_leis_are_asked_for_a_hundred_at_a_time(registry: SandboxServer, http: HttpClient) -> None:
    fetch = LEI.fetch
    assert fetch is not None
    many = [gleif_http.company_lei(WORLD.company("NO", place, 3)) for place in range(150)]
    before = registry.requests.count("GET /api/v1/lei-records")
    found = [json.loads(arrival.body.read())["data"] for arrival in fetch(http, None, many)]
    assert registry.requests.count("GET /api/v1/lei-records") - before == 2
    assert [len(data) for data in found] == [100, 50]


def test_a_world_has_the_odd_corners() -> None:
    entries = esef_http.filing_entries(WORLD, 3, "NO")
    assert {entry.language for entry in entries} == {"no", "en", None}
    page = json.loads(esef_http.filings_page(WORLD, 3, {"page[size]": "200"}).body)["data"]
    ends = [(item["attributes"]["fxo_id"][21:31], item["attributes"]["period_end"]) for item in page]
    assert any(end != said for end, said in ends)
    assert esef_http.filing_entries(WORLD, 3, "FI") == ()


def test_what_other_markets_name_is_asked_of_them() -> None:
    wants = LEI.subjects_to_fetch
    assert wants is not None
    lei = gleif_http.company_lei(WORLD.company("NO", 0, 0))
    assert list(wants({"no_esef_index": pl.DataFrame({"lei": [lei]})})) == [lei]
