"""Staged rows of entities as history gives them. Shared by the tests of the mapping."""

from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.kit import staging
from connectors.no import NORWAY
from connectors.no.enheter.schema import ENTITIES
from warehouse.schema.tables import COMPANIES
from warehouse.schema.types import Table

NUMBER = "923609016"
MONDAY = datetime(2026, 11, 16, 4, tzinfo=UTC)
TUESDAY = datetime(2026, 11, 17, 4, tzinfo=UTC)
TODAY = date(2026, 11, 18)
ENTITY = {
    "organisasjonsnummer": NUMBER,
    "navn": "EKSEMPEL AS",
    "organisasjonsform.kode": "AS",
    "organisasjonsform.beskrivelse": "Aksjeselskap",
    "naeringskode1.kode": "62.010",
    "naeringskode1.beskrivelse": "Programmeringstjenester",
    "naeringskodeverk": "SN2007",
    "harRegistrertAntallAnsatte": False,
    "hjemmeside": "www.eksempel.no",
    "forretningsadresse.adresse": "c/o Noen AS\nGate 1",
    "forretningsadresse.poststed": "OSLO",
    "forretningsadresse.postnummer": "0151",
    "forretningsadresse.kommune": "OSLO",
    "forretningsadresse.kommunenummer": "0301",
    "forretningsadresse.landkode": "NO",
    "registreringsdatoEnhetsregisteret": date(1995, 3, 12),
    "konkurs": False,
    "underAvvikling": False,
    "underTvangsavviklingEllerTvangsopplosning": False,
}
SHORT = {
    "organisasjonsnummer": NUMBER,
    "navn": "EKSEMPEL AS",
    "organisasjonsform.kode": "AS",
    "organisasjonsform.beskrivelse": "Aksjeselskap",
    "slettedato": date(2026, 9, 15),
    "respons_klasse": "SlettetEnhet",
}


def present(
    table: Table, row: dict[str, Any], seen: datetime = MONDAY, retired: datetime | None = None
) -> pl.LazyFrame:
    """One staged row as history gives it."""
    instant = pl.Datetime("us", "UTC")
    frame = staging.make_batch(table, [row]).rows
    return frame.with_columns(
        NORWAY.company_ids_of_rows(table.name, frame),
        pl.lit(seen, instant).alias("_observed_at"),
        pl.lit("0" * 64).alias("_raw"),
        pl.lit(retired, instant).alias("_retired_at"),
    ).lazy()


def companies(today: date = TODAY, **tables: pl.LazyFrame) -> list[dict[str, Any]]:
    shared = NORWAY.to_shared_tables(tables, today)["companies"]
    assert shared.schema == staging.staged_schema(COMPANIES)
    return shared.to_dicts()


def company(**changes: Any) -> dict[str, Any]:
    row = ENTITY | {name.replace("__", "."): value for name, value in changes.items()}
    (found,) = companies(no_enheter=present(ENTITIES, row))
    return found
