"""The shape of a part of this market: datasets, whose rows are whose, and what becomes of them.

Does not belong here: any dataset (one module per dataset, named in its part: `profiles_part`, `financials_part`,
`ownership_part`, `feeds_part`), or joining the parts (`mapping`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import Dataset, Key, Link, SharedTables
from connectors.kit import staged
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


def _nothing(_present: Present, _today: date) -> SharedTables:
    return {}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the market.

    datasets: in the order in which of one instant the later holds.
    numbers: staged table -> its column with the ten-digit CIK of the filer whom the row concerns; a table that is
    not named concerns nobody by itself (a link finds its company, or it only says whom to ask).
    shared: present rows of every part of the touched filers -> shared tables, without `companies`. A part reads
    another part's staged tables with `rows`; what two parts say under one key is the earlier part's, its nulls
    filled by the later's (`PARTS` in the package).
    names: what the part's own documents call filers that are companies (columns cik, name, observed_at; one row
    per filer), for those of which no profile is at hand.
    """

    datasets: tuple[Dataset, ...] = ()
    numbers: Mapping[str, str] = field(default_factory=dict)
    shared: Callable[[Present, date], SharedTables] = _nothing
    names: Callable[[Present], pl.LazyFrame] | None = None
    precedence: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    holders: Mapping[str, tuple[str | Key, ...]] = field(default_factory=dict)


def rows(present: Present, table: Table) -> pl.LazyFrame:
    """The present rows of one staged table; none where nothing was ever staged."""
    if table.name in present:
        return present[table.name].select(*table.names, *META)
    return pl.LazyFrame(schema={**staged.schema(table), **META})
