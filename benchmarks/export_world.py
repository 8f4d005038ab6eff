"""A market world for benchmarks of exports: releases of companies with accounts, filings, identifiers, owners, events.

Run as a process of its own: `python -m benchmarks.export_world FOLDER COMPANIES DAY` publishes day 0, or a later day on
which one company in a hundred is renamed and files newer figures. Does not belong here: companies and accounts
(`api_world`), measuring (`bench_exports`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

import polars as pl

from benchmarks import api_world
from warehouse import schema_render
from warehouse.history.history import MarketHistory
from warehouse.publish.publisher import MarketPart, ReleaseStore
from warehouse.schema.tables import COMPANIES, EVENTS, FILINGS, FINANCIALS, IDENTIFIERS, OWNERS
from warehouse.schema.types import Table
from warehouse.storage.layout import Layout

CHANGED_EVERY: Final = 100


def publish_day(layout: Layout, companies: int, day: int) -> None:
    """Brings the histories to a day and publishes it."""
    at = api_world.AT + timedelta(days=day)
    parts: dict[str, MarketPart] = {}
    events: list[pl.DataFrame] = [schema_render.empty_frame(EVENTS)]
    for market, count in api_world.sizes(companies).items():
        with MarketHistory(layout, market) as history:
            for tables in _day_tables(market, count, companies, day):
                with history.transaction():
                    touched = tables[COMPANIES]["company_id"]
                    for table, rows in tables.items():
                        history.merge_snapshot(table, rows, touched, at)
                events.append(_events(tables[COMPANIES], day))
        parts[market] = MarketPart(market, layout.history_file(market), "fresh", at)
    ReleaseStore(layout, clock=lambda: at).publish(parts, pl.concat(events))


def _day_tables(market: str, count: int, whole: int, day: int) -> Iterator[dict[Table, pl.DataFrame]]:
    for profiles, accounts in api_world.chunks(market, count, whole):
        companies, financials = profiles, accounts
        if day:
            companies = profiles.gather_every(CHANGED_EVERY, day % CHANGED_EVERY).with_columns(
                pl.col("name") + f" {day}"
            )
            financials = accounts.join(companies, on="company_id", how="semi").with_columns(pl.col("revenue") + day)
        yield {
            COMPANIES: companies,
            FINANCIALS: financials,
            FILINGS: _filings(financials),
            IDENTIFIERS: _identifiers(companies),
            OWNERS: _owners(companies),
        }


def _conformed(table: Table, rows: pl.DataFrame) -> pl.DataFrame:
    """Rows of a table; a column that is not given is null."""
    schema = schema_render.polars_schema(table)
    missing = [pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in rows.columns]
    return schema_render.conform_frame(table, rows.with_columns(missing))


def _filings(financials: pl.DataFrame) -> pl.DataFrame:
    columns = ("filing_id", "company_id", "period_start", "period_end", "filed_at", "register", "observed_at")
    facts = (pl.lit("annual_report").alias("filing_type"), pl.lit(value=False).alias("is_amendment"))
    return _conformed(FILINGS, financials.select(*columns, *facts).unique("filing_id", maintain_order=True))


def _identifiers(companies: pl.DataFrame) -> pl.DataFrame:
    return _conformed(
        IDENTIFIERS,
        companies.select(
            "company_id",
            pl.lit("vat").alias("scheme"),
            pl.format("{}VAT", pl.col("org_number")).alias("value"),
            pl.lit("no.x").alias("register"),
            "observed_at",
        ),
    )


def _owners(companies: pl.DataFrame) -> pl.DataFrame:
    return _conformed(
        OWNERS,
        companies.select(
            "company_id",
            pl.format("own_{}", pl.col("org_number")).alias("holder_id"),
            pl.col("name").alias("holder_name"),
            pl.lit("company").alias("holder_type"),
            pl.lit(60).alias("pct"),
            pl.lit("exact").alias("basis"),
            pl.lit(api_world.AT.date()).alias("as_of"),
            pl.lit(api_world.AT.date()).alias("first_seen"),
            pl.lit("single").alias("reconciliation"),
            pl.lit("[]").alias("sources"),
            "observed_at",
        ),
    )


def _events(companies: pl.DataFrame, day: int) -> pl.DataFrame:
    """One event for each company."""
    at = api_world.AT + timedelta(days=day)
    data = json.dumps({"company_id": "…", "occurred_at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "source": {"url": None}})
    return _conformed(
        EVENTS,
        companies.select(
            pl.format("evt_{}_{}", pl.col("company_id"), pl.lit(day)).alias("event_id"),
            pl.lit("status.changed").alias("event_type"),
            "company_id",
            pl.lit(at).alias("known_at"),
            pl.lit(at).alias("occurred_at"),
            pl.lit(data).alias("data"),
        ),
    )


if __name__ == "__main__":
    publish_day(Layout(Path(sys.argv[1])), int(sys.argv[2]), int(sys.argv[3]))
