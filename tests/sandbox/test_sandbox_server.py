"""The sandbox over HTTP: what the registries document, day by day, and what goes wrong on demand."""

import gzip
import io
import json
import re
import threading
import zipfile

import httpx
import pytest

from sandbox import CREDENTIALS, FAULTS, World, parse_faults, serve, serve_forever, write_days
from sandbox.no import files

SEED = {"seed": 9, "companies": 360, "days": 3, "markets": ("NO", "UK")}
API = "/enhetsregisteret/api/enheter"
ACCOUNTS = "/regnskapsregisteret/regnskap"


@pytest.fixture
def registry():
    with serve(World(**SEED)) as running:
        yield running


@pytest.fixture
def client(registry):
    with httpx.Client(base_url=registry.url, trust_env=False) as client:
        yield client


def test_bulk_is_gzip_of_what_the_files_hold(client, registry):
    answer = client.get(f"{API}/lastned")
    assert answer.status_code == 200
    assert "content-encoding" not in answer.headers
    elements = json.loads(gzip.decompress(answer.content))
    world = registry.desk.world
    assert len(elements) == sum(company.is_in_register for company in world.all("NO", 0))
    rows = gzip.decompress(client.get(f"{API}/lastned/csv").content)
    assert rows == b"".join(files.csv_chunks(world, 0))


def test_single_entities_live_deleted_removed_and_unknown():
    world = World(**SEED)
    gone = world.company("NO", 1, 0).number
    with serve(world, removed=frozenset({gone})) as registry, httpx.Client(base_url=registry.url) as client:
        living = world.company("NO", 0, 0)
        answer = client.get(f"{API}/{living.number}")
        assert answer.json()["navn"] == living.name
        assert answer.headers["content-type"].startswith("application/vnd.brreg.enhetsregisteret.enhet.v2+json")
        assert client.get(f"{API}/{gone}").status_code == 410
        assert client.get(f"{API}/999999999").status_code == 404
        registry.advance()
        dissolved = next(company for company in world.all("NO", 1) if not company.is_in_register)
        body = client.get(f"{API}/{dissolved.number}").json()
        assert body["respons_klasse"] == "SlettetEnhet"
        assert body["slettedato"] == "2026-11-03"
        elements = json.loads(gzip.decompress(client.get(f"{API}/lastned").content))
        assert dissolved.number not in {element["organisasjonsnummer"] for element in elements}


def test_accounts_found_absent_and_of_a_bank(client, registry):
    world = registry.desk.world
    companies = list(world.all("NO", 0))
    filer = next(company for company in companies if company.accounts)
    bank = next(company for company in companies if company.industry and company.industry.code == "64.190")
    empty = next(
        company for company in companies if not company.accounts and company is not bank and company.form == "ENK"
    )
    assert client.get(f"{ACCOUNTS}/{filer.number}").json() == files.accounts_rows(filer)
    refused = client.get(f"{ACCOUNTS}/{bank.number}")
    assert refused.status_code == 500
    assert set(refused.json()) == {"timestamp", "status", "error", "message", "path", "trace"}
    missing = client.get(f"{ACCOUNTS}/{empty.number}")
    assert (missing.status_code, missing.content) == (404, b"")


@pytest.mark.sources
@pytest.mark.parametrize(
    ("page", "pattern"),
    [
        ("en_output.html", r"BasicCompanyDataAsOneFile-\d{4}-\d\d-\d\d\.zip"),
        ("en_pscdata.html", r"persons-with-significant-control-snapshot-\d{4}-\d\d-\d\d\.zip"),
        ("en_accountsdata.html", r"Accounts_Bulk_Data-\d{4}-\d\d-\d\d\.zip"),
    ],
)
def test_download_pages_link_what_can_be_fetched(client, registry, page, pattern, sources):
    links = r'<li><a href="([^"]+\.zip)">\1 {1,2}\(\d+Mb\)</a></li>'
    genuine = (sources / "uk" / "download_pages" / page).read_text(encoding="utf-8", errors="replace")
    assert re.search(links, genuine) or page == "en_pscdata.html"  # its one file carries no size
    registry.advance()
    found = re.findall(links, client.get(f"/{page}").text)
    assert found
    for name in found:
        assert re.fullmatch(pattern, name)
        with zipfile.ZipFile(io.BytesIO(client.get(f"/{name}").content)) as archive:
            assert archive.testzip() is None


def test_zips_are_those_of_the_files_and_yesterdays_snapshot_is_gone(client, registry, tmp_path):
    folders = write_days(registry.desk.world, tmp_path)
    name = "persons-with-significant-control-snapshot-2026-11-02.zip"
    assert client.get(f"/{name}").content == (folders[0] / "uk" / "psc_snapshot" / name).read_bytes()
    registry.advance()
    assert client.get(f"/{name}").status_code == 404
    accounts = "Accounts_Bulk_Data-2026-11-02.zip"
    assert client.get(f"/{accounts}").content == (folders[0] / "uk" / "accounts_bulk_zip" / accounts).read_bytes()
    assert client.get("/Accounts_Bulk_Data-2026-11-04.zip").status_code == 404


