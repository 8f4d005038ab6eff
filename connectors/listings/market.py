"""Adds listings to a market: FIRDS, issuers of ISINs and consolidating parents.

Belongs here: adding them to a market's declaration in one line, around `with_issuers`. Does not belong here:
any country, or the rule (`is_listed`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Link, SharedTables
from connectors.firds import schema as firds_schema
from connectors.firds.dataset import FirdsAuthority, firds_datasets
from connectors.gleif import isin_mapping
from connectors.gleif.level1 import dataset as gleif
from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level2 import dataset as level2_dataset
from connectors.gleif.level2 import holdings
from connectors.gleif.level2 import schema as level2_schema
from connectors.kit import staging
from connectors.listings import is_listed, mapping
from warehouse.schema.tables import COMPANIES, HOLDINGS, IDENTIFIERS, LISTINGS
from warehouse.schema.types import Table

_LEI: Final = "lei"


def with_listings(market: Jurisdiction, authority: FirdsAuthority) -> Jurisdiction:
    """Adds `<cc>.firds`, `<cc>.firds_changes`, `<cc>.isin` and `<cc>.lei_parents` to a market.

    market: as made by `with_issuers`, with its `<cc>.lei`.
    authority: publisher of FIRDS for the market.
    """
    code = market.code
    datasets = (
        *firds_datasets(code, authority),
        isin_mapping.isin_dataset(code),
        level2_dataset.parents_dataset(code),
    )
    lei = level1_schema.lei_table(code).name
    by_lei = (
        *firds_schema.full_tables(code),
        firds_schema.changes_table(code),
        isin_mapping.isin_table(code),
    )
    links = (
        *(Link(table.name, _LEI, lei, _LEI) for table in by_lei),
        Link(level2_schema.relations_table(code).name, "child", lei, _LEI),
        Link(level2_schema.exceptions_table(code).name, _LEI, lei, _LEI),
    )
    named = {
        table.name: _LEI for table in (*firds_schema.full_tables(code), firds_schema.changes_table(code))
    }
    asking = replace(
        market,
        datasets=tuple(
            gleif.with_lei_columns(made, named) if made.key == f"{code.lower()}.lei" else made
            for made in market.datasets
        ),
    )
    return _with_datasets(asking, datasets, links)


def with_isin_evidence(market: Jurisdiction, through: str) -> Jurisdiction:
    """A market without FIRDS: issuers of ISINs by the LEIs of a staged table, and the rule."""
    table = isin_mapping.isin_table(market.code).name
    return _with_datasets(
        market, (isin_mapping.isin_dataset(market.code),), (Link(table, _LEI, through, _LEI),)
    )


def _with_datasets(
    market: Jurisdiction, datasets: tuple[Dataset, ...], links: tuple[Link, ...]
) -> Jurisdiction:
    firds = tuple(made.key for made in datasets if made.key == f"{market.code.lower()}.firds")
    order = (*firds, *market.precedence.get("is_listed", ()))
    return replace(
        market,
        datasets=(*market.datasets, *datasets),
        touches=_ListingCompanyIds(
            frozenset(name for made in datasets for name in made.staged), market.touches
        ),
        normalise=_ListingNormaliser(market.code, order, market.normalise),
        links=(*market.links, *links),
        precedence={**market.precedence, "is_listed": order},
    )


@dataclass(frozen=True, slots=True)
class _ListingCompanyIds:
    """`touches` with null for the added tables: their rows find companies through links."""

    tables: frozenset[str]
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table in self.tables:
            return pl.Series("_company_id", [None] * rows.height, pl.String)
        return self.own(table, rows)


@dataclass(frozen=True, slots=True)
class _ListingNormaliser:
    """The market's own shared tables, plus FIRDS listings, further identifiers, parents, and `is_listed`."""

    code: str
    order: Sequence[str]
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        listings = _concat_with_shared(LISTINGS, shared, mapping.map_firds_listings(self.code, present))
        named = pl.concat(
            [mapping.map_identifiers(listings, today), isin_mapping.map_identifiers(self.code, present)]
        )
        identifiers = _concat_with_shared(IDENTIFIERS, shared, named)
        shared[LISTINGS.name] = listings
        shared[IDENTIFIERS.name] = identifiers.unique(IDENTIFIERS.key, keep="first", maintain_order=True)
        shared[HOLDINGS.name] = _concat_with_shared(
            HOLDINGS, shared, holdings.map_holdings(self.code, present)
        )
        if COMPANIES.name in shared:
            shared[COMPANIES.name] = is_listed.decide_listed(
                shared[COMPANIES.name], listings, self.order, today
            )
        return shared


def _concat_with_shared(table: Table, shared: SharedTables, more: pl.DataFrame) -> pl.DataFrame:
    parts = [shared[table.name]] if table.name in shared else []
    return staging.concat_tables(table, (*parts, more))
