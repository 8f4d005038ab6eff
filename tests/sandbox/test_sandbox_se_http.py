"""The Swedish registries of the sandbox over HTTP: listing, archives, tokens, answers, exports, faults."""

from datetime import date

import httpx
import pytest
from lxml import etree

from sandbox import World, numbers, serve, write_day
from sandbox.se import annual_reports, business_register, sole_traders
from sandbox.se.http import CLIENT

SEED = {"seed": 4, "companies": 120, "days": 2, "markets": ("SE",)}
API = "/vardefulla-datamangder/v1"
UNITS = "/v1/juridiskaenheter/full"
SCB_KEY = {"X-API-Key": business_register.KEY}
SEARCH = "/Publiceringsklient/sv-SE/Search/Search"


@pytest.fixture
def registry():
    with serve(World(**SEED)) as running:
        yield running


@pytest.fixture
def client(registry):
    with httpx.Client(base_url=registry.url, trust_env=False) as client:
        yield client


def test_the_listing_goes_on_page_by_page(client):
    keys, marker = [], ""
    for _ in range(9):
        query = {"prefix": "arsredovisningar/"} | ({"marker": marker} if marker else {})
        answer = client.get("/arsredovisningar-bulkfiler", params=query)
        root = etree.fromstring(answer.content)
        space = {"s": "http://s3.amazonaws.com/doc/2006-03-01/"}
        keys += root.xpath("s:Contents/s:Key/text()", namespaces=space)
        if root.findtext("s:IsTruncated", namespaces=space) == "false":
            break
        marker = root.findtext("s:NextMarker", namespaces=space)
        assert marker == f"{keys[-1]}[minio_list:v2,return:]"
    assert keys == sorted(set(keys))
    assert keys[-1] == "arsredovisningar/2026/44_1.zip"
    for key in keys:
        assert client.get(f"/arsredovisningar-bulkfiler/{key}").content.startswith(b"PK")
    assert client.get("/arsredovisningar-bulkfiler/arsredovisningar/2026/44_2.zip").status_code == 404


def test_the_bulk_files_come_with_validators(client, registry, tmp_path):
    folder = write_day(registry.desk.world, 0, tmp_path)
    for path, name in (
        ("/bolagsverket/bolagsverket_bulkfil.zip", "bolagsverket_bulk/bolagsverket_bulkfil.zip"),
        ("/scb/scb_bulkfil.zip", "scb_bulk/scb_bulkfil.zip"),
    ):
        answer = client.get(path)
        assert answer.content == (folder / "se" / name).read_bytes()
        again = client.get(path, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304


def token(client) -> dict[str, str]:
    answer = client.post("/oauth2/token", data={"grant_type": "client_credentials"}, auth=CLIENT)
    assert answer.json()["expires_in"] == 3600
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}


def test_tokens_want_the_keys_and_last_a_day(client, registry):
    form = {"grant_type": "client_credentials"}
    assert client.post("/oauth2/token", data=form, auth=("x", "y")).json()["error"] == "invalid_client"
    assert client.post("/oauth2/token", data={"grant_type": "password"}, auth=CLIENT).status_code == 400
    named = {**form, "client_id": CLIENT[0], "client_secret": CLIENT[1]}
    assert client.post("/oauth2/token", data=named).status_code == 200
    header = token(client)
    assert client.get(f"{API}/isalive", headers=header).text == "OK"
    assert client.get(f"{API}/isalive").status_code == 401
    registry.advance()
    assert client.get(f"{API}/isalive", headers=header).status_code == 401


def ask(client, header, number: str, call: str = "organisationer") -> httpx.Response:
    return client.post(f"{API}/{call}", json={"identitetsbeteckning": number}, headers=header)


def test_answers_about_companies_persons_and_nobody(client, registry):
    header, world = token(client), registry.desk.world
    company = world.company("SE", 0, 0)
    (found,) = ask(client, header, company.number).json()["organisationer"]
    assert found["organisationsnamn"]["organisationsnamnLista"][0]["namn"] == company.name
    alone = next(trader for trader in sole_traders.all_sole_traders(120) if len(trader.firms) > 1)
    assert len(ask(client, header, alone.number).json()["organisationer"]) == 2
    (nobody,) = ask(client, header, numbers.swedish_number(5_000)).json()["organisationer"]
    assert nobody["organisationsidentitet"] is None
    assert nobody["organisationsnamn"]["fel"]["typ"] == "ORGANISATION_FINNS_EJ"
    wrong = f"{company.number[:9]}{(int(company.number[9]) + 1) % 10}"
    assert ask(client, header, wrong).json()["detail"].endswith("ogiltig kontrollsiffra.")
    assert ask(client, header, "x").status_code == 400


