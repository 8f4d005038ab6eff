"""Accounts of the rehearsal's companies, staged as if their documents had been read.

Reading iXBRL has its own benchmark: here it is what comes after that counts, thirty million rows of it. Does not
belong here: the registers' files (`universe_files`), or taking anything in (`bench_universe`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

import polars as pl

from benchmarks.bench_no_csv import valid_numbers
from benchmarks.se_bulk_files import FIRST as FIRST_SWEDISH
from benchmarks.se_bulk_files import STEP as STEP_SWEDISH
from connectors.contract.dataset import Scope
from connectors.no.regnskap import schema as regnskap_schema
from connectors.se.annual_reports import schema as swedish
from connectors.uk.accounts import schema as british
from warehouse.schema.types import Table
from warehouse.schema_render import polars_schema
from warehouse.staged.store import StagedStore
from warehouse.storage.layout import Layout

_CHUNK: Final = 200_000  # companies at once
_SHA256: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class _Piece:
    """What the rows claim to be read from."""

    name: str
    observed_at: datetime
    sha256: str = _SHA256
    scope: str = Scope.PART


def stage(layout: Layout, market: str, count: int, at: datetime, batch: str) -> int:
    """Stages the accounts of a market's companies as one batch; how many rows. None of a market without."""
    made = _MADE.get(market)
    if made is None:
        return 0
    piece, rows = _Piece("rehearsal", at), 0
    with StagedStore(layout).write_batch(made.dataset, batch) as writer:
        writer.add_member(piece)
        for some in companies(market, count):
            for year in made.years:
                frame = _conformed(made.table, some.with_columns(**_figures(year)).with_columns(**made.own))
                writer.add_rows(made.table, piece, frame)
                rows += frame.height
    return rows


def companies(market: str, count: int) -> Iterator[pl.DataFrame]:
    """The companies of a market that has accounts here, some at a time: `i`, the place, and `number`."""
    for start in range(0, count, _CHUNK):
        yield _MADE[market].numbers(start, min(_CHUNK, count - start))


def figures(rows: pl.DataFrame, year: int) -> pl.DataFrame:
    """What the accounts of a year say of each of these companies: shared figures, in whole units."""
    return rows.with_columns(_figures(year)["_size"].alias("_size")).select(**_AMOUNTS)


def _conformed(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """The table's columns; what nobody said is null."""
    schema = polars_schema(table)
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name) for name, kind in schema.items()
    )


def _british(start: int, count: int) -> pl.DataFrame:
    return pl.select(i=pl.int_range(start, start + count)).with_columns(
        number=pl.format("{}", pl.col("i") + 1_000_000).str.pad_start(8, "0")
    )


def _swedish(start: int, count: int) -> pl.DataFrame:
    return pl.select(i=pl.int_range(start, start + count)).with_columns(
        number=(FIRST_SWEDISH + pl.col("i") * STEP_SWEDISH).cast(pl.String)
    )


def _norwegian(start: int, count: int) -> pl.DataFrame:
    numbers = list(islice(valid_numbers(start + count), start, start + count))
    return pl.DataFrame({"number": numbers}).with_columns(i=pl.int_range(start, start + count))


def _figures(year: int) -> dict[str, pl.Expr]:
    """What a year's document of each company says; `_document` tells documents apart."""
    size = (pl.col("i").hash(year) % 9_000_000).cast(pl.Int64)
    document = pl.concat_str(
        *(
            pl.col("i").hash(year + part).cast(pl.String).str.pad_start(16, "0").str.slice(0, 16)
            for part in (1, 2, 3, 4)
        )
    )
    return {
        "_document": document,
        "_first": pl.date(year, 1, 1),
        "_last": pl.date(year, 12, 31),
        "_filed": pl.date(year + 1, 6, 30),
        "_size": size,
        "_year": pl.lit(year),
    }


_AMOUNTS: Final = {
    "revenue": pl.col("_size") * 3,
    "operating_result": pl.col("_size") // 5,
    "net_result": pl.col("_size") // 7,
    "equity": pl.col("_size"),
    "total_assets": pl.col("_size") * 2,
    "employees": pl.col("_size") % 40,
}
_DOCUMENT: Final = {
    "document_sha256": pl.col("_document"),
    "document": pl.lit("rehearsal.html"),
    "balance_date": pl.col("_last"),
    "period_start": pl.col("_first"),
    "period_end": pl.col("_last"),
    "is_consolidated": pl.lit(value=False),
    "is_comparative": pl.lit(value=False),
    **_AMOUNTS,
}


@dataclass(frozen=True, slots=True)
class _Made:
    """One market's accounts: where they are staged, whose, of which years, and its own columns."""

    dataset: str
    table: Table
    numbers: Callable[[int, int], pl.DataFrame]
    years: tuple[int, ...]
    own: Mapping[str, pl.Expr]


_MADE: Final = {
    "UK": _Made(
        british.KEY,
        british.ACCOUNTS,
        _british,
        (2022, 2023, 2024, 2025),
        {
            **_DOCUMENT,
            "company_number": pl.col("number"),
            "currency": pl.lit("GBP"),
            "is_start_assumed": pl.lit(value=False),
            "derived": pl.lit([], dtype=pl.List(pl.String)),
            "accounting_standard": pl.lit("FRS102"),
            "published_date": pl.col("_filed"),
            "is_amendment": pl.lit(value=False),
        },
    ),
    "SE": _Made(
        swedish.KEY,
        swedish.REPORTS,
        _swedish,
        (2023, 2024, 2025),
        {
            **_DOCUMENT,
            swedish.NUMBER: pl.col("number"),
            "currency": pl.lit("SEK"),
            "is_overview": pl.lit(value=False),
            "framework": pl.lit("K2"),
            "adopted_date": pl.col("_filed"),
            "is_audited": pl.lit(value=False),
            "registered_by": pl.col("_filed"),
        },
    ),
    "NO": _Made(
        "no.regnskap",
        regnskap_schema.ACCOUNTS,
        _norwegian,
        (2023, 2024, 2025),
        {
            "id": pl.col("i") * 10 + pl.col("_year") % 10,
            regnskap_schema.JOURNAL: pl.format("{}{}", "_year", "number"),
            regnskap_schema.TYPE: pl.lit("SELSKAP"),
            regnskap_schema.NUMBER: pl.col("number"),
            regnskap_schema.START: pl.col("_first"),
            regnskap_schema.END: pl.col("_last"),
            regnskap_schema.CURRENCY: pl.lit("NOK"),
            regnskap_schema.REVENUE: _AMOUNTS["revenue"],
            regnskap_schema.OPERATING_RESULT: _AMOUNTS["operating_result"],
            regnskap_schema.NET_RESULT: _AMOUNTS["net_result"],
            regnskap_schema.EQUITY: _AMOUNTS["equity"],
            regnskap_schema.ASSETS: _AMOUNTS["total_assets"],
        },
    ),
}
