"""Norwegian files of several days through the whole job: owners of every source, announcements, listings, accounts."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from connectors.no import NORWAY
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.connectors.no import entity_files
from tests.connectors.no.account_files import RECORD
from tests.connectors.no.aksjonaerregister.test_dataset import line
from tests.connectors.no.market_files import euronext, form, group, message, node, share, shareholders
from tests.once import made_once
from tests.without_dagster import without_dagster
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
PARENT, CHILD, BANK = "923609016", "915330193", "984851006"
NAMES = {PARENT: "MORSELSKAP ASA", CHILD: "DATTER AS", BANK: "EKSEMPEL ASA"}


def entities(**changes: Mapping[str, str]) -> bytes:
    """Three companies as the bulk CSV of one edition has them."""
    rows = [
        entity_files.ROW | {"organisasjonsnummer": number, "navn": name} | dict(changes.get(f"n{number}", {}))
        for number, name in NAMES.items()
    ]
    return entity_files.sheet(*rows)


def recoded(**changes: Mapping[str, str]) -> bytes:
    """The edition with SN2025: every industry code is another one, and there are more columns."""
    new = {"naeringskode1.kode": "62.200", "naeringskode1.beskrivelse": "Konsulenttjenester", "erIKonsern": "true"}
    return entities(**{f"n{number}": new | dict(changes.get(f"n{number}", {})) for number in NAMES})


def accounts(*years: int, revenue: int = 900) -> bytes:
    records = []
    for year in years:
        period = {"fraDato": f"{year}-01-01", "tilDato": f"{year}-12-31"}
        record = json.loads(json.dumps(RECORD | {"regnskapsperiode": period, "journalnr": f"{year + 1}000001"}))
        record["virksomhet"]["organisasjonsnummer"] = BANK
        if year == 2025:
            record["resultatregnskapResultat"]["driftsresultat"]["driftsinntekter"]["sumDriftsinntekter"] = revenue
            record["id"] += revenue
        records.append(record)
    return json.dumps(records).encode()


def announced(number: int, category: int, title: str, when: str, **values: Any) -> bytes:
    told = message(number, category, title=title, publishedTime=f"{when}T08:00:00.000Z", **values)
    header = {"result.val": 0, "http.code": 200}
    return json.dumps({"header": header, "data": {"message": told}}, ensure_ascii=False).encode()


def held(*lines: str, country: str = "NO") -> bytes:
    return shareholders(*(text.replace(";NO;", f";{country};") for text in lines))


YEAR_2024 = (line("Fond AB", "", 49, country="SE"), line("Eier AS", PARENT, 300), line("Kari Nordmann", "1961", 120))
YEAR_2025 = (line("Fond AB", "", 49, country="SE"), line("Eier AS", PARENT, 550), line("Kari Nordmann", "1961", 120))
DAYS: dict[str, dict[str, bytes]] = {
    "2026-11-02": {
        "enheter_bulk_csv/enheter.csv": entities(),
        "konsernstruktur/923609016.json": group(PARENT, node(CHILD, "100%")),
        "aksjonaerregisteret/aksjeeiebok__2024.csv": held(*YEAR_2024),
        "euronext/list.csv": euronext(share("FIRST", "NO0003043309")),
        "newsweb/message-1.json": announced(1, 1104, "Contract", "2026-11-01"),
        "regnskap/984851006.json": accounts(2022, 2023, 2024),
    },
    # only what is no change in the world: industry codes recoded, the same accounts again
    "2026-11-03": {
        "enheter_bulk_csv/enheter.csv": recoded(),
        "konsernstruktur/923609016.json": group(PARENT, node(CHILD, "100 %")),
        "regnskap/984851006.json": accounts(2022, 2023, 2024),
    },
    "2026-11-04": {
        "enheter_bulk_csv/enheter.csv": recoded(),
        "aksjonaerregisteret/aksjeeiebok__2025.csv": held(*YEAR_2025),
        "euronext/list.csv": euronext(share("FIRST", "NO0003043309"), share("EKSEMPEL", "NO0010161896")),
        "newsweb/message-2.json": announced(2, 1001, "Eksempel ASA: Årsrapport 2025", "2026-11-03"),
        "newsweb/message-3.json": announced(3, 1001, "Eksempel ASA: Annual report 2025", "2026-11-03"),
        "newsweb/message-4.json": announced(4, 1002, "Eksempel ASA: Q3 2026", "2026-11-03"),
        "newsweb/message-5.json": announced(
            5, 1006, "Flagging", "2026-11-03", body=form("Fond AB", place="Stockholm, Sweden", now="5,01 0,00 5,01")
        ),
        "regnskap/984851006.json": accounts(2023, 2024, 2025),
    },
    "2026-11-05": {
        "enheter_bulk_csv/enheter.csv": recoded(n915330193={"erIKonsern": "false"}),
        "regnskap/984851006.json": accounts(2023, 2024, 2025, revenue=950),
        "newsweb/message-5.json": announced(
            5, 1006, "Flagging", "2026-11-03", body=form("Fond AB", place="Stockholm, Sweden", now="5,01 0,00 5,01")
        ),
    },
}


@dataclass(frozen=True)
class Norway:
    """The data folder after the last day, and the report of each."""

    data: Path
    reports: list[IngestReport]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Norway:
    folder = made_once(tmp_path_factory, "norway-owners", _live_through)
    return Norway(folder / "data", pickle.loads((folder / "reports").read_bytes()))


def _live_through(folder: Path, days: Mapping[str, Mapping[str, bytes]] = DAYS) -> list[IngestReport]:
    reports: list[IngestReport] = []
    settings = IngestSettings(data=folder / "data", workers=1)
    for day, files in days.items():
        place = folder / "days" / day
        for name, body in files.items():
            path = place / "no" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (place / "day.json").write_text(json.dumps({"date": day, "complete": ["no.enheter"]}))
        overrides = IngestOverrides(jurisdictions=(NORWAY,))
        with without_dagster():
            reports.append(ingest(settings, ["no"], FolderSource(place), overrides=overrides))
    (folder / "reports").write_bytes(pickle.dumps(reports))
    return reports


def served(firm: Norway, query: str) -> list[tuple[Any, ...]]:
    release = json.loads((firm.data / "releases" / "current.json").read_text())["release"]
    with open_release_tables(Layout(firm.data), release) as found:
        return found.execute(query).fetchall()


def test_the_first_day_and_what_is_no_change_are_silent(days: Norway) -> None:
    """SN2007 to SN2025, a percentage spelled otherwise, the same accounts again: no event (pitfall 9)."""
    assert [report.events for report in days.reports[:2]] == [{}, {}]


def test_each_change_of_the_third_day_is_told_once(days: Norway) -> None:
    """Twins are one report; the register's accounts of the year that the announcement told of are no second one."""
    assert days.reports[2].events == {"filing.added": 2, "ownership.changed": 2}


