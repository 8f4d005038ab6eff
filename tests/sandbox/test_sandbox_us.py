"""The American side of the generated world, read by nothing of ours: sums, doors, damage, holders."""

import io
import json
import re
import zipfile
from collections import Counter
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sandbox import FAULTS, World, damage_file, expected, minimum_companies, write_day
from sandbox.http.routes import RegistryResponder
from sandbox.model.us import Schedule13Filing
from sandbox.us import companyfacts, files, http, submissions
from warehouse.schema import identifiers

WORLD = World(seed=5, companies=minimum_companies("US", 4), days=4, markets=("US",))
LAST = 3


def test_numbers_are_canonical_and_lead_back_to_their_position() -> None:
    for position in (0, 7, 99_999):
        company = WORLD.company("US", position, 0)
        number = identifiers.parse_company_number(company.number)
        assert number is not None
        assert (number.market, number.org_number) == ("US", company.number)
    accessions = [paper.accession for one in WORLD.all("US", LAST) for paper in one.american.filings]
    assert len(set(accessions)) == len(accessions)
    for accession in accessions[::7]:
        found = files.find_filing(WORLD, LAST, accession)
        assert found is not None
        assert found[1].accession == accession
    for unknown in ("0000000001-26-000001", "9000999999-26-000001", "7000000000-26-999999"):
        assert files.find_filing(WORLD, LAST, unknown) is None


def values(answer: dict[str, Any], tag: str) -> dict[tuple[str | None, str], list[int]]:
    found: dict[tuple[str | None, str], list[int]] = {}
    for fact in answer["facts"]["us-gaap"][tag]["units"]["USD"]:
        found.setdefault((fact.get("start"), fact["end"]), []).append(fact["val"])
    return found


def test_quarters_add_up_to_what_the_year_so_far_says() -> None:
    seen = 0
    for company in WORLD.all("US", LAST):
        sums: dict[date, int] = {}
        for interim in company.american.quarterly_reports:
            told = values(companyfacts.companyfacts_record(company) or {}, "Revenues")
            sums[interim.year_start] = sums.get(interim.year_start, 0) + interim.results[0]
            so_far = told[str(interim.year_start), str(interim.end)]
            assert set(so_far) == {sums[interim.year_start]}
            seen += interim.quarter > 1
    assert seen > 50


def test_the_last_quarter_is_what_the_others_leave() -> None:
    fourths = 0
    for position in range(WORLD.count("US", LAST)):
        rows = expected.expected_financials(WORLD.company("US", position, LAST))
        years = {row["fiscal_year"]: row for row in rows if row["period_type"] == "annual"}
        quarters = [row for row in rows if row["period_type"] == "quarterly"]
        for last in (row for row in quarters if row["fiscal_quarter"] == 4):
            year = [row["revenue"] for row in quarters if row["fiscal_year"] == last["fiscal_year"]]
            assert sum(year) == years[last["fiscal_year"]]["revenue"]
            assert last["derived"] == ["revenue", "operating_result", "net_result"]
            fourths += 1
    assert fourths > 20


def test_joint_filers_hold_the_same_shares_once() -> None:
    joint = 0
    for company in WORLD.all("US", LAST):
        owners = expected.expected_owners(company, WORLD.date(LAST))
        assert sum(Decimal(str(row["pct"] or 0)) for row in owners) <= 100
        for paper in company.american.filings:
            if isinstance(paper.ownership, Schedule13Filing) and len(paper.ownership.persons) > 1:
                joint += 1
                rows = [row for row in owners if row["pct_min"] == float(paper.ownership.percent)]
                assert [row["pct"] is not None for row in rows].count(True) <= 1
    assert joint


def test_the_atom_is_paged_to_its_end_and_names_every_party() -> None:
    def page(start: int, count: int) -> http.SandboxResponse:
        return http.newest_filings(WORLD, LAST, {"start": str(start), "count": str(count)})

    every = page(0, 1_000).body.decode("latin-1")
    titles = re.findall(r"<title>(.+? - .+?)</title>", every.partition("<entry>")[2])
    paged: list[str] = []
    while (answer := page(len(paged), 40)).status == 200:
        paged += re.findall(r"<title>(.+? - .+?)</title>", answer.body.decode("latin-1").partition("<entry>")[2])
    assert paged == titles
    assert len(titles) > 150
    assert (answer.status, answer.kind) == (503, "text/html")
    numbers = Counter(re.findall(r"accession-number=([\d-]+)", every))
    assert {1, 2, 3} <= set(numbers.values())  # alone, with an insider, with joint filers
    roles = set(re.findall(r"\((\w[\w ]+)\)</title>", every))
    assert roles == {"Filer", "Subject", "Filed by", "Issuer", "Reporting"}


def test_continuation_files_continue_the_list() -> None:
    paged = 0
    for company in WORLD.all("US", LAST):
        answer, page = submissions.submissions_record(company), submissions.continuation_page(company)
        assert bool(answer["filings"]["files"]) == (page is not None)
        if page is None:
            continue
        paged += 1
        (file,) = answer["filings"]["files"]
        assert file["filingCount"] == len(page["accessionNumber"])
        assert (file["filingFrom"], file["filingTo"]) == (page["filingDate"][-1], page["filingDate"][0])
        recent = answer["filings"]["recent"]
        assert not set(recent["accessionNumber"]) & set(page["accessionNumber"])
        assert min(recent["filingDate"], default="9") >= file["filingTo"]
    assert paged > 20


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_day(WORLD, 1, tmp_path_factory.mktemp("us"))


@pytest.mark.parametrize("fault", ["new_column", "missing_column", "unknown_status", "clock_flicker"])
def test_damage_of_submissions_is_what_its_name_says(folder: Path, tmp_path: Path, fault: str) -> None:
    body = (folder / "us/submissions/submissions.zip").read_bytes()
    path = tmp_path / "submissions.zip"
    path.write_bytes(body)
    damage_file(path, fault)
    before, after = filer(body), filer(path.read_bytes())
    recent, was = after["filings"]["recent"], before["filings"]["recent"]
    assert before != after
    assert {
        "new_column": after.get("newKey") == "x" and "newColumn" in recent,
        "missing_column": "accessionNumber" not in recent,
        "unknown_status": after["entityType"] == "XQZ",
        "clock_flicker": {**recent, "acceptanceDateTime": 0} == {**was, "acceptanceDateTime": 0},
    }[fault]


def filer(body: bytes) -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return json.loads(archive.read("CIK9000000001.json"))


def test_blocks_and_missing_files_are_named_troubles() -> None:
    assert {"rate_limited", "blocked", "missing", "html", "truncated", "cut_off"} <= set(FAULTS)


def test_large_bodies_are_kept_for_the_day(tmp_path: Path) -> None:
    desk = RegistryResponder(WORLD, tmp_path)
    path = "/Archives/edgar/daily-index/xbrl/companyfacts.zip"
    first = desk.respond(path)
    assert (first.is_cacheable, desk.respond(path).tag) == (True, first.tag)
    desk.advance()
    assert desk.respond(path).tag != first.tag
