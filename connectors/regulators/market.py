"""Adds the acts of its regulators to a market's own datasets.

Belongs here: adding them to a declaration, so that a country needs one line; linking an act to its company: by
LEI, else by its full name, and only if exactly one company matches. Does not belong here: any country's
register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import Dataset, Jurisdiction, Link, SharedTables
from connectors.gleif import records
from connectors.gleif.numbers import is_lei
from connectors.kit import staged
from connectors.matching.keys import Names, bare_key, core_key, full_key
from connectors.matching.marks import Mark
from connectors.matching.names import is_weak, taken_apart
from connectors.regulators import acts, mapping
from connectors.regulators.acts import SURE
from connectors.regulators.kinds import NEVER_MATCHED
from warehouse.schema.tables import COMPANIES, NOTICES

_SEVERAL: Final = (
    2  # words of a core name after an «and» that may be part of it; with fewer it is not matched
)

Row = Mapping[str, object]
Asking = Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Register:
    """The staged table with the names of a market's companies.

    names: null for rows that no act can mean. cores: of companies that a list of companies may name without
    their legal form; None if the market has no such list.
    """

    table: str
    names: Names
    cores: Names | None = None


def with_acts(market: Jurisdiction, datasets: tuple[Dataset, ...], register: Register) -> Jurisdiction:
    """The market with these datasets of acts, all of them in `<cc>_acts`."""
    code, table = market.code, acts.table(market.code).name
    lei = records.table(code).name
    links = [Link(table, full_key(code, _full_names(code)), register.table, full_key(code, register.names))]
    if register.cores is not None:
        links.append(Link(table, bare_key(code, _sure_names), register.table, core_key(code, register.cores)))
    if any(lei in dataset.staged for dataset in market.datasets):
        links.insert(0, Link(table, "lei", lei, "lei"))
    return replace(
        market,
        datasets=(*(_asking(code, dataset) for dataset in market.datasets), *datasets),
        touches=_Touches(table, market.touches),
        normalise=_Normalise(code, market.normalise),
        links=(*market.links, *links),
    )


def _full_names(market: str) -> Names:
    """Names of acts that may be matched with their legal forms."""

    def names(rows: pl.DataFrame) -> pl.Series:
        found = [_full_name(market, row) for row in rows.iter_rows(named=True)]
        return pl.Series("name", found, dtype=pl.String)

    return names


def _full_name(market: str, row: Row) -> str | None:
    name = row["name"]
    if not isinstance(name, str) or not _may_answer(row) or row["mark"] == Mark.NONE.value:
        return None
    core, forms = taken_apart(name, market)
    if not row["is_whole"] and (is_weak(core) or len(core.split()) < _SEVERAL):
        return None
    return name if forms or not is_weak(core) else None


def _sure_names(rows: pl.DataFrame) -> pl.Series:
    """Names from lists that contain companies only."""
    found = [
        row["name"] if row["mark"] == SURE and _may_answer(row) else None
        for row in rows.iter_rows(named=True)
    ]
    return pl.Series("name", found, dtype=pl.String)


def _may_answer(row: Row) -> bool:
    """Whether a name may be used for linking: not a warning's (another company's name), nor if there is an LEI."""
    return row["kind"] not in NEVER_MATCHED and row["lei"] is None


def _asking(market: str, dataset: Dataset) -> Dataset:
    """Extends the dataset of LEI records to fetch LEIs of acts; returns every other unchanged."""
    if dataset.key != f"{market.lower()}.lei" or dataset.wants is None:
        return dataset
    return replace(dataset, wants=_Wanted(acts.table(market).name, dataset.wants))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """LEIs in the market's other tables, and those in acts, each once."""

    table: str
    own: Asking

    def __call__(self, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
        asked = set(self.own(tables))
        rows = tables.get(self.table)
        named = set() if rows is None else set(rows["lei"].drop_nulls().to_list())
        yield from sorted(asked | {lei for lei in named if is_lei(lei)})


@dataclass(frozen=True, slots=True)
class _Touches:
    """Acts carry no company number: links find the company."""

    table: str
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table == self.table:
            return pl.Series("_company_id", [None] * rows.height, pl.String)
        return self.own(table, rows)


@dataclass(frozen=True, slots=True)
class _Normalise:
    """The market's own shared tables with the notices of its companies."""

    code: str
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        known = shared[COMPANIES.name] if COMPANIES.name in shared else staged.empty(COMPANIES)
        own = [shared[NOTICES.name]] if NOTICES.name in shared else []
        found = mapping.notices(self.code, present, known)
        shared[NOTICES.name] = staged.together(NOTICES, (*own, found))
        return shared
