"""British files of the sandbox: read by independent tools, shaped as the genuine ones."""

import csv
import hashlib
import importlib
import io
import json
import re
import sys
import types
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from lxml import etree

from sandbox import World, write_days
from sandbox import expected as sandbox_expected
from sandbox.uk import files

SEED = {"seed": 6, "companies": 400, "days": 3, "markets": ("NO", "UK")}
MEMBER = re.compile(r"Prod22[34]_\d{4}_([A-Z0-9]{8})_(\d{8})(_[A-Z]+)?\.(html|xml|zip)")
# Of stream-read-xbrl's columns, those that docs/formats/uk.md 9.5 names for a figure of ours.
PEER_COLUMNS = {
    "turnover_gross_operating_revenue": "revenue",
    "operating_profit_loss": "operating_result",
    "profit_loss_for_period": "net_result",
    "shareholder_funds": "equity",
}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kingdom")
    world = World(**SEED)
    write_days(world, folder)
    return world, folder, json.loads((folder / "truth.json").read_text(encoding="utf-8"))


def member_of(folder: Path, day: str, dataset: str) -> bytes:
    path = next((folder / day / "uk" / dataset).iterdir())
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        (name,) = archive.namelist()
        assert Path(name).stem == path.stem
        return archive.read(name)


def companies(folder: Path, day: str) -> list[dict[str, str]]:
    text = member_of(folder, day, "basic_company_data").decode()
    return [{key.strip(): cell for key, cell in row.items()} for row in csv.DictReader(io.StringIO(text))]


def records(folder: Path, day: str) -> list[dict]:
    return [json.loads(line) for line in member_of(folder, day, "psc_snapshot").splitlines()]


def documents(folder: Path, day: str) -> list[tuple[str, bytes]]:
    path = next((folder / day / "uk" / "accounts_bulk_zip").iterdir())
    with zipfile.ZipFile(path) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


@pytest.mark.sources
def test_header_is_the_genuine_one(sources):
    genuine = (sources / "uk/basic_company_data/BasicCompanyData-2021-01_sample21.csv").read_text().splitlines()[0]
    assert ",".join(files.COLUMNS) == genuine
    assert len(files.COLUMNS) == 55


@pytest.mark.sources
def test_rows_are_quoted_as_in_the_genuine_file(sources, written):
    _, folder, _ = written
    genuine = (sources / "uk/basic_company_data/BasicCompanyData-2021-01_sample21.csv").read_text().splitlines()[1]
    ours = member_of(folder, "2026-11-02", "basic_company_data").decode().splitlines()[1]
    assert [line.count('","') for line in (ours, genuine)] == [54, 54]
    words = [next(csv.reader([line]))[10:14] for line in (ours, genuine)]
    assert words[0] == words[1]


def test_company_data_tells_what_the_truth_says(written):
    world, folder, told = written
    for day in map(str, world.dates):
        states = {key: state for key, state in sandbox_expected.expected_on_day(told, day).items() if ":UK:" in key}
        rows = {f"firm:UK:{row['CompanyNumber']}": row for row in companies(folder, day)}
        living = {key for key, state in states.items() if state["profile"]["status"] != "dissolved"}
        assert set(rows) == living
        for key, row in rows.items():
            profile = states[key]["profile"]
            assert row["CompanyName"] == profile["name"]
            assert row["RegAddress.PostTown"] == profile["municipality"]
            assert (row["RegAddress.County"] or None) == profile["county"]
            day_, month, year = row["IncorporationDate"].split("/")
            assert f"{year}-{month}-{day_}" == profile["registered_date"]
            code = row["SICCode.SicText_1"].split(" - ")[0]
            assert (None if code == "None Supplied" else code) == profile["sni_code"]
            dormant = row["CompanyStatus"] == "Liquidation" or row["Accounts.AccountCategory"] == "DORMANT"
            assert profile["status"] == ("dormant" if dormant else "active")


