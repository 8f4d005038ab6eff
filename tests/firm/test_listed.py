"""Listings through the pipeline: lines of FIRDS find their company by LEI, and one missing file delists nobody."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from stdnum import isin as isins

from connectors.no import NORWAY
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.connectors.firds.firds_files import Line, full, packed, whole_name
from tests.connectors.gleif.gleif_bodies import answer, lei, record
from tests.connectors.gleif.level2.test_dataset import relation, xml
from tests.connectors.no.entity_files import ELEMENT
from tests.without_dagster import without_dagster
from warehouse.reader.reader import PinnedRelease, ReleaseReader

pytestmark = pytest.mark.slow
KEPT = ("no.enheter", "no.enhet", "no.lei", "no.lei_parents", "no.firds", "no.firds_changes", "no.isin")
TABLES = {name for made in NORWAY.datasets if made.key in KEPT for name in made.staged_tables}
MARKET = replace(
    NORWAY,
    datasets=tuple(made for made in NORWAY.datasets if made.key in KEPT),
    links=tuple(link for link in NORWAY.links if {link.table, link.through} <= TABLES),
    holder_columns={},
    removal_masks={},
    companions=(),
    dated_datasets=(),
)
NUMBER, COMPANY = "923609016", "firm:NO:923609016"
LEI, PARENT = lei("A"), lei("D")
ISIN = "NO0010096985"
SATURDAY = date(2026, 1, 3)
OTHERS = tuple(f"NO00{number:07}" for number in range(40))


def files(day: date, *, is_traded: bool) -> dict[str, bytes]:
    """One Saturday's files: others' shares, and ours where it trades."""
    others = [Line(stem + isins.calc_check_digit(stem), "XOSL", lei=lei(stem[4:])) for stem in OTHERS]
    mine = [Line(ISIN, "XOSL", lei=LEI), Line(ISIN, "FRAB", lei=LEI, asked="false")] if is_traded else []
    return {f"firds/{whole_name(day)}": packed(full(*others, *mine), whole_name(day))}


REGISTERS = {
    "enhet/923609016.json": json.dumps(ELEMENT | {"organisasjonsnummer": NUMBER}).encode(),
    "gleif/records.json": answer(record(LEI, "RA000472", "923 609 016")),
    "gleif/20260103-0000-gleif-goldencopy-rr.xml": xml(relation(LEI, PARENT, amount="100.00")),
    "isin_lei/isin-lei.csv": f"LEI,ISIN\n{LEI},{ISIN}\n{LEI},NO0010936792\n".encode(),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("listed")


def take(root: Path, day: date, given: dict[str, bytes]) -> IngestReport:
    folder = root / f"given-{day}"
    for name, body in given.items():
        path = folder / "no" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    (folder / "day.json").write_text(json.dumps({"date": day.isoformat(), "complete": ["no.firds"]}))
    settings, overrides = IngestSettings(data=root / "data", workers=1), IngestOverrides(jurisdictions=(MARKET,))
    with without_dagster():
        return ingest(settings, ["no"], FolderSource(folder), overrides=overrides)


@contextmanager
def pinned(root: Path) -> Iterator[PinnedRelease]:
    reader = ReleaseReader(IngestSettings(data=root / "data").layout)
    try:
        with reader.pin_release() as snapshot:
            yield snapshot
    finally:
        reader.close()


def listed(root: Path) -> tuple[bool, str | None]:
    with pinned(root) as snapshot:
        document = snapshot.profile(COMPANY)
        assert document is not None
        return json.loads(document.body)["is_listed"], json.loads(snapshot.profile_parts(COMPANY)["detail"])[
            "is_listed_source"
        ]


def identifiers(root: Path) -> dict[str, Any]:
    with pinned(root) as snapshot:
        return json.loads(snapshot.profile_parts(COMPANY)["identifiers"])


def test_a_company_is_listed_found_and_delisted_after_two_files(root: Path) -> None:
    report = take(root, SATURDAY, REGISTERS | files(SATURDAY, is_traded=True))
    assert (report.errors, report.held, report.events) == ((), (), {})
    assert listed(root) == (True, "no.firds")
    assert identifiers(root) | {"vat": None, "euid": None, "cik": None, "ticker": None} == {
        "lei": LEI,
        "isin": [ISIN, "NO0010936792"],
        "ticker": None,
        "exchange_mic": "XOSL",
        "vat": None,
        "euid": None,
        "cik": None,
    }
    with pinned(root) as snapshot:
        assert [snapshot.ids_by_identifier(text) for text in (LEI, ISIN, PARENT)] == [(COMPANY,), (COMPANY,), ()]
        owners, known = snapshot.company_owners(COMPANY, SATURDAY, None, None, 10)
        (owner,) = map(json.loads, owners.rows)
        assert (owner["pct"], owner["pct_min"], owner["basis"], known) == (None, None, None, None)
        assert owner["sources"][0]["native_id"] == PARENT
    week = timedelta(days=7)
    for place, due in enumerate([True, True, False], start=1):
        day = SATURDAY + place * week
        report = take(root, day, files(day, is_traded=place == 1))
        assert (report.errors, report.held, report.events) == ((), (), {} if due else {"company.changed": 1})
        assert listed(root) == (due, "no.firds"), day
    assert identifiers(root)["exchange_mic"] is None
