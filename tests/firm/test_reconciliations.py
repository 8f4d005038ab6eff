"""What a release cannot account for: stated by `firm ingest`, by `/api/v1/markets` and by `/metrics`, 0 included."""

import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.connectors.fi import finnish_files
from tests.connectors.se import bulk_files
from tests.connectors.se.bulk_files import ONE, THREE, TWO, organisation, unit
from tests.connectors.uk.conftest import CsvBodies, PscBodies
from tests.firm.conftest import Firm
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
HEADER = "Publiceringsdatum;Emittent;LEI-kod;Anmälningsskyldig;ISIN;Handelsplats;Status;\r\n"
CRN, OTHER = "01234567", "07654321"


def write_day(root: Path, date: str, market: str, complete: list[str], files: dict[str, bytes]) -> Path:
    for name, body in files.items():
        path = root / date / market / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (root / date / "day.json").write_text(json.dumps({"date": date, "complete": complete}))
    return root / date


def swedish_day(root: Path, date: str, *, scb: tuple[str, ...] = ()) -> Path:
    """Three companies of 2001, and one trade in a company that the register does not have."""
    register = bulk_files.bulk(*(organisation(number) for number in (ONE, TWO, THREE)))
    trade = f"{HEADER}2026-11-02 10:00:00;Okänd Utgivare AB;;Någon;SE0000000001;X;Aktuell;\r\n"
    files = {
        "bolagsverket_bulk/bolagsverket_bulkfil.zip": bulk_files.zipped("bolagsverket_bulkfil.txt", register),
        "insyn/x": trade.encode("utf-16-le"),
    }
    if scb:
        name = f"scb_bulkfil_JE_{date.replace('-', '')}T060000_1.txt"
        files["scb_bulk/scb_bulkfil.zip"] = bulk_files.zipped(name, bulk_files.scb(*map(unit, scb)))
    return write_day(root, date, "se", ["se.bolagsverket", "se.scb"], files)


def british_day(root: Path, date: str, holder: dict[str, Any], other: dict[str, Any]) -> Path:
    first, second = {"CompanyNumber": CRN}, {"CompanyNumber": OTHER, "CompanyName": "OTHER LIMITED"}
    lines = PscBodies.lines(PscBodies.record(CRN, "one", **holder), PscBodies.record(OTHER, "two", **other))
    files = {
        f"basic_company_data/BasicCompanyDataAsOneFile-{date}.csv": CsvBodies.table(first, second),
        f"psc_snapshot/psc-snapshot-{date}_1of1.txt": lines,
    }
    return write_day(root, date, "uk", ["uk.companies"], files)


def market_of(client: httpx.Client, code: str) -> dict[str, Any]:
    return next(
        one for one in client.get("/api/v1/markets?include=reconciliation").json()["data"] if one["market"] == code
    )


def dataset_of(market: dict[str, Any], key: str) -> dict[str, Any]:
    return next(one for one in market["datasets"] if one["dataset"] == key)


def metrics(client: httpx.Client) -> dict[tuple[Any, ...], float]:
    families = text_string_to_metric_families(client.get("/metrics").text)
    return {(one.name, *sorted(one.labels.values())): one.value for family in families for one in family.samples}


def statuses(firm: Firm) -> dict[str, tuple[str, str | None]]:
    release = json.loads((firm.data / "releases" / "current.json").read_text())["release"]
    with open_release_tables(Layout(firm.data), release) as found:
        rows = found.execute("SELECT org_number, status, status_source FROM companies").fetchall()
    return {number: (status, source) for number, status, source in rows}


def test_ingest_without_scb_leaves_every_status_undecided_and_says_so(firm: Firm, tmp_path: Path) -> None:
    report = firm.ingest(swedish_day(tmp_path, "2026-11-02"), "se")
    assert statuses(firm) == dict.fromkeys((ONE, TWO, THREE), ("active", None))
    rule = {"rule": "se.status.missing_from_scb", "datasets": ["se.scb"], "undecided": 3}
    assert rule in report["reconciliations"]["SE"]["rules_without_data"]
    assert report["signals"] > 0
    with firm.serving() as client:
        market = market_of(client, "SE")
        assert rule in market["rules_without_data"]
        assert market["unexplained_statuses"] == 0
        assert metrics(client)["firm_rule_undecided_rows", "SE", "se.status.missing_from_scb"] == 3


def test_ingest_of_scb_decides_what_was_open_without_an_event(firm: Firm, tmp_path: Path) -> None:
    firm.ingest(swedish_day(tmp_path, "2026-11-02"), "se")
    report = firm.ingest(swedish_day(tmp_path, "2026-11-09", scb=(ONE, TWO)), "se")
    assert statuses(firm) == {
        ONE: ("active", "se.scb"),
        TWO: ("active", "se.scb"),
        THREE: ("dormant", "se.bolagsverket"),
    }
    assert report["events"] == {}, "no register said before what the company's status was"
    names = {one["rule"] for one in report["reconciliations"]["SE"]["rules_without_data"]}
    assert names == {"se.is_listed.evidence"}