def test_odd_corners_of_company_data_occur(written):
    _, folder, _ = written
    rows = companies(folder, "2026-11-04")
    assert {row["CompanyNumber"][:2] for row in rows} >= {"90", "SC", "NI", "OC", "OE"}
    assert any(row["CompanyName"].startswith('"') for row in rows) or any("!" in row["CompanyName"] for row in rows)
    assert any(row["SICCode.SicText_1"] == "None Supplied" for row in rows)
    assert any(row["PreviousName_1.CompanyName"] for row in rows)
    assert {row["Accounts.AccountCategory"] for row in rows} >= {"NO ACCOUNTS FILED", "MICRO ENTITY", "DORMANT"}
    assert not any(row["DissolutionDate"] for row in rows)


def test_snapshot_ends_with_a_trailer_that_counts(written):
    world, folder, _ = written
    for day in map(str, world.dates):
        *lines, trailer = records(folder, day)
        assert "company_number" not in trailer
        kinds = Counter("statement" if "statement" in line["data"]["kind"] else line["data"]["kind"] for line in lines)
        assert trailer["data"]["statements_count"] == kinds["statement"]
        assert trailer["data"]["exemptions_count"] == kinds["exemptions"] > 0
        others = len(lines) - kinds["statement"] - kinds["exemptions"]
        assert trailer["data"]["persons_of_significant_control_count"] == others


def test_present_holders_are_those_of_the_truth(written):
    world, folder, told = written
    for day in map(str, world.dates):
        found: dict[str, dict] = {}
        for line in records(folder, day)[:-1]:
            data = line["data"]
            key = data["links"]["self"].rsplit("/", 1)[1]
            if "natures_of_control" in data and data.get("ceased_on", "9999") > day:
                found[key] = {"company": f"firm:UK:{line['company_number']}", **data}
        expected = {
            owner["native_id"]: (key, owner)
            for key, state in sandbox_expected.expected_on_day(told, day).items()
            for owner in state["owners"]
            if ":UK:" in key and owner["holder_name"] is not None
        }
        assert set(found) == set(expected)
        for native_id, (company_id, owner) in expected.items():
            data = found[native_id]
            assert (data["company"], data["name"]) == (company_id, owner["holder_name"])
            assert band(data["natures_of_control"]) == (owner["pct_min"], owner["pct_max"])
            assert data["notified_on"] == owner["first_seen"]


def band(natures: list[str]) -> tuple[int | None, int | None]:
    for nature in natures:
        found = re.match(r"ownership-of-shares-(?:(\d+)-to-(\d+)|more-than-(\d+))-percent", nature)
        if found:
            return (int(found[1]), int(found[2])) if found[1] else (int(found[3]), 100)
    return None, None


@pytest.mark.sources
def test_snapshot_lines_have_the_genuine_keys(sources, written):
    _, folder, _ = written
    genuine = json.loads((sources / "uk/psc_snapshot/psc_snapshot_line_individual_ceased.jsonl").read_text())
    stream = (sources / "uk/streaming/psc_corporate_2024_event.jsonl").read_text()
    corporate = json.loads(stream)["data"]
    found = {line["data"]["kind"]: line for line in records(folder, "2026-11-02")[:-1]}
    individual = found["individual-person-with-significant-control"]
    assert list(individual) == list(genuine)
    assert list(individual["data"]) == [key for key in genuine["data"] if key != "ceased_on"]
    firm = found["corporate-entity-person-with-significant-control"]["data"]
    assert list(firm) == list(corporate)
    assert list(firm["identification"]) == list(corporate["identification"])


def test_order_and_etags_flicker_and_nothing_else(written):
    """Between two days only the companies with a story differ, whatever the order of lines."""
    world, folder, _ = written
    before, after = (
        {line["data"]["links"]["self"]: line for line in records(folder, day)[:-1]}
        for day in ("2026-11-02", "2026-11-03")
    )
    moved = {company.number for company in world.changing("UK", 1)}
    differing = {line["company_number"] for key, line in after.items() if before.get(key) != line}
    assert differing <= moved
    first = [records(folder, day)[0]["company_number"] for day in ("2026-11-02", "2026-11-03")]
    assert first[0] != first[1]