def test_documents_are_listed_and_handed_out(client, registry):
    header, world = token(client), registry.desk.world
    company = next(found for found in world.all("SE", 0) if found.accounts)
    (first, *_) = ask(client, header, company.number, "dokumentlista").json()["dokument"]
    assert first["rapporteringsperiodTom"] == str(company.accounts[0].end)
    for identity in (first["dokumentId"], first["dokumentId"].removesuffix("_paket")):
        answer = client.get(f"{API}/dokument/{identity}", headers=header)
        assert answer.content == annual_reports.report_package(company, company.accounts[0])
    assert client.get(f"{API}/dokument/{'0' * 36}", headers=header).status_code == 404


def test_insider_exports_keep_to_their_window(client):
    window = {"Publiceringsdatum.From": "2026-10-26", "Publiceringsdatum.To": "2026-11-01", "button": "export"}
    lines = client.get(SEARCH, params=window).content.decode("utf-16-le").split("\r\n")
    assert lines[0].startswith("Publiceringsdatum;Emittent;LEI-kod;")
    assert all(line.endswith(";") for line in lines[:-1])
    stamps = {line[:10] for line in lines[1:-1]}
    assert stamps
    assert stamps <= {str(date(2026, 10, day)) for day in range(26, 32)} | {"2026-11-01"}
    ignored = client.get(SEARCH, params={"From": "2026-10-26"}).content.decode("utf-16-le").split("\r\n")
    assert 1 < len(ignored) <= 12
    empty = client.get(SEARCH, params=window | {"Publiceringsdatum.From": "2026-11-02"})
    assert empty.content.decode("utf-16-le").count("\r\n") == 1


def test_a_world_without_sweden_plays_none(tmp_path):
    with serve(World(companies=60, days=1, markets=("NO",))) as registry:
        for path in ("/scb/scb_bulkfil.zip", "/arsredovisningar-bulkfiler", f"{API}/isalive"):
            assert httpx.get(registry.url + path).status_code == 404
        assert httpx.post(f"{registry.url}/oauth2/token").status_code == 404


def test_posts_meet_faults_too():
    faults = {"/oauth2/token": "unavailable"}
    with serve(World(**SEED), faults=faults) as registry, httpx.Client(base_url=registry.url) as client:
        statuses = [client.post("/oauth2/token", auth=CLIENT).status_code for _ in range(3)]
        assert statuses == [503, 503, 400]
        assert client.post("/sandbox/advance", content=b"x").json() == {"date": "2026-11-03"}


def walk(client, **query: str) -> list[dict]:
    """All pages of SCB's register."""
    pages = []
    cursor: dict[str, str] = {}
    while True:
        answer = client.get(UNITS, params={"limit": "5000", **query, **cursor}, headers=SCB_KEY)
        pages.append(answer.json())
        if not pages[-1]["pagination"]["hasMore"]:
            return pages
        cursor = {"cursorId": str(pages[-1]["pagination"]["nextCursorId"])}


def test_the_register_of_enterprises_goes_on_from_cursor_to_cursor(client, registry):
    pages = walk(client)
    units = [unit for page in pages for unit in page["jes"]]
    assert len(pages) == 3
    assert len({unit["peOrgNr"] for unit in units}) == len(units)
    count = client.get("/v1/juridiskaenheter/count", headers=SCB_KEY).json()["count"]
    assert count == len(units) > 100
    assert not all(unit["peOrgNr"].startswith("16") for unit in units), "persons are between them"
    before = client.get("/v1/api-info", headers=SCB_KEY).json()["senasteUppdateringsDatum"]
    registry.advance()
    assert client.get("/v1/api-info", headers=SCB_KEY).json()["senasteUppdateringsDatum"] > before


def test_the_register_of_enterprises_wants_its_key_and_a_limit_that_it_knows(client):
    assert client.get(UNITS, params={"limit": "10"}).status_code == 401
    assert client.get(UNITS, params={"limit": "10"}, headers={"X-API-Key": "x"}).json()["status"] == 401
    for query, status in (({}, 400), ({"limit": "5001"}, 400), ({"limit": "9", "cursorId": "99999"}, 404)):
        assert client.get(UNITS, params=query, headers=SCB_KEY).status_code == status
