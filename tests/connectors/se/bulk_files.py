"""The two bulk files written by hand in the registries' own formats, and reading them."""

import io
import zipfile
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.kit import staging
from connectors.se import SWEDEN
from connectors.se.bulk.scb_schema import STATISTICS

BULK = SWEDEN.dataset("se.bolagsverket")
SCB = SWEDEN.dataset("se.scb")
INSTANT = datetime(2026, 11, 16, 6, tzinfo=UTC)
TODAY = date(2026, 11, 20)
ONE, TWO, THREE = "5560000001", "5560000002", "5560000003"
PERSON = "191212121212"

COLUMNS = (
    "organisationsidentitet",
    "namnskyddslopnummer",
    "registreringsland",
    "organisationsnamn",
    "organisationsform",
    "avregistreringsdatum",
    "avregistreringsorsak",
    "pagandeAvvecklingsEllerOmstruktureringsforfarande",
    "registreringsdatum",
    "verksamhetsbeskrivning",
    "postadress",
)
_MARKED = "COAdress Foretagsnamn FtgStat Gatuadress JEStat JurForm Namn Ng1 Ng2 Ng3 Ng4 Ng5 PostNr PostOrt RegDatKtid Reklamsparrtyp"
SCB_COLUMNS = (
    *[
        "ForAndrTyp",
        "COAdress",
        "Foretagsnamn",
        "FtgStat",
        "Gatuadress",
        "JEStat",
        "JurForm",
        "Namn",
        "Ng1",
        "Ng2",
        "Ng3",
        "Ng4",
        "Ng5",
        "PeOrgNr",
        "PostNr",
        "PostOrt",
        "RegDatKtid",
        "Reklamsparrtyp",
    ],
    *(f"m{name}" for name in _MARKED.split()),
)


def organisation(number: str = ONE, **changed: str) -> dict[str, str]:
    return {
        "organisationsidentitet": f"{number}$ORGNR-IDORG",
        "namnskyddslopnummer": "",
        "registreringsland": "SE-LAND",
        "organisationsnamn": "Exempel AB$FORETAGSNAMN-ORGNAM$2001-05-10",
        "organisationsform": "AB-ORGFO",
        "avregistreringsdatum": "",
        "avregistreringsorsak": "",
        "pagandeAvvecklingsEllerOmstruktureringsforfarande": "",
        "registreringsdatum": "2001-05-10",
        "verksamhetsbeskrivning": "Handel",
        "postadress": "Storgatan 1$$STOCKHOLM$11122$SE-LAND",
        **changed,
    }


def sole_trader(number: str = PERSON, **changed: str) -> dict[str, str]:
    said = {
        "organisationsidentitet": f"{number}$PERSON-IDORG",
        "organisationsform": "E-ORGFO",
        "organisationsnamn": "Hemliga Firman$FORETAGSNAMN-ORGNAM$2001-05-10",
    }
    return organisation(number, **(said | changed))


def bulk(*rows: dict[str, str], header: str = ";".join(COLUMNS)) -> bytes:
    lines = ['"' + '";"'.join(row[name] for name in COLUMNS) + '"' for row in rows]
    return "\n".join([header, *lines, ""]).encode()


def unit(number: str = ONE, **changed: str) -> dict[str, str]:
    return {
        "PeOrgNr": f"16{number}",
        "Namn": "EXEMPEL AB",
        "FtgStat": "1",
        "JEStat": "0",
        "JurForm": "49",
        "Ng1": "62100",
        "Ng2": "00000",
        "PostNr": "11122",
        "PostOrt": "STOCKHOLM",
        "RegDatKtid": "20010510",
        "Reklamsparrtyp": "1",
        **changed,
    }


def scb(*rows: dict[str, str], ending: str = "\t") -> bytes:
    lines = ["\t".join(row.get(name, "") for name in SCB_COLUMNS) + ending for row in rows]
    return "\n".join(["\t".join(SCB_COLUMNS) + "\t", *lines, ""]).encode("latin-1")


def zipped(name: str, body: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, body)
    return packed.getvalue()


def piece(dataset: Dataset, body: bytes, name: str = "bulkfil.txt", at: datetime = INSTANT) -> ArchiveMember:
    return ArchiveMember(dataset.key, name, "0" * 64, at, Scope.FULL, "batch", lambda: io.BytesIO(body))


def archived(dataset: Dataset, body: bytes) -> bytes:
    """What the archive keeps of a body."""
    assert dataset.redact is not None
    return dataset.redact(io.BytesIO(body)).read()


def batches(dataset: Dataset, body: bytes, at: datetime = INSTANT) -> list[Batch]:
    """All batches of a body as it came, without the door."""
    return [
        batch for part in dataset.split_members(piece(dataset, body, at=at)) for batch in dataset.read_batches(part)
    ]


def rows(found: Iterable[Batch]) -> pl.DataFrame:
    return pl.concat([batch.rows for batch in found])


def rejects(found: Iterable[Batch]) -> list[tuple[str, str, str]]:
    return pl.concat([batch.rejects for batch in found]).rows()


def signals(found: Iterable[Batch]) -> dict[tuple[str, str], int]:
    return {(signal.code, signal.subject): signal.count for batch in found for signal in batch.signals}


def present(table: pl.DataFrame, at: datetime = INSTANT, retired: datetime | None = None) -> pl.LazyFrame:
    instant = pl.Datetime("us", "UTC")
    return table.lazy().with_columns(
        _company_id=pl.lit(None, pl.String),
        _observed_at=pl.lit(at, instant),
        _raw=pl.lit("0" * 64),
        _retired_at=pl.lit(retired, instant),
    )


def profiles(
    organisations: list[dict[str, str]],
    units: list[dict[str, str]] | None = None,
    at: datetime = INSTANT,
    more: Mapping[str, pl.LazyFrame] | None = None,
) -> dict[str, dict[str, Any]]:
    """Profiles of the companies of the two files, by number, on the day of `at`; SCB's has no other companies.

    more: present rows of further staged tables.
    """
    statistics = rows(batches(SCB, scb(*units), at)) if units else staging.empty_staged_frame(STATISTICS)
    tables = {
        "se_bolagsverket": present(rows(batches(BULK, bulk(*organisations), at)), at),
        "se_scb": present(statistics, at),
        **(more or {}),
    }
    found = SWEDEN.to_shared_tables(tables, TODAY)["companies"]
    return {row["org_number"]: row for row in found.to_dicts()}