def test_leaving_a_group_and_corrected_accounts_are_told(days: Norway) -> None:
    assert days.reports[3].events == {"filing.updated": 1, "ownership.changed": 1}


def test_owners_of_every_source_are_one_line_each(days: Norway) -> None:
    rows = served(
        days,
        f"""select holder_name, pct, votes_pct, reconciliation, ended_on is not null from owners
            where company_id = 'firm:NO:{BANK}' and valid_to is null order by 1""",
    )
    assert [(name, float(pct), votes and float(votes), how, ended) for name, pct, votes, how, ended in rows] == [
        ("Eier AS", 55.0, None, "single", False),
        ("Fond AB", 5.01, 5.01, "agreed", False),
        ("Kari Nordmann", 12.0, None, "single", False),
    ]


def test_own_history_is_longer_than_the_three_years_that_are_served(days: Norway) -> None:
    rows = served(
        days,
        f"""select fiscal_year, version, revenue from financials
            where company_id = 'firm:NO:{BANK}' order by 1, 2""",
    )
    assert rows == [(2022, 1, 900), (2023, 1, 900), (2024, 1, 900), (2025, 1, 900), (2025, 2, 950)]


def test_a_listed_share_finds_its_company_by_name(days: Norway) -> None:
    rows = served(days, "select org_number, is_listed, is_listed_source from companies order by 1")
    assert rows == [(CHILD, False, None), (PARENT, False, None), (BANK, True, "no.euronext")]


def test_reports_are_filings_with_period_date_and_address(days: Norway) -> None:
    rows = served(
        days,
        """select native_id, filing_type, period_end::text, filed_at::text, document_url from filings
            where register = 'no.newsweb' order by 1""",
    )
    page = "https://newsweb.oslobors.no/message/"
    assert rows == [
        ("2", "annual_report", "2025-12-31", "2026-11-03", f"{page}2"),
        ("3", "annual_report", "2025-12-31", "2026-11-03", f"{page}3"),
        ("4", "interim_report", "2026-09-30", "2026-11-03", f"{page}4"),
    ]


def test_nothing_private_of_the_shareholder_file_is_kept(days: Norway) -> None:
    for path in (days.data / "archive").rglob("*"):
        assert not path.is_file() or b"STAVANGER" not in path.read_bytes(), path
    rows = served(days, "select sources from owners where holder_name = 'Kari Nordmann'")
    assert "1961" not in str(rows)


def test_company_that_moved_to_another_group_has_one_parent(tmp_path: Path) -> None:
    """Its new group lists it before its own turn to be requested comes, so that it is never requested itself."""
    days = {
        "2026-11-02": {
            "enheter_bulk_csv/enheter.csv": recoded(),
            "konsernstruktur/923609016.json": group(PARENT, node(CHILD, "100%")),
        },
        "2026-11-09": {
            "enheter_bulk_csv/enheter.csv": recoded(),
            "konsernstruktur/923609016.json": group(PARENT, node("982463718", "100%")),
            "konsernstruktur/984851006.json": group(BANK, node(CHILD, "100%")),
        },
    }
    reports = _live_through(tmp_path, days)
    query = f"""select holder_company_id, pct::int, ended_on::text from owners
        where company_id = 'firm:NO:{CHILD}' and valid_to is null order by 1"""
    assert served(Norway(tmp_path / "data", reports), query) == [(f"firm:NO:{BANK}", 100, None)]
    assert reports[1].events["ownership.changed"] == 2
