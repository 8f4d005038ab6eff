"""Readers that others wrote read the sandbox's files: edgartools those of EDGAR, DuckDB tables and JSON.

stream-read-xbrl reads its accounts in `test_sandbox_uk`. What they read must be what the world knows, not ours.
"""

from __future__ import annotations

import importlib.util
import json
import re
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import duckdb
import pytest
from lxml import etree

from sandbox import World, sufficient_companies
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us import companyfacts, feeds, files, headers
from tests.connectors.echo.played import Played

LAST = 3


@pytest.fixture(scope="module")
def american() -> World:
    return World(seed=5, companies=sufficient_companies(4, ("US",)), days=4, markets=("US",))


def edgar(name: str) -> ModuleType:
    """A module of edgartools."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(f"edgar.{name}", reason="edgartools is not installed")


def filings(
    world: World, is_asked: Callable[[FiledDocument], bool]
) -> Iterator[tuple[Company, FiledDocument, list[str]]]:
    """Filings with the XML documents in them."""
    for company in world.all("US", LAST):
        for paper in company.american.filings:
            if is_asked(paper):
                text = headers.complete_submission(company, paper)
                yield company, paper, re.findall(r"<XML>\s*(.*?)\s*</XML>", text, re.DOTALL)


def owned(kind: type) -> Callable[[FiledDocument], bool]:
    return lambda paper: isinstance(paper.ownership, kind)


@pytest.mark.filterwarnings("ignore")
def test_edgartools_reads_every_fact(american: World) -> None:
    parser = edgar("entity.parser").EntityFactsParser
    compared = 0
    for company in american.all("US", LAST):
        answer = companyfacts.companyfacts_record(company)
        if answer is None:
            continue
        found = {
            (fact.concept.partition(":")[2], str(fact.period_end), Decimal(str(fact.value)))
            for fact in parser.parse_company_facts(answer)
        }
        due = {
            (tag, fact["end"], Decimal(str(fact["val"])))
            for tags in answer["facts"].values()
            for tag, told in tags.items()
            for unit in told["units"].values()
            for fact in unit
        }
        assert found == due
        compared += len(due)
    assert compared > 1_000


@pytest.mark.filterwarnings("ignore")
def test_edgartools_reads_schedules(american: World) -> None:
    module = edgar("beneficial_ownership.schedule13")
    compared = 0
    for company, paper, documents in filings(american, owned(Schedule13Filing)):
        stake = paper.ownership
        assert isinstance(stake, Schedule13Filing)
        reader = module.Schedule13D if stake.is_active else module.Schedule13G
        told = reader.parse_xml(documents[0])
        assert int(told["issuer_info"].cik) == int(company.number.removeprefix("US"))
        people = told["reporting_persons"]
        assert [person.name for person in people] == [party.name for party in stake.persons]
        assert {Decimal(str(person.percent_of_class)) for person in people} == {stake.percent}
        compared += 1
    assert compared > 10


@pytest.mark.filterwarnings("ignore")
def test_edgartools_reads_insiders(american: World) -> None:
    """The table of shares alone: of persons edgartools would ask EDGAR itself."""
    tools, reader = edgar("xmltools"), edgar("ownership.table_containers").NonDerivativeTable
    compared = 0
    for _, paper, documents in filings(american, owned(InsiderReport)):
        insider = paper.ownership
        assert isinstance(insider, InsiderReport)
        root = tools.parse_xml(documents[0])
        told = reader.extract(tools.find_element(root, "nonDerivativeTable"), form=paper.form)
        held = [*told.holdings.data["Shares"]] if told.has_holdings else []
        held += [*told.transactions.data["Remaining"]] if told.has_transactions else []
        counts = [int(float(count)) for count in held]
        assert insider.shares in {sum(counts), *counts}
        assert tools.child_text(root, "periodOfReport") == str(insider.event)
        compared += 1
    assert compared > 5


@pytest.mark.filterwarnings("ignore")
def test_edgartools_reads_managers(american: World) -> None:
    table = edgar("thirteenf.parsers.infotable_xml").parse_infotable_xml
    cover = edgar("thirteenf.parsers.primary_xml").parse_primary_document_xml
    compared = 0
    for _, paper, documents in filings(american, owned(ManagerReport)):
        managed = paper.ownership
        assert isinstance(managed, ManagerReport)
        [head] = [one for one in documents if "<edgarSubmission" in one]
        [body] = [one for one in documents if "informationTable" in one[:600]]
        told = cover(head)
        assert told.report_period.date() == managed.period
        assert told.cover_page.is_amendment is (managed.amends is not None)
        assert managed.shares in set(table(body)["SharesPrnAmount"].astype(int))
        compared += 1
    assert compared > 3


@pytest.mark.filterwarnings("ignore")
def test_edgartools_reads_the_newest_filings(american: World) -> None:
    module = edgar("current_filings")
    entries = files.party_entries(files.day_filings(american, LAST))
    body = feeds.atom_feed(entries, datetime.combine(american.date(LAST), time(4, tzinfo=UTC))).encode("latin-1")
    found = set()
    for entry in etree.fromstring(body).iter("{*}entry"):
        form, _, cik, _ = module.parse_title(entry.findtext("{*}title"))
        day, accession = module.parse_summary(entry.findtext("{*}summary"))
        found.add((form, int(cik), day, accession))
    due = {(paper.form, int(party[0]), paper.filed, paper.accession) for _, paper, party in entries}
    assert {(form, day, accession) for form, _, day, accession in found} == {
        (form, day, accession) for form, _, day, accession in due
    }
    assert len(found) > 5


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    world = World(seed=5, companies=sufficient_companies(2, ("NO", "UK")), days=2, markets=("NO", "UK"))
    return Played(world, tmp_path_factory.mktemp("peers"))


def query(statement: str) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        return connection.execute(statement).fetchall()


def put(folder: Path, name: str, body: bytes) -> Path:
    path = folder / name
    path.write_bytes(body)
    return path


def test_duckdb_reads_the_norwegian_table(played: Played, tmp_path: Path) -> None:
    body = list(played.files("no/enheter_bulk_csv/*"))[-1]
    path = put(tmp_path, "enheter.csv", body)
    rows = query(f"SELECT organisasjonsnummer, navn FROM read_csv('{path}', all_varchar=true, header=true)")
    living = {one.number: one.name for one in played.world.all("NO", 1) if one.is_in_register}
    assert dict(rows) == living


def test_duckdb_reads_the_british_table(played: Played, tmp_path: Path) -> None:
    body = list(played.files("uk/basic_company_data/*.zip"))[-1]
    path = put(tmp_path, "companies.csv", body)
    rows = query(
        f"SELECT CompanyNumber, CompanyName FROM read_csv('{path}', all_varchar=true, header=true, quote='\"')"
    )
    living = {one.number: one.name for one in played.world.all("UK", 1) if one.is_in_register}
    assert dict(rows) == living


def test_duckdb_reads_the_lines_of_holders(played: Played, tmp_path: Path) -> None:
    body = list(played.files("uk/psc_snapshot/*.zip"))[-1]
    path = put(tmp_path, "psc.json", body)
    rows = query(
        f"SELECT company_number, count(*) FROM read_json('{path}', format='newline_delimited', "
        "columns={company_number: 'VARCHAR', data: 'JSON'}) WHERE company_number IS NOT NULL "
        "AND json_extract_string(data, '$.links.self') LIKE '%/individual/%' GROUP BY ALL"
    )
    lines = [json.loads(line) for line in body.splitlines()]
    individual = [
        line["company_number"] for line in lines if "/individual/" in line["data"].get("links", {}).get("self", "")
    ]
    assert dict(rows) == {number: individual.count(number) for number in set(individual)}
    assert rows


def test_the_modules_of_edgartools_are_those_that_are_installed() -> None:
    """Skipped only where edgartools is absent, not where a module of it was moved."""
    if importlib.util.find_spec("edgar") is None:
        pytest.skip("edgartools is not installed")
    for name in ("entity.parser", "ownership.forms", "current_filings", "beneficial_ownership.schedule13"):
        assert importlib.util.find_spec(f"edgar.{name}") is not None
