"""The Danish distributions of the sandbox over HTTP: searches as the register documents them, and documents."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from sandbox import CREDENTIALS, SandboxServer, World, minimum_companies, serve

COMPANIES = "/cvr-permanent/virksomhed/_search"
PERSONS = "/cvr-permanent/deltager/_search"
REPORTS = "/offentliggoerelser/_search"
WRITTEN = "Vrvirksomhed.sidstOpdateret"
ORDER = [{WRITTEN: "asc"}, {"Vrvirksomhed.enhedsNummer": "asc"}]
ACCOUNT = CREDENTIALS["distribution.virk.dk"]


@pytest.fixture(scope="module")
def world() -> World:
    return World(seed=9, companies=minimum_companies("DK", 3), days=3, markets=("DK",))


@pytest.fixture
def registry(world: World) -> Iterator[SandboxServer]:
    with serve(world) as running:
        yield running


@pytest.fixture
def client(registry: SandboxServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=registry.url, auth=ACCOUNT, trust_env=False) as client:
        yield client


def hits(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["timed_out"] is False
    assert found["_shards"]["failed"] == 0
    return found["hits"]["hits"]


def test_companies_and_persons_want_a_password_and_reports_none(registry: SandboxServer) -> None:
    for path, status in ((COMPANIES, 401), (PERSONS, 401), (REPORTS, 200)):
        for auth in (None, (ACCOUNT[0], "wrong")):
            assert httpx.post(registry.url + path, json={}, auth=auth, trust_env=False).status_code == status
    assert httpx.get(f"{registry.url}{COMPANIES}?size=0", auth=ACCOUNT, trust_env=False).status_code == 200


def test_pages_follow_each_other_without_loss(client: httpx.Client, world: World) -> None:
    found: list[dict[str, Any]] = []
    after: dict[str, Any] = {}
    while (page := hits(client.post(COMPANIES, json={"size": 25, "sort": ORDER, **after}))) and len(found) < 200:
        found += page
        after = {"search_after": page[-1]["sort"]}
    assert len(found) == len({hit["_id"] for hit in found}) == world.count("DK", 0)
    assert [hit["sort"] for hit in found] == sorted(hit["sort"] for hit in found)


def test_a_scroll_ends_with_an_empty_page(client: httpx.Client, world: World) -> None:
    answer = client.post(f"{REPORTS}?scroll=2m", json={"size": 40})
    found = hits(answer)
    while True:
        answer = client.post("/_search/scroll", json={"scroll": "2m", "scroll_id": answer.json()["_scroll_id"]})
        page = hits(answer)
        found += page
        if not page:
            break
    reports = [hit for hit in found if hit["_source"]["offentliggoerelsestype"] == "regnskab"]
    assert len(reports) == sum(len(company.accounts) for company in world.all("DK", 0))
    assert len({hit["_id"] for hit in found}) == len(found) > len(reports)
    lost = client.post("/_search/scroll", json={"scroll": "2m", "scroll_id": "bm9uZQ=="})
    assert (lost.status_code, lost.json()["error"]["type"]) == (404, "search_context_missing_exception")


def test_a_later_day_is_found_by_what_changed(client: httpx.Client, registry: SandboxServer) -> None:
    window = {"query": {"range": {WRITTEN: {"gte": "2026-11-02T00:00:00.000Z"}}}, "sort": ORDER, "size": 500}
    assert hits(client.post(COMPANIES, json=window)) == []
    registry.advance()
    changed = hits(client.post(COMPANIES, json=window))
    number = changed[0]["_source"]["Vrvirksomhed"]["cvrNummer"]
    assert 0 < len(changed) < 40
    one = hits(client.post(COMPANIES, json={"query": {"term": {"Vrvirksomhed.cvrNummer": number}}}))
    assert [hit["_id"] for hit in one] == [changed[0]["_id"]]
    reports = {"range": {"offentliggoerelsesTidspunkt": {"gte": "2026-11-03T00:00:00.000Z"}}}
    kind = {"term": {"offentliggoerelsestype": "regnskab"}}
    new = hits(client.post(REPORTS, json={"query": {"bool": {"must": [reports, kind]}}, "size": 500}))
    assert {hit["_source"]["offentliggoerelsesTidspunkt"][:10] for hit in new} == {"2026-11-03"}


def test_wanted_paths_are_sent_and_no_others(client: httpx.Client) -> None:
    paths = ["Vrvirksomhed.cvrNummer", "Vrvirksomhed.virksomhedMetadata.nyesteNavn.navn", "Vrvirksomhed.navne"]
    [hit] = hits(client.post(COMPANIES, json={"size": 1, "_source": paths}))
    record = hit["_source"]["Vrvirksomhed"]
    assert record.keys() == {"cvrNummer", "virksomhedMetadata", "navne"}
    assert record["virksomhedMetadata"].keys() == {"nyesteNavn"}
    assert record["navne"][0].keys() == {"navn", "periode", "sidstOpdateret"}


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ({"size": 3_001}, "query_phase_execution_exception"),
        ({"from": 2_999, "size": 10}, "query_phase_execution_exception"),
        ({"query": {"filtered": {"filter": {}}}}, "parsing_exception"),
        ({"query": {"range": {WRITTEN: {"since": "2026"}}}}, "parsing_exception"),
        ({"query": {"range": {WRITTEN: {"gte": "yesterday"}}}}, "parsing_exception"),
        ({"search_after": [1, 2]}, "query_shard_exception"),
        ({"sort": ["_score"], "size": 1}, "query_shard_exception"),
    ],
)
def test_what_the_register_would_not_run_is_refused(client: httpx.Client, asked: dict[str, Any], kind: str) -> None:
    answer = client.post(COMPANIES, json=asked)
    assert (answer.status_code, answer.json()["error"]["type"]) == (400, kind)


def test_a_body_that_is_no_json_is_refused(client: httpx.Client) -> None:
    assert client.post(COMPANIES, content=b"{").status_code == 400


def test_persons_are_those_of_the_registers(client: httpx.Client, world: World) -> None:
    found = hits(client.post(PERSONS, json={"size": 3_000}))
    people = {
        str(holder.unit)
        for company in world.all("DK", 0)
        for holder in company.danish.holders
        if holder.kind == "PERSON"
    }
    assert {hit["_id"] for hit in found} == people
    assert all(hit["_source"]["Vrdeltagerperson"]["forretningsnoegle"] is None for hit in found)


def test_documents_are_gzip_that_no_header_tells(client: httpx.Client) -> None:
    seen: set[tuple[bool, bytes]] = set()
    for hit in hits(client.post(REPORTS, json={"size": 500})):
        for document in hit["_source"]["dokumenter"]:
            path = document["dokumentUrl"].removeprefix("http://regnskaber.virk.dk")
            answer = client.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (200, document["dokumentMimeType"])
            assert "content-encoding" not in answer.headers
            is_packed = answer.content.startswith(b"\x1f\x8b")
            body = gzip.decompress(answer.content) if is_packed else answer.content
            seen.add((is_packed, body[:5]))
    assert seen == {(True, b"<?xml"), (False, b"<?xml"), (False, b"%PDF-")}


def test_a_document_that_is_none_is_not_found(client: httpx.Client, registry: SandboxServer) -> None:
    assert client.get("/900000000/bm9uZQ==.xml").status_code == 404
    assert client.get("/999999999/bm9uZQ==.xml").status_code == 404
    registry.advance()
    new = {"range": {"offentliggoerelsesTidspunkt": {"gte": "2026-11-03T00:00:00.000Z"}}}
    [hit, *_] = hits(client.post(REPORTS, json={"query": new}))
    path = hit["_source"]["dokumenter"][0]["dokumentUrl"].removeprefix("http://regnskaber.virk.dk")
    assert client.get(path).status_code == 200
    with serve(registry.desk.world) as yesterday:
        assert httpx.get(yesterday.url + path, trust_env=False).status_code == 404


def test_a_world_without_denmark_has_no_such_register() -> None:
    with serve(World(seed=9, companies=120, days=2, markets=("NO", "UK"))) as other:
        assert httpx.post(other.url + REPORTS, content=json.dumps({}), trust_env=False).status_code == 404
        assert httpx.get(f"{other.url}/900000000/bm9uZQ==.xml", trust_env=False).status_code == 404
