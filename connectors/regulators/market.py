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

from connectors.contract.dataset import Dataset, Jurisdiction, Link, SharedTables
from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.name_matching.company_markers import CompanyMark
from connectors.name_matching.core_name import is_weak_core, split_core_and_forms
from connectors.name_matching.link_keys import Names, core_key, formless_core_key, full_name_key
from connectors.regulators import mapping, schema
from connectors.regulators.act_types import NEVER_MATCHED
from connectors.regulators.schema import SURE
from warehouse.schema.tables import COMPANIES, NOTICES

_SEVERAL: Final = (
    2  # words of a core name after an «and» that may be part of it; with fewer it is not matched
)

Row = Mapping[str, object]
Asking = Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class CompanyRegister:
    """The staged table with the names of a market's companies.

    names: null for rows that no act can mean. cores: of companies that a list of companies may name without
    their legal form; None if the market has no such list.
    """

    table: str
    names: Names
    cores: Names | None = None


def with_acts(market: Jurisdiction, datasets: tuple[Dataset, ...], register: CompanyRegister) -> Jurisdiction:
    """The market with these datasets of acts, all of them in `<cc>_acts`."""
    code, table = market.code, schema.acts_table(market.code).name
    lei = level1_schema.lei_table(code).name
    links = [
        Link(
            table,
            full_name_key(code, _full_names_selector(code)),
            register.table,
            full_name_key(code, register.names),
        )
    ]
    if register.cores is not None:
        links.append(
            Link(
                table,
                formless_core_key(code, _company_list_names),
                register.table,
                core_key(code, register.cores),
            )
        )
    if any(lei in dataset.staged for dataset in market.datasets):
        links.insert(0, Link(table, "lei", lei, "lei"))
    return replace(
        market,
        datasets=(*(_with_act_leis(code, dataset) for dataset in market.datasets), *datasets),
        touches=_ActCompanyIds(table, market.touches),
        normalise=_ActNormaliser(code, market.normalise),
        links=(*market.links, *links),
    )


def _full_names_selector(market: str) -> Names:
    """Names of acts that may be matched with their legal forms."""

    def names(rows: pl.DataFrame) -> pl.Series:
        found = [_linkable_full_name(market, row) for row in rows.iter_rows(named=True)]
        return pl.Series("name", found, dtype=pl.String)

    return names


def _linkable_full_name(market: str, row: Row) -> str | None:
    name = row["name"]
    if not isinstance(name, str) or not _is_linkable_by_name(row) or row["mark"] == CompanyMark.NONE.value:
        return None
    core, forms = split_core_and_forms(name, market)
    if not row["is_whole"] and (is_weak_core(core) or len(core.split()) < _SEVERAL):
        return None
    return name if forms or not is_weak_core(core) else None


def _company_list_names(rows: pl.DataFrame) -> pl.Series:
    """Names from lists that contain companies only."""
    found = [
        row["name"] if row["mark"] == SURE and _is_linkable_by_name(row) else None
        for row in rows.iter_rows(named=True)
    ]
    return pl.Series("name", found, dtype=pl.String)


def _is_linkable_by_name(row: Row) -> bool:
    """Whether a name may be used for linking: not a warning's (another company's name), nor if there is an LEI."""
    return row["kind"] not in NEVER_MATCHED and row["lei"] is None


def _with_act_leis(market: str, dataset: Dataset) -> Dataset:
    """Extends the dataset of LEI records to fetch LEIs of acts; returns every other unchanged."""
    if dataset.key != f"{market.lower()}.lei" or dataset.wants is None:
        return dataset
    return replace(dataset, wants=_ActSubjectsToFetch(schema.acts_table(market).name, dataset.wants))


@dataclass(frozen=True, slots=True)
class _ActSubjectsToFetch:
    """LEIs in the market's other tables, and those in acts, each once."""

    table: str
    own: Asking

    def __call__(self, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
        asked = set(self.own(tables))
        rows = tables.get(self.table)
        named = set() if rows is None else set(rows["lei"].drop_nulls().to_list())
        yield from sorted(asked | {lei for lei in named if is_lei(lei)})


@dataclass(frozen=True, slots=True)
class _ActCompanyIds:
    """Acts carry no company number: links find the company."""

    table: str
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table == self.table:
            return pl.Series("_company_id", [None] * rows.height, pl.String)
        return self.own(table, rows)


@dataclass(frozen=True, slots=True)
class _ActNormaliser:
    """The market's own shared tables with the notices of its companies."""

    code: str
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        known = shared[COMPANIES.name] if COMPANIES.name in shared else staging.empty_frame(COMPANIES)
        own = [shared[NOTICES.name]] if NOTICES.name in shared else []
        found = mapping.map_notices(self.code, present, known)
        shared[NOTICES.name] = staging.concat_tables(NOTICES, (*own, found))
        return shared
