"""The invented market with rows that name no company: accounts by LEI, trades by LEI or name, shorts by ISIN.

Accounts of issuers (`fi.issuers`: id, lei, name, year, revenue), who they are (`fi.lei`: lei, number), and
stakes in them (`fi.stakes`: id, isin, holder, low) through an exchange's list (`fi.list`: isin, lei).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import polars as pl

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    ComputedKey,
    GuardLimits,
    Jurisdiction,
    Link,
    RecognisedFile,
    Scope,
)
from connectors.kit import staging
from tests.pipelines import invented
from warehouse.schema import tables
from warehouse.schema.ids import filing_id
from warehouse.schema.types import Column, ColumnKind, Table

_T, _I = ColumnKind.TEXT, ColumnKind.INTEGER


def _table(name: str, *columns: str) -> Table:
    kinds = {"year": _I, "revenue": _I, "low": ColumnKind.PERCENT}
    made = tuple(Column(column, kinds.get(column, _T), "c") for column in columns)
    return Table(f"fi_{name}", name, columns[:1], made)


ISSUERS = _table("issuers", "id", "lei", "name", "year", "revenue")
LEI = _table("lei", "lei", "number")
LIST = _table("list", "isin", "lei")
STAKES = _table("stakes", "id", "isin", "holder", "low")
NAME = ComputedKey("core_name", lambda rows: rows["name"].str.to_lowercase().str.replace(r" oyj?$", ""))
OPEN_NAME = ComputedKey(
    "open_core_name",
    lambda rows: rows.select(
        pl.when(pl.col("status") == "open").then(pl.col("name").str.to_lowercase().str.replace(r" oyj?$", ""))
    ).to_series(),
)
LINKS = (
    Link("fi_issuers", "lei", "fi_lei", "lei"),
    Link("fi_issuers", NAME, "fi_register", OPEN_NAME),
    Link("fi_list", "lei", "fi_lei", "lei"),
    Link("fi_stakes", "isin", "fi_list", "isin"),
)


def _dataset(table: Table, scope: Scope = Scope.FEED) -> Any:
    def read(piece: ArchiveMember) -> Iterator[Batch]:
        rows = [{name: row.get(name) for name in table.names} for row in invented.records_of(piece)]
        frame = pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "year": pl.Int64}, strict=False)
        yield staging.make_batch(table, frame)

    name = table.name.removeprefix("fi_")
    made = invented.dataset_of(f"fi.{name}", table, f"{name}/**", read, GuardLimits())
    return replace(made, recognise_file=lambda name, head: _recognised(name, head, scope))


def _recognised(name: str, head: bytes, scope: Scope) -> RecognisedFile:
    found = invented.recognise(name, head)
    return RecognisedFile(found.observed_at if isinstance(found, RecognisedFile) else None, scope)


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    if "number" in rows.columns:
        return invented.touches(table, rows)
    return pl.Series("company", [None] * rows.height, pl.String)


def normalise(present: Mapping[str, pl.LazyFrame], today: date) -> dict[str, pl.DataFrame]:
    found = invented.normalise(present, today)
    issuers = staging.present_rows(present, ISSUERS).collect().to_dicts()
    stakes = staging.present_rows(present, STAKES).collect().to_dicts()
    more = {
        "filings": invented.table_of(tables.FILINGS, [_filing(row) for row in issuers]),
        "holdings": invented.table_of(tables.HOLDINGS, [_stake(row) for row in stakes]),
        "financials_reported": invented.table_of(tables.FINANCIALS_REPORTED, [_statement(row) for row in issuers]),
    }
    return {name: pl.concat([rows, *([more[name]] if name in more else [])]) for name, rows in found.items()}


def _filing(row: dict[str, Any]) -> dict[str, Any]:
    year = row["year"]
    made = {"id": row["id"], "start": date(year, 1, 1), "end": date(year, 12, 31), "amends": None}
    native = filing_id("fi.issuers", row["id"])
    return invented.filing_of(row | made) | {"filing_id": native, "register": "fi.issuers"}


def _statement(row: dict[str, Any]) -> dict[str, Any]:
    year = row["year"]
    made = {"start": date(year, 1, 1), "end": date(year, 12, 31), "group": True}
    native = filing_id("fi.issuers", row["id"])
    return invented.statement_of(row | made) | {"filing_id": native, "register": "fi.issuers"}


def _stake(row: dict[str, Any]) -> dict[str, Any]:
    made = {"high": row["low"], "since": date(2025, 1, 1), "until": None}
    return invented.holding_of(row | made) | {"register": "fi.stakes", "basis": "exact", "pct": row["low"]}


LINKED_MARKET: Jurisdiction = replace(
    invented.MARKET,
    datasets=(*invented.MARKET.datasets, *map(_dataset, (ISSUERS, LEI, LIST, STAKES))),
    company_ids_of_rows=touches,
    to_shared_tables=normalise,
    links=LINKS,
    holder_columns={**invented.MARKET.holder_columns, STAKES.name: ("id", "holder")},
)