def test_ingest_of_a_part_of_scb_says_nothing_of_the_companies_that_it_lacks(firm: Firm, tmp_path: Path) -> None:
    folder = swedish_day(tmp_path, "2026-11-02", scb=(ONE,))
    (folder / "day.json").write_text(json.dumps({"date": "2026-11-02", "complete": ["se.bolagsverket"]}))
    report = firm.ingest(folder, "se")
    assert statuses(firm) == {ONE: ("active", "se.scb"), TWO: ("active", None), THREE: ("active", None)}
    rule = {"rule": "se.status.missing_from_scb", "datasets": ["se.scb"], "undecided": 2}
    assert rule in report["reconciliations"]["SE"]["rules_without_data"]


def test_ingest_counts_rows_that_link_to_no_company_by_dataset(firm: Firm, tmp_path: Path) -> None:
    report = firm.ingest(swedish_day(tmp_path, "2026-11-02", scb=(ONE, TWO, THREE)), "se")
    unlinked = report["reconciliations"]["SE"]["unlinked_rows"]
    assert (unlinked["se.insyn"], unlinked["se.bolagsverket"], unlinked["se.firds"]) == (1, 0, 0)
    said = firm.run("ingest", "--from", tmp_path / "2026-11-02", "se").stdout
    assert "SE: 1 staged row links to no company: se.insyn 1" in said
    with firm.serving() as client:
        market, told = market_of(client, "SE"), metrics(client)
        assert [dataset_of(market, key)["unlinked_rows"] for key in ("se.insyn", "se.bolagsverket")] == [1, 0]
        assert told["firm_dataset_unlinked_rows", "SE", "se.insyn"] == 1
        assert told["firm_dataset_unlinked_rows", "SE", "se.bolagsverket"] == 0


def test_ingest_that_adds_unlinked_rows_alone_is_counted_without_a_release(firm: Firm, tmp_path: Path) -> None:
    firm.ingest(swedish_day(tmp_path, "2026-11-02", scb=(ONE, TWO, THREE)), "se")
    trade = f"{HEADER}2026-11-03 10:00:00;Annan Utgivare AB;;Någon;SE0000000002;X;Aktuell;\r\n"
    day = write_day(tmp_path, "2026-11-03", "se", [], {"insyn/y": trade.encode("utf-16-le")})
    report = firm.ingest(day, "se")
    assert (report["release"], report["reconciliations"]["SE"]["unlinked_rows"]["se.insyn"]) == (None, 2)
    with firm.serving() as client:
        assert dataset_of(market_of(client, "SE"), "se.insyn")["unlinked_rows"] == 2
        assert metrics(client)["firm_dataset_unlinked_rows", "SE", "se.insyn"] == 2


def test_ingest_counts_records_that_name_another_subject_but_no_corrected_typo(firm: Firm, tmp_path: Path) -> None:
    firm.ingest(british_day(tmp_path, "2026-11-01", {"name": "Mrs Ann Example"}, {"name": "Mr Jon Smithson"}), "uk")
    report = firm.ingest(
        british_day(tmp_path, "2026-11-02", {"name": "Mr Peter Stranger"}, {"name": "Mr John Smithson"}), "uk"
    )
    changed = report["reconciliations"]["UK"]["changed_subjects"]
    assert (changed["uk.psc"], changed["uk.companies"]) == (1, 0)
    with firm.serving() as client:
        assert dataset_of(market_of(client, "UK"), "uk.psc")["changed_subjects"] == 1
        assert metrics(client)["firm_dataset_changed_subjects", "UK", "uk.psc"] == 1


def test_ingest_counts_statuses_that_the_register_contradicts_and_names_examples(firm: Firm, tmp_path: Path) -> None:
    ended = finnish_files.company(endDate="2020-06-30", tradeRegisterStatus="1")
    day = write_day(tmp_path, "2026-11-01", "fi", [], {"ytj_v3/x.json": json.dumps(ended).encode()})
    [found] = firm.ingest(day, "fi")["reconciliations"]["FI"]["unexplained_statuses"]
    assert found == {
        "registry_status": "1",
        "meaning": "active",
        "served": "dissolved",
        "companies": 1,
        "examples": [f"firm:FI:{finnish_files.ONE}"],
    }
    with firm.serving() as client:
        assert market_of(client, "FI")["unexplained_statuses"] == 1
        assert market_of(client, "SE")["unexplained_statuses"] is None, "never loaded: not counted"
        assert metrics(client)["firm_market_unexplained_statuses", "FI"] == 1


def test_release_of_an_earlier_version_says_that_nothing_was_counted(firm: Firm, tmp_path: Path) -> None:
    firm.ingest(swedish_day(tmp_path, "2026-11-02"), "se")
    manifest = firm.data / "releases" / f"{1:010d}" / "manifest.json"
    written = json.loads(manifest.read_text())
    for state in written["markets"].values():
        del state["reconciliation"]
    manifest.write_text(json.dumps(written))
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    (firm.data / "releases" / "current.json").write_text(json.dumps({"release": 1, "manifest_sha256": digest}))
    with firm.serving() as client:
        market = market_of(client, "SE")
        assert (market["rules_without_data"], market["unexplained_statuses"]) == (None, None)
        assert dataset_of(market, "se.scb")["unlinked_rows"] is None
        assert not [key for key in metrics(client) if key[0].startswith("firm_dataset_")]
