"""British owners of several days through the whole job: bands, ended records, protected ones, form TR-1."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from connectors.uk import UNITED_KINGDOM
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.connectors.uk.conftest import CsvBodies, PscBodies
from tests.connectors.uk.nsm.test_dataset import LEI, answer, item
from tests.connectors.uk.nsm.test_tr1_form import LINES
from tests.searched import texts
from tests.without_dagster import without_dagster
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
SHARES = "ownership-of-shares-{}-percent"
OVERSEAS = "ownership-of-shares-more-than-25-percent-registered-overseas-entity"
# company -> natures of its one holder on the first and the second day
BANDS: dict[str, tuple[list[str], list[str]]] = {
    "00000101": ([SHARES.format("25-to-50")], [SHARES.format("50-to-75")]),
    "00000102": ([SHARES.format("75-to-100")], [SHARES.format("25-to-50")]),
    "00000103": ([SHARES.format("50-to-75")], [SHARES.format("75-to-100")]),
    "00000104": ([SHARES.format("25-to-50")], [SHARES.format("25-to-50") + "-as-trust"]),
    "OE000105": ([OVERSEAS], [SHARES.format("75-to-100") + "-registered-overseas-entity"]),
    "00000106": ([SHARES.format("25-to-50")], [SHARES.format("25-to-50"), "voting-rights-25-to-50-percent"]),
    "00000107": (["significant-influence-or-control"], ["right-to-appoint-and-remove-directors"]),
}
SECRET = "7 Secret Road"
LISTED, GIVEN, ENDED = "00000201", "00000202", "00000203"
NUMBERS = (*BANDS, LISTED, GIVEN, ENDED)
GLEIF = {
    "data": [
        {
            "type": "lei-records",
            "id": LEI,
            "attributes": {
                "lei": LEI,
                "entity": {
                    "legalName": {"name": "EXAMPLE GROUP PLC", "language": "en"},
                    "registeredAt": {"id": "RA000585", "other": None},
                    "registeredAs": LISTED,
                    "jurisdiction": "GB",
                    "category": "GENERAL",
                    "status": "ACTIVE",
                },
                "registration": {"status": "ISSUED", "lastUpdateDate": "2026-01-01T00:00:00Z"},
            },
        }
    ]
}


def register() -> bytes:
    return CsvBodies.table(*({"CompanyNumber": number, "CompanyName": f"COMPANY {number}"} for number in NUMBERS))


def snapshot(day: int) -> bytes:
    records = [
        PscBodies.record(
            number,
            f"id-{number}",
            etag=f"{day:040}",
            natures_of_control=natures[day],
            date_of_birth={"month": 2, "year": 1907},
            address={"address_line_1": SECRET},
        )
        for number, natures in BANDS.items()
    ]
    records.append(PscBodies.record(ENDED, "id-ended", **({"ceased_on": "2026-11-19"} if day else {})))
    if day:
        records.append(PscBodies.record(GIVEN, "id-new", natures_of_control=[SHARES.format("75-to-100")]))
    totals = {
        "kind": "totals#persons-of-significant-control-snapshot",
        "persons_of_significant_control_count": len(records),
        "statements_count": 0,
        "exemptions_count": 0,
    }
    return PscBodies.lines(*records, {"data": totals})


def notified(**totals: tuple[str, str]) -> bytes:
    """A search answer with the notifications of some holders: total and day of the crossing."""
    items = [
        item(
            f"RNS-{holder}-{day}",
            LINES.format(now=f"{total}\n0\n{total}\n1,000", before="")
            .replace("City of Sample Investment", holder)
            .replace("London", SECRET)
            .replace("20-Aug-2026", day)
            + f"11. Additional information\n{SECRET}\n",
            submitted_date="2026-11-20T07:00:00.000Z",
        )
        for holder, (total, day) in totals.items()
    ]
    return json.dumps(answer(*items)).encode()


DAYS = {
    "2026-11-19": {
        "basic_company_data/BasicCompanyDataAsOneFile-2026-11-01.csv": register(),
        "psc_snapshot/persons-with-significant-control-snapshot-2026-11-19.txt": snapshot(0),
        "gleif/lei.json": json.dumps(GLEIF).encode(),
        "fca_nsm/one.json": notified(
            Alpha=("4.99", "16-Nov-2026"), Beta=("6.01", "16-Nov-2026"), Gamma=("5.00", "16-Nov-2026")
        ),
    },
    "2026-11-20": {
        "psc_snapshot/persons-with-significant-control-snapshot-2026-11-20.txt": snapshot(1),
        "fca_nsm/two.json": notified(
            Alpha=("5.00", "19-Nov-2026"), Beta=("7.02", "19-Nov-2026"), Gamma=("Below 3%", "19-Nov-2026")
        ),
    },
}


@dataclass(frozen=True)
class Kingdom:
    """The data folder after the last day, and the report of each."""

    data: Path
    reports: list[IngestReport]

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        release = json.loads((self.data / "releases" / "current.json").read_text())["release"]
        with open_release_tables(Layout(self.data), release) as found:
            return found.execute(statement).fetchall()

    def changes(self, day: int) -> list[tuple[str, float, float, tuple[int, ...], str]]:
        """Company, previous, current, thresholds and basis of the events of one day."""
        made = duckdb.execute(
            f"select company_id, data from read_parquet('{self.data}/ledger/*.parquet') "
            "where event_type = 'ownership.changed' order by sequence"
        ).fetchall()
        before = sum(report.events.get("ownership.changed", 0) for report in self.reports[:day])
        count = self.reports[day].events.get("ownership.changed", 0)
        found = [(company[8:], json.loads(data)["change"]) for company, data in made[before : before + count]]
        return sorted(
            (company, c["previous_pct"], c["current_pct"], tuple(c["thresholds_crossed"]), c["basis"])
            for company, c in found
        )


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Kingdom:
    root, data = tmp_path_factory.mktemp("days"), tmp_path_factory.mktemp("owners") / "data"
    reports = []
    settings, overrides = IngestSettings(data=data, workers=1), IngestOverrides(jurisdictions=(UNITED_KINGDOM,))
    for day, files in DAYS.items():
        for name, body in files.items():
            path = root / day / "uk" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (root / day / "day.json").write_text(json.dumps({"date": day, "complete": ["uk.companies", "uk.psc"]}))
        with without_dagster():
            reports.append(ingest(settings, ["uk"], FolderSource(root / day), overrides=overrides))
    return Kingdom(data, reports)


def test_the_first_day_is_silent(days: Kingdom) -> None:
    assert [(report.events, report.held) for report in days.reports[:1]] == [({}, ())]


def test_a_change_of_band_is_an_event_only_where_the_bands_do_not_overlap(days: Kingdom) -> None:
    """CONTRACT 4.6: lower bounds; touching is not overlapping; a trust, votes and other rights are no change."""
    assert days.changes(1) == [
        ("00000101", 25, 50, (50,), "band"),
        ("00000102", 75, 25, (50,), "band"),
        (LISTED, 4.99, 5, (5,), "exact"),
        (LISTED, 5, 0, (5,), "exact"),
        (GIVEN, 0, 75, (5, 10, 20, 50), "band"),
        (ENDED, 25, 0, (5, 10, 20), "band"),
    ]


def test_a_holder_below_the_lowest_threshold_is_gone(days: Kingdom) -> None:
    """From 5.00: below 3 % nothing more is said, and steps that cross no threshold are no events."""
    rows = days.query(
        f"select holder_name, pct from owners where company_id = 'firm:UK:{LISTED}' and valid_to is null"
        " order by holder_name"
    )
    assert [(name.partition(" ")[0], float(pct)) for name, pct in rows] == [("Alpha", 5), ("Beta", 7.02)]


def test_no_birth_and_no_address_of_a_holder_is_kept_anywhere(days: Kingdom) -> None:
    """Neither in the archive nor in any table, each unpacked by its kind."""
    files = [path for path in days.data.rglob("*") if path.is_file()]
    held = {path: b"\n".join(texts(path)).decode(errors="replace") for path in files}
    kinds = {path.suffix for path in held}
    assert {".zst", ".parquet", ".duckdb"} <= kinds
    for known in ("natures_of_control", "document_content", "Mrs Ann Example"):
        assert any(known in body for body in held.values())
    told = [path for path, body in held.items() if re.search(r"Secret|\b1907\b|date_of_birth\"", body)]
    assert told == []


def test_a_record_that_ceased_is_kept_as_history(days: Kingdom) -> None:
    rows = days.query(f"select native_id, ended_on::text from holdings where company_id = 'firm:UK:{ENDED}'")
    assert ("id-ended", "2026-11-19") in rows