def test_members_are_named_as_in_the_genuine_zips(written):
    world, folder, _ = written
    for day in map(str, world.dates):
        members = documents(folder, day)
        assert all(MEMBER.fullmatch(name) for name, _ in members)
        assert members[-1][1] == b"ATTACHMENTPLACEHOLDER127319911"
        kinds = Counter(name.rsplit(".", 1)[1] for name, _ in members)
        assert min(kinds["html"], kinds["xml"], kinds["zip"]) >= 1


def instances(folder: Path, day: str) -> list[tuple[str, bytes]]:
    """All documents, those of nested packages too."""
    found = []
    for name, body in documents(folder, day)[:-1]:
        if not name.endswith(".zip"):
            found.append((name, body))
            continue
        with zipfile.ZipFile(io.BytesIO(body)) as package:
            inner = [item for item in package.namelist() if "/accounts/" in item and not item.endswith("/")]
            assert any("/cic34/" in item for item in package.namelist())
            found.append((name.replace("_CIC.zip", ".html"), package.read(inner[0])))
    return found


def test_every_document_is_well_formed_and_all_varieties_occur(written):
    world, folder, _ = written
    spaces: Counter[str] = Counter()
    text = ""
    for day in map(str, world.dates):
        for _, body in instances(folder, day):
            root = etree.fromstring(body)
            spaces.update(uri for uri in root.nsmap.values() if "inlineXBRL" in uri or uri.endswith("instance"))
            text += body.decode()
    assert {"http://www.xbrl.org/2008/inlineXBRL", "http://www.xbrl.org/2013/inlineXBRL"} <= set(spaces)
    for mark in ('sign="-"', 'scale="3"', "zerodash", "numdash", "Consolidated", "WithinOneYear", "ShareCapital"):
        assert mark in text


@pytest.fixture
def peer(monkeypatch):
    """stream-read-xbrl, which names a type of a cloud library that nothing here needs."""
    stand_in = types.ModuleType("mypy_boto3_s3")
    stand_in.S3Client = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "mypy_boto3_s3", stand_in)
    return importlib.import_module("stream_read_xbrl")


@pytest.mark.filterwarnings("ignore")
def test_another_reader_finds_the_figures_of_the_truth(written, peer):
    """stream-read-xbrl drops dimensions only for its own concepts: group figures are compared elsewhere."""
    world, folder, told = written
    compared: Counter[str] = Counter()
    for day in map(str, world.dates):
        states = sandbox_expected.expected_on_day(told, day)
        for name, body in instances(folder, day):
            if b"Consolidated" in body or b'scale="3"' in body:
                continue
            compared.update(compare(peer, name, body, states))
    assert min(compared[figure] for figure in PEER_COLUMNS.values()) > 10


def compare(peer, name: str, body: bytes, states: dict) -> list[str]:
    number, end = MEMBER.fullmatch(name).group(1, 2)
    rows = [row for row in peer._xbrl_to_rows((name, body)) if row[10] is not None]
    fields = {column: place for place, column in enumerate(peer._COLUMNS)}
    known = {row["period_end"]: row for row in states[f"firm:UK:{number}"]["financials"]}
    expected = known[f"{end[:4]}-{end[4:6]}-{end[6:]}"]
    found = []
    for column, figure in PEER_COLUMNS.items():
        values = {
            row[fields[column]]
            for row in rows
            if str(row[fields["period_end"]]) == expected["period_end"] and row[fields[column]] is not None
        }
        if expected[figure] is None:
            assert not values
        else:
            assert values == {expected[figure]}, (name, figure)
            found.append(figure)
    return found


def test_amended_accounts_are_told_by_the_bytes_of_their_document(written):
    world, folder, told = written
    updates = [
        event for event in told["events"] if event["event_type"] == "filing.updated" and ":UK:" in event["company_id"]
    ]
    assert updates
    for event in updates:
        hashes = {hashlib.sha256(body).hexdigest() for _, body in instances(folder, event["day"])}
        assert event["key"]["document"] in hashes
    assert world.days == 3
