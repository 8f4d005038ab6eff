"""Accounts written by hand in the register's own formats, and reading them. Shared by the tests of accounts."""

import io
import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.kit import staging
from connectors.no import NORWAY
from warehouse.schema.tables import FILINGS, FINANCIALS_REPORTED

API = NORWAY.dataset("no.regnskap")
MASS = NORWAY.dataset("no.regnskap_masse")
MONDAY = datetime(2026, 11, 16, 4, tzinfo=UTC)
TUESDAY = datetime(2026, 11, 17, 4, tzinfo=UTC)
NUMBER = "923609016"
RECORD = {
    "id": 7192427,
    "journalnr": "2026635024",
    "regnskapstype": "SELSKAP",
    "virksomhet": {"organisasjonsnummer": NUMBER, "organisasjonsform": "ASA", "morselskap": True},
    "regnskapsperiode": {"fraDato": "2025-01-01", "tilDato": "2025-12-31"},
    "valuta": "NOK",
    "avviklingsregnskap": False,
    "oppstillingsplan": "store",
    "revisjon": {"ikkeRevidertAarsregnskap": False, "fravalgRevisjon": False},
    "regnkapsprinsipper": {"smaaForetak": False, "regnskapsregler": "regnskapslovenAlminneligRegler"},
    "egenkapitalGjeld": {
        "sumEgenkapitalGjeld": 1000,
        "egenkapital": {
            "sumEgenkapital": 400,
            "opptjentEgenkapital": {"sumOpptjentEgenkapital": 300},
            "innskuttEgenkapital": {"sumInnskuttEgenkaptial": 100},
        },
        "gjeldOversikt": {"sumGjeld": 600, "kortsiktigGjeld": {"sumKortsiktigGjeld": 600}, "langsiktigGjeld": {}},
    },
    "eiendeler": {"sumEiendeler": 1000, "omloepsmidler": {}, "anleggsmidler": {}},
    "resultatregnskapResultat": {
        "ordinaertResultatFoerSkattekostnad": 60,
        "aarsresultat": 50,
        "totalresultat": 55,
        "finansresultat": {"nettoFinans": -40, "finansinntekt": {}, "finanskostnad": {}},
        "driftsresultat": {
            "driftsresultat": 100,
            "driftsinntekter": {"sumDriftsinntekter": 900},
            "driftskostnad": {"sumDriftskostnad": 800},
        },
    },
}


def changed(path: str, value: object, record: dict[str, Any] = RECORD) -> dict[str, Any]:
    """A record with one member replaced, or taken away (...)."""
    record = deepcopy(record)
    *steps, last = path.split(".")
    place: Any = record
    for step in steps:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return record


def batches(dataset: Dataset, body: bytes, name: str = "x.json", seen: datetime = MONDAY) -> list[Batch]:
    piece = ArchiveMember(dataset.key, name, "0" * 64, seen, Scope.PART, "b", lambda: io.BytesIO(body))
    return [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]


def api(*records: object) -> Batch:
    (batch,) = batches(API, json.dumps(list(records)).encode())
    return batch


def present(frame: pl.DataFrame, seen: datetime = MONDAY) -> pl.LazyFrame:
    instant = pl.Datetime("us", "UTC")
    return frame.with_columns(
        pl.lit(None, pl.String).alias("_company_id"),
        pl.lit(seen, instant).alias("_observed_at"),
        pl.lit("0" * 64).alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    ).lazy()


def normalised(**tables: pl.LazyFrame) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    shared = NORWAY.to_shared_tables(tables, date(2026, 11, 18))
    assert shared["filings"].schema == staging.staged_schema(FILINGS)
    assert shared["financials_reported"].schema == staging.staged_schema(FINANCIALS_REPORTED)
    return shared["filings"].to_dicts(), shared["financials_reported"].to_dicts()


def reported(record: dict[str, Any]) -> dict[str, Any]:
    _, (row,) = normalised(no_regnskap=present(api(record).rows))
    return row


def signals(batch: Batch) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for signal in batch.signals}


def part(kind: str, posts: Mapping[int, str | None], **head: str) -> str:
    fields = {
        "orgnr": NUMBER,
        "regnskapstype": "S",
        "regnaar": "2025",
        "valutakode": "NOK",
        "regnskap_dokumenttype": kind,
        "startdato": "20250101",
        "avslutningsdato": "20251231",
        "journalnr": "2026635024",
        "mottatt_dato": "20260625",
        "orgform": "AS",
        "regler_smaa": "J",
    } | head
    hode = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    infos = "".join(
        f"<info><feltkode>{code}</feltkode><sum>{value or '0.00'}</sum><post nr='1'>{f'<tall>{value}</tall>' if value else ''}</post></info>"
        for code, value in posts.items()
    )
    return f"<del><hode>{hode}</hode>{infos}</del>"


def mass(*parts: str, posts: int = 0) -> Batch:
    body = f'<?xml version="1.0" encoding="ISO-8859-1"?><deler><ant_poster>{posts}</ant_poster>{"".join(parts)}</deler>'
    (batch,) = batches(MASS, body.encode("iso-8859-1"), "20260701010203-masse-1.xml")
    return batch


RES = {72: "900.00", 146: "100.00", 172: "50.00", 17126: "800.00", 6972: "700.00", 7026: "70.00", 7054: "7.00"}
BAL = {219: "1000.00", 250: "400.00", 251: "1000.00", 1119: "600.00", 7142: "350.00", 7127: "950.00"}