def test_validators_ranges_and_head(client):
    path = "/BasicCompanyDataAsOneFile-2026-11-02.zip"
    whole = client.get(path)
    tag = whole.headers["etag"]
    assert whole.headers["last-modified"] == "Mon, 02 Nov 2026 04:00:00 GMT"
    assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    part = client.get(path, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.content) == (206, whole.content[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(whole.content)}"
    rest = client.get(path, headers={"Range": "bytes=100-", "If-Range": tag})
    assert rest.content == whole.content[100:]
    other = client.get(path, headers={"Range": "bytes=100-", "If-Range": '"other"'})
    assert (other.status_code, other.content) == (200, whole.content)
    assert client.get(path, headers={"Range": "bytes=99999999-"}).status_code == 416
    head = client.head(path)
    assert (head.content, int(head.headers["content-length"])) == (b"", len(whole.content))


def test_the_clock_is_the_worlds(client, registry):
    assert client.get("/en_output.html").headers["date"] == "Mon, 02 Nov 2026 04:00:00 GMT"
    assert client.post("/sandbox/advance").json() == {"date": "2026-11-03"}
    assert client.get("/en_output.html").headers["date"] == "Tue, 03 Nov 2026 04:00:00 GMT"
    registry.advance()
    assert client.post("/sandbox/advance").status_code == 409
    with pytest.raises(ValueError, match="ends on 2026-11-04"):
        registry.advance()


def test_unknown_paths(client):
    assert client.get("/nothing").status_code == 404
    assert client.post("/nothing").status_code == 404
    unknown = client.get("/company/01234567", auth=CREDENTIALS["api.company-information.service.gov.uk"])
    assert unknown.json()["errors"][0]["type"] == "ch:service"


@pytest.mark.parametrize(("fault", "status"), [("rate_limited", 429), ("unavailable", 503)])
def test_refusals_end_after_a_while(fault, status):
    with serve(World(**SEED), faults={"en_output": fault}) as registry:
        answers = [httpx.get(f"{registry.url}/en_output.html") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [status, status, 200]
        assert answers[0].headers["retry-after"] == "1"
        assert httpx.get(f"{registry.url}/en_pscdata.html").status_code == 200
        assert registry.requests.count("GET /en_output.html") == 3


def test_html_with_200():
    with serve(World(**SEED), faults={"lastned": "html"}) as registry:
        answer = httpx.get(f"{registry.url}{API}/lastned")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html")
        assert answer.text.startswith("<!DOCTYPE html>")


def test_body_cut_off_against_its_length():
    with serve(World(**SEED), faults={".zip": "cut_off"}) as registry, pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{registry.url}/BasicCompanyDataAsOneFile-2026-11-02.zip")


def test_slow_drip_arrives_in_drops():
    with serve(World(**SEED), faults={"en_output": "slow_drip"}) as registry:
        registry.troubles.pause = 0.0
        with httpx.stream("GET", f"{registry.url}/en_output.html") as answer:
            assert answer.status_code == 200
            assert "BasicCompanyData" in answer.read().decode()


@pytest.mark.parametrize("fault", ["truncated", "half_rows", "duplicated"])
def test_damaged_contents_carry_another_tag(fault):
    world = World(**SEED)
    path = "/BasicCompanyDataAsOneFile-2026-11-02.zip"
    with serve(world) as registry:
        sound = httpx.get(registry.url + path)
        registry.troubles.by_path[path] = fault
        damaged = httpx.get(registry.url + path, headers={"If-None-Match": sound.headers["etag"]})
        assert damaged.status_code == 200
        assert damaged.content != sound.content
        del registry.troubles.by_path[path]
        assert httpx.get(registry.url + path).content == sound.content


def test_unknown_faults_are_refused():
    with pytest.raises(ValueError, match="gremlins"), serve(World(**SEED), faults={"/": "gremlins"}):
        pass


def test_many_clients_at_once(registry):
    path = f"{registry.url}/BasicCompanyDataAsOneFile-2026-11-02.zip"
    bodies: list[bytes] = []
    threads = [threading.Thread(target=lambda: bodies.append(httpx.get(path).content)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(bodies) == 6
    assert len(set(bodies)) == 1


def test_serving_until_told_to_stop():
    seen = []
    until = threading.Event()

    def ready(registry):
        seen.append(httpx.get(f"{registry.url}/en_output.html").status_code)
        until.set()

    serve_forever(World(**SEED), ready=ready, until=until)
    assert seen == [200]


def test_faults_by_name_and_by_path():
    assert parse_faults(["unavailable", "/en_pscdata.html=html"]) == {
        "/en_output.html": "unavailable",
        "/en_pscdata.html": "html",
    }
    assert set(FAULTS) == {fault for name in FAULTS for fault in parse_faults([name]).values()}
    with pytest.raises(ValueError, match="known: rate_limited"):
        parse_faults(["gremlins"])
