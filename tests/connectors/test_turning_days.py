"""Every declared day at which an unchanged row says something else is found on its day, and on no other."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors import DECLARED
from connectors.kit import staging
from warehouse.history.history import MarketHistory
from warehouse.schema.types import ColumnKind, Table, TurningDay
from warehouse.storage.layout import Layout

STATED = date(2026, 11, 20)
DAY = timedelta(days=1)
_VALUES = {ColumnKind.INTEGER: 1, ColumnKind.BOOLEAN: False, ColumnKind.DATE: date(1990, 1, 1), ColumnKind.TEXTS: []}


def declared_days() -> Iterator[Any]:
    for made in DECLARED:
        tables = {name: table for one in made.datasets for name, table in one.staged_tables.items()}
        for table in tables.values():
            for place, turning in enumerate(table.turning_days):
                yield pytest.param(table, turning, id=f"{table.name}-{place}-{turning.column}")


def row_of(table: Table, turning: TurningDay) -> pl.DataFrame:
    """A row with one day, as its column has it."""
    kind, stated = table.column(turning.column).kind, STATED.isoformat()
    written = STATED.strftime(turning.written) if turning.written else f'[{{"date":"{stated}"}},"LI${stated}"]'
    needed = {
        one.name: _VALUES.get(one.kind, "x") for one in table.columns if not one.nullable or one.name in table.key
    }
    row = {**dict.fromkeys(table.names), **needed, turning.column: STATED if kind is ColumnKind.DATE else written}
    rows = staging.make_batch(table, [row]).rows
    at = pl.lit("2026-11-01").str.to_datetime(time_unit="us", time_zone="UTC")
    return rows.with_columns(_company_id=pl.lit("firm:XX:1"), _observed_at=at, _raw=pl.lit("r"))


@pytest.mark.parametrize(("table", "turning"), list(declared_days()))
def test_a_declared_day_is_found(tmp_path: Path, table: Table, turning: TurningDay) -> None:
    on = STATED + timedelta(days=turning.after_days)
    with MarketHistory(Layout(tmp_path), "SE") as history:
        history.upsert_present(table, row_of(table, turning))
        days = [history.companies_of_passed_days([table], day - DAY, day).len() for day in (on - DAY, on, on + DAY)]
    assert days[1] == 1
    # a column declared with several distances is found at each of them
    others = {other.after_days for other in table.turning_days if other.column == turning.column}
    assert days == [int(turning.after_days + shift in others) for shift in (-1, 0, 1)]
