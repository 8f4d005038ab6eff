"""An invented market with three small datasets in formats of its own: what the pipelines must do for any market.

Register: `register*.csv` (number,name,status,date). Accounts: `*.json`, one object per line
(id, number, start, end, revenue, group, amends). Owners: `*.json` (id, number, holder, low, high, since, until).
A date in a file's name is the day it was observed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cadence,
    Dataset,
    GuardLimits,
    Jurisdiction,
    Licence,
    NotApplicable,
    RecognisedFile,
    Scope,
    Signal,
    UnreadableFileError,
)
from connectors.kit import staging
from warehouse import schema_render
from warehouse.schema import tables
from warehouse.schema.ids import filing_id
from warehouse.schema.types import Column, ColumnKind, Table

LICENCE = Licence("CC0-1.0", None, None)
CADENCE = Cadence("0 4 * * *", 48)
_T, _I, _D, _B = ColumnKind.TEXT, ColumnKind.INTEGER, ColumnKind.DATE, ColumnKind.BOOLEAN

REGISTER = Table(
    "fi_register",
    "Companies.",
    ("number",),
    (
        Column("number", _T, "n", nullable=False),
        Column("name", _T, "n"),
        Column("status", _T, "s"),
        Column("date", _D, "d"),
    ),
)
ACCOUNTS = Table(
    "fi_accounts",
    "Accounts.",
    ("id",),
    (
        Column("id", _T, "i", nullable=False),
        Column("number", _T, "n"),
        Column("start", _D, "s"),
        Column("end", _D, "e"),
        Column("revenue", _I, "r"),
        Column("group", _B, "g"),
        Column("amends", _B, "a"),
    ),
)
OWNERS = Table(
    "fi_owners",
    "Owners.",
    ("id",),
    (
        Column("id", _T, "i", nullable=False),
        Column("number", _T, "n"),
        Column("holder", _T, "h"),
        Column("low", ColumnKind.PERCENT, "l"),
        Column("high", ColumnKind.PERCENT, "h"),
        Column("since", _D, "s"),
        Column("until", _D, "u"),
    ),
)


def recognise(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    if head.startswith(b"<"):
        return NotApplicable("expected records, found HTML")
    found = re.search(r"\d{4}-\d{2}-\d{2}", name)
    day = datetime.fromisoformat(found.group()).replace(tzinfo=UTC) if found else None
    return RecognisedFile(day, Scope.FULL)


def read_register(piece: ArchiveMember) -> Iterator[Batch]:
    with piece.open() as body:
        lines = body.read().decode().splitlines()
    if not lines or lines[0] != "number,name,status,date":
        raise UnreadableFileError(piece.dataset, piece.name, "the header is not number,name,status,date")
    if lines[-1] != "end":
        raise UnreadableFileError(piece.dataset, piece.name, "cut off: the line «end» is missing")
    rows, rejects = [], []
    for index, line in enumerate(lines[1:-1], 2):
        cells = line.split(",")
        if len(cells) == 4:
            rows.append({"number": cells[0], "name": cells[1], "status": cells[2], "date": _day(cells[3])})
        else:
            rejects.append((f"line {index}", "not four cells", line))
    unknown = tuple(row["number"] for row in rows if row["status"] not in STATUSES)
    signals = (Signal("fi.register", "unknown_status", "?", len(unknown), unknown[:5]),) if unknown else ()
    yield staging.make_batch(REGISTER, rows, staging.reject_rows(rejects), signals)


def read_accounts(piece: ArchiveMember) -> Iterator[Batch]:
    yield staging.make_batch(ACCOUNTS, [_dated(row, "start", "end") for row in records_of(piece)])


def read_owners(piece: ArchiveMember) -> Iterator[Batch]:
    rows = [_dated(row, "since", "until") for row in records_of(piece)]
    frame = pl.DataFrame(rows, schema_overrides={"low": pl.Float64, "high": pl.Float64, "until": pl.Date})
    yield staging.make_batch(OWNERS, frame.cast({"low": schema_render.PERCENT, "high": schema_render.PERCENT}))


def records_of(piece: ArchiveMember) -> list[dict[str, Any]]:
    with piece.open() as body:
        text = body.read().decode()
    if "deadly" in text:
        os._exit(9)
    try:
        return [json.loads(line) for line in text.splitlines()]
    except ValueError as error:
        raise UnreadableFileError(piece.dataset, piece.name, f"not JSON: {error}") from error


def _dated(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {**row, **{name: _day(row.get(name) or "") for name in names}}


def _day(text: str) -> date | None:
    return date.fromisoformat(text) if text else None


STATUSES = {"open": "active", "asleep": "dormant", "closed": "dissolved"}


def touches(table: str, rows: pl.DataFrame) -> pl.Series:
    del table
    return rows.select(company=_company(pl.col("number")))["company"]


def _company(number: pl.Expr) -> pl.Expr:
    return pl.format("firm:FI:{}", number)


def normalise(present: Mapping[str, pl.LazyFrame], today: date) -> dict[str, pl.DataFrame]:
    del today
    register = staging.present_rows(present, REGISTER).collect()
    accounts = staging.present_rows(present, ACCOUNTS).filter(pl.col("_retired_at").is_null()).collect()
    owners = staging.present_rows(present, OWNERS).filter(pl.col("_retired_at").is_null()).collect()
    return {
        "companies": table_of(tables.COMPANIES, [_profile(row) for row in register.iter_rows(named=True)]),
        "filings": table_of(tables.FILINGS, [filing_of(row) for row in accounts.iter_rows(named=True)]),
        "financials_reported": table_of(
            tables.FINANCIALS_REPORTED, [statement_of(row) for row in accounts.iter_rows(named=True)]
        ),
        "holdings": table_of(tables.HOLDINGS, [holding_of(row) for row in owners.iter_rows(named=True)]),
    }


def table_of(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    if not rows:
        return schema_render.empty_frame(table)
    complete = [dict.fromkeys(table.names) | row for row in rows]
    return pl.DataFrame(complete, schema=schema_render.polars_schema(table), orient="row")


def _profile(row: dict[str, Any]) -> dict[str, Any]:
    gone = row["_retired_at"]
    status = "dissolved" if gone else STATUSES.get(row["status"], "active")
    return {
        "company_id": row["_company_id"],
        "org_number": row["number"],
        "name": row["name"],
        "country": "FI" if row["status"] != "broken" else "XX",
        "status": status,
        "status_source": "fi.register",
        "status_date": gone.date() if gone else row["date"],
        "is_listed": False,
        "sources": "[]",
        "observed_at": row["_observed_at"],
    }


def _provenance(row: dict[str, Any], register: str) -> dict[str, Any]:
    return {"register": register, "raw": row["_raw"], "observed_at": row["_observed_at"]}


def filing_of(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "filing_id": filing_id("fi.accounts", row["id"]),
        "company_id": row["_company_id"],
        "filing_type": "annual_report",
        "native_id": row["id"],
        "period_start": row["start"],
        "period_end": row["end"],
        "is_amendment": bool(row["amends"]),
        **_provenance(row, "fi.accounts"),
    }


def statement_of(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "filing_id": filing_id("fi.accounts", row["id"]),
        "company_id": row["_company_id"],
        "period_start": row["start"],
        "period_end": row["end"],
        "is_consolidated": bool(row["group"]),
        "currency": "EUR",
        "revenue": row["revenue"],
        "is_comparative": False,
        "derived": [],
        **_provenance(row, "fi.accounts"),
    }


def holding_of(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "company_id": row["_company_id"],
        "register": "fi.owners",
        "native_id": row["id"],
        "holder_name": row["holder"],
        "holder_type": "person",
        "pct_min": row["low"],
        "pct_max": row["high"],
        "basis": "band",
        "controls": [],
        "valid_from": row["since"],
        "ended_on": row["until"],
        "raw": row["_raw"],
        "observed_at": row["_observed_at"],
    }


def dataset_of(key: str, table: Table, files: str, read: Any, guard: GuardLimits) -> Dataset:
    return Dataset(
        key=key,
        title=key,
        licence=LICENCE,
        cadence=CADENCE,
        guard_limits=guard,
        host="registry.example",
        staged_tables={table.name: table},
        file_patterns=(files,),
        recognise_file=recognise,
        split_members=staging.split_archive,
        read_batches=read,
    )


MARKET = Jurisdiction(
    code="FI",
    state="served",
    datasets=(
        dataset_of("fi.register", REGISTER, "register/*", read_register, GuardLimits(min_rows=2, max_shrink=0.4)),
        dataset_of("fi.accounts", ACCOUNTS, "accounts/**", read_accounts, GuardLimits()),
        dataset_of("fi.owners", OWNERS, "owners/*.json", read_owners, GuardLimits()),
    ),
    field_precedence={"name": ("fi.register",)},
    company_ids_of_rows=touches,
    to_shared_tables=normalise,
    holder_columns={OWNERS.name: ("id", "holder")},
)
