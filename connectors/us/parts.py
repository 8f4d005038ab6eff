"""The interface of one part of this market: its datasets, their CIK columns, and their mapping.

Does not belong here: any dataset (one module per dataset, listed in its part: `profile.group`,
`financials.group`, `ownership.group`, `feeds.group`), or combining the parts (`mapping`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import ComputedKey, Dataset, Link, SharedTables
from connectors.kit import staging
from warehouse.schema.types import Table

META: Final = pl.Schema(
    {
        "_company_id": pl.String(),
        "_observed_at": pl.Datetime("us", "UTC"),
        "_raw": pl.String(),
        "_retired_at": pl.Datetime("us", "UTC"),
    }
)
Present = Mapping[str, pl.LazyFrame]


def _no_tables(_present: Present, _today: date) -> SharedTables:
    return {}


@dataclass(frozen=True, slots=True)
class DatasetGroup:
    """One part of the market.

    datasets: in ascending precedence for rows with equal timestamps. numbers: staged table -> its column with the
    ten-digit CIK of the filer that the row concerns; rows of tables not listed concern no company directly (a link
    finds the company, or they only determine what to fetch). shared: present rows of every part of the touched
    filers -> shared tables, without `companies`. A part reads another part's staged tables with `present_rows`;
    where two parts give the same key, the earlier part's row wins, its nulls filled from the later's (`PARTS` in
    the package). names: filer names in the part's own documents, for filers that are companies (columns cik, name,
    observed_at; one row per filer), used where no profile exists.
    """

    datasets: tuple[Dataset, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    shared: Callable[[Present, date], SharedTables] = _no_tables
    names: Callable[[Present], pl.LazyFrame] | None = None
    precedence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    holders: Mapping[str, tuple[str | ComputedKey, ...]] = field(default_factory=dict)


def present_rows(present: Present, table: Table) -> pl.LazyFrame:
    """The present rows of one staged table; empty if it was never staged."""
    if table.name in present:
        return present[table.name].select(*table.names, *META)
    return pl.LazyFrame(schema={**staging.staged_schema(table), **META})
