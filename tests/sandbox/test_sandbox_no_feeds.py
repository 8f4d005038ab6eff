"""The Norwegian change feeds, roles and sub-units of the sandbox, held against docs/formats/no.md 3 and 4."""

import gzip
import json
from collections.abc import Iterator

import httpx
import pytest
from stdnum import isin

from sandbox import SandboxServer, World, serve
from sandbox.no.feeds import FeedFaults

API = "/enhetsregisteret/api"
WORLD = World(seed=5, companies=66, days=3, markets=("NO",))


@pytest.fixture
def registry() -> Iterator[SandboxServer]:
    with serve(WORLD) as running:
        running.advance()
        yield running


@pytest.fixture
def client(registry: SandboxServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=registry.url + API, trust_env=False) as client:
        yield client


def entries(client: httpx.Client, **query: str | int) -> list[dict]:
    page = client.get("/oppdateringer/enheter", params={"size": 10_000, **query}).json()
    assert ("_embedded" in page) == bool(page["page"]["totalElements"])
    return page["_embedded"]["oppdaterteEnheter"] if "_embedded" in page else []


def test_ids_rise_with_gaps_and_the_cursor_is_inclusive(client):
    found = [entry["oppdateringsid"] for entry in entries(client)]
    assert found == sorted(found)
    assert found[-1] - found[0] > len(found)
    assert entries(client, oppdateringsid=found[-1])[0]["oppdateringsid"] == found[-1]
    assert entries(client, oppdateringsid=found[-1] + 1) == []
    assert [entry["oppdateringsid"] for entry in entries(client, sort="id,DESC", size=2)] == found[:-3:-1]


def test_patches_come_on_demand_and_never_of_what_is_new_or_deleted(client):
    assert not any("endringer" in entry for entry in entries(client))
    found = entries(client, includeChanges="true")
    kinds = {entry["endringstype"] for entry in found}
    assert {"Ukjent", "Ny", "Endring", "Sletting"} <= kinds
    assert all(("endringer" in entry) == (entry["endringstype"] == "Endring") for entry in found)
    paths = {patch["path"] for entry in found for patch in entry.get("endringer", ())}
    assert {"/sisteInnsendteAarsregnskap", "/konkurs"} <= paths


def test_what_a_feed_names_has_changed(client, registry):
    named = {entry["organisasjonsnummer"] for entry in entries(client, dato="2026-11-03T00:00:00.000Z")}
    changed = {
        company.number
        for company in WORLD.changing("NO", 1)
        if company.position >= 66
        or client.get(f"/enheter/{company.number}").json() != _before(registry, company.number)
    }
    assert changed <= named


def _before(registry: SandboxServer, number: str) -> dict:
    registry.desk.day = 0
    found = httpx.get(f"{registry.url}{API}/enheter/{number}", trust_env=False).json()
    registry.desk.day = 1
    return found


def test_roles_one_by_one_in_bulk_and_in_their_feed(client):
    everybody = json.loads(gzip.decompress(client.get("/roller/totalbestand").content))
    assert everybody[0]["organisasjonsnummer"]
    number = everybody[0]["organisasjonsnummer"]
    single = client.get(f"/enheter/{number}/roller").json()
    assert single["rollegrupper"] == everybody[0]["rollegrupper"]
    events = client.get("/oppdateringer/roller", params={"size": 10_000}).json()
    assert {event["specversion"] for event in events} == {"1.0"}
    last = events[-1]["id"]
    assert client.get("/oppdateringer/roller", params={"afterId": last}).json() == []
    nobody = next(company for company in WORLD.all("NO", 1) if not company.is_in_register)
    assert client.get(f"/enheter/{nobody.number}/roller").status_code == 404


def test_sub_units_in_bulk_and_one_by_one(client):
    lines = gzip.decompress(client.get("/underenheter/lastned/csv").content).decode().splitlines()
    assert len(lines) - 1 == sum(company.is_in_register for company in WORLD.all("NO", 1))
    number = lines[1].split('"')[1]
    answer = client.get(f"/underenheter/{number}").json()
    assert (answer["organisasjonsnummer"], answer["respons_klasse"]) == (number, "Underenhet")
    assert client.get("/underenheter/999999999").status_code == 404
    page = client.get("/oppdateringer/underenheter", params={"size": 100}).json()
    assert {entry["endringstype"] for entry in page["_embedded"]["oppdaterteUnderenheter"]} >= {"Ny", "Sletting"}


def test_isins_of_the_oslo_list_have_check_digits_that_hold(registry):
    lines = httpx.get(f"{registry.url}/pd_es/data/stocks/download", trust_env=False).text.splitlines()
    found = [line.split(";")[1] for line in lines[4:]]
    assert len(found) == 2
    assert all(isin.is_valid(one) for one in found)


def test_tempers(client, registry):
    plain = entries(client)
    registry.desk.feed_faults = FeedFaults(duplicates_entries=True, is_shuffled=True, largest=6)
    page = entries(client)
    assert len(page) == 12
    assert page != sorted(page, key=lambda entry: entry["oppdateringsid"])
    registry.desk.feed_faults = FeedFaults(replayed=True)
    assert entries(client, oppdateringsid=99_999_999) == plain
    registry.desk.feed_faults = FeedFaults(withheld=frozenset({plain[0]["oppdateringsid"]}))
    assert entries(client) == plain[1:]
