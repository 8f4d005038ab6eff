"""Combines the parts of the market: the company of each staged row, and the shared tables of all parts together.

Does not belong here: one part's own mapping (`*_part`), or a profile (`profile.companies`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import reduce

import polars as pl

from connectors.contract.dataset import SharedTables
from connectors.kit import staging
from connectors.us.filings import with_known_starts
from connectors.us.parts import DatasetGroup, Present
from connectors.us.profile.companies import map_companies
from connectors.us.register import company_ids
from warehouse.schema.tables import COMPANIES, FILINGS, NORMALISED, PASSING
from warehouse.schema.types import Table


def company_ids_resolver(parts: Iterable[DatasetGroup]) -> Callable[[str, pl.DataFrame], pl.Series]:
    """Builds the function from a staged table's rows to company ids, using the parts' CIK columns."""
    columns = {table: column for part in parts for table, column in part.numbers.items()}

    def touches(table: str, found: pl.DataFrame) -> pl.Series:
        column = columns.get(table)
        if column is None:
            return pl.Series("_company_id", [None] * found.height, pl.String)
        return found.select(company_ids(pl.col(column)).alias("_company_id")).to_series()

    return touches


def build_normaliser(parts: tuple[DatasetGroup, ...]) -> Callable[[Present, date], SharedTables]:
    """Builds the function for the shared tables of all parts; rows of filers that are not companies are dropped."""

    def normalise(present: Present, today: date) -> SharedTables:
        known = map_companies(present, [part.names(present) for part in parts if part.names], today)
        given = [part.shared(present, today) for part in parts]
        tables = {
            table.name: _merge_tables(table, [one[table.name] for one in given if table.name in one], known)
            for table in (*NORMALISED, *PASSING)
            if any(table.name in one for one in given)
        }
        tables[FILINGS.name] = with_known_starts(tables.get(FILINGS.name, staging.empty_frame(FILINGS)))
        return {**tables, COMPANIES.name: known}

    return normalise


def merge_precedence(parts: Iterable[DatasetGroup]) -> dict[str, tuple[str, ...]]:
    """Shared field -> dataset keys, the parts' own orders concatenated."""
    joined: dict[str, tuple[str, ...]] = {}
    for part in parts:
        for name, keys in part.precedence.items():
            joined[name] = (*joined.get(name, ()), *keys)
    return joined


def _merge_tables(table: Table, frames: list[pl.DataFrame], known: pl.DataFrame) -> pl.DataFrame:
    form = staging.staged_schema(table)
    whole = reduce(
        lambda first, then: _coalesce_rows(table, first, then),
        (frame.select(table.names).cast(form) for frame in frames),
    )
    return whole.join(known.select("company_id"), on="company_id", how="semi")


def _coalesce_rows(table: Table, first: pl.DataFrame, then: pl.DataFrame) -> pl.DataFrame:
    """Rows of both tables, each key once: the first's row, its nulls filled from the second."""
    if first.is_empty() or then.is_empty():
        return then if first.is_empty() else first
    rest = [name for name in table.names if name not in table.key]
    both = first.join(then, on=list(table.key), how="full", coalesce=True, suffix="_then")
    return both.select(*table.key, *(pl.coalesce(name, f"{name}_then") for name in rest)).select(table.names)
