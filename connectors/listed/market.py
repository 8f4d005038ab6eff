"""Adds listings to a market: FIRDS, issuers of ISINs and consolidating parents.

Belongs here: adding them to a market's declaration in one line, around `with_issuers`. Does not belong here:
any country, or the rule (`rule`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import polars as pl

from connectors.declare import Dataset, Jurisdiction, Link, SharedTables
from connectors.firds import fields
from connectors.firds.dataset import Authority, firds_datasets
from connectors.gleif import dataset as gleif
from connectors.gleif import isins, parent_fields, parent_holdings, parents, records
from connectors.kit import staged
from connectors.listed import mapping, rule
from warehouse.schema.tables import COMPANIES, HOLDINGS, IDENTIFIERS, LISTINGS
from warehouse.schema.types import Table

_LEI: Final = "lei"


def with_listings(market: Jurisdiction, authority: Authority) -> Jurisdiction:
    """Adds `<cc>.firds`, `<cc>.firds_changes`, `<cc>.isin` and `<cc>.lei_parents` to a market.

    market: as made by `with_issuers`, with its `<cc>.lei`.
    authority: publisher of FIRDS for the market.
    """
    code = market.code
    datasets = (
        *firds_datasets(code, authority),
        isins.isin_dataset(code),
        parents.parents_dataset(code),
    )
    lei = records.table(code).name
    by_lei = (*fields.full_tables(code), fields.changes_table(code), isins.table(code))
    links = (
        *(Link(table.name, _LEI, lei, _LEI) for table in by_lei),
        Link(parent_fields.relations_table(code).name, "child", lei, _LEI),
        Link(parent_fields.exceptions_table(code).name, _LEI, lei, _LEI),
    )
    named = {table.name: _LEI for table in (*fields.full_tables(code), fields.changes_table(code))}
    asking = replace(
        market,
        datasets=tuple(
            gleif.naming_too(made, named) if made.key == f"{code.lower()}.lei" else made
            for made in market.datasets
        ),
    )
    return _wrapped(asking, datasets, links)


def with_evidence(market: Jurisdiction, through: str) -> Jurisdiction:
    """A market without FIRDS: issuers of ISINs by the LEIs of a staged table, and the rule."""
    table = isins.table(market.code).name
    return _wrapped(market, (isins.isin_dataset(market.code),), (Link(table, _LEI, through, _LEI),))


def _wrapped(market: Jurisdiction, datasets: tuple[Dataset, ...], links: tuple[Link, ...]) -> Jurisdiction:
    firds = tuple(made.key for made in datasets if made.key == f"{market.code.lower()}.firds")
    order = (*firds, *market.precedence.get("is_listed", ()))
    return replace(
        market,
        datasets=(*market.datasets, *datasets),
        touches=_Touches(frozenset(name for made in datasets for name in made.staged), market.touches),
        normalise=_Normalise(market.code, order, market.normalise),
        links=(*market.links, *links),
        precedence={**market.precedence, "is_listed": order},
    )


@dataclass(frozen=True, slots=True)
class _Touches:
    """`touches` with null for the added tables: their rows find companies through links."""

    tables: frozenset[str]
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table in self.tables:
            return pl.Series("_company_id", [None] * rows.height, pl.String)
        return self.own(table, rows)


@dataclass(frozen=True, slots=True)
class _Normalise:
    """The market's own shared tables, plus FIRDS listings, further identifiers, parents, and `is_listed`."""

    code: str
    order: Sequence[str]
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        listings = _joined(LISTINGS, shared, mapping.of_firds(self.code, present))
        named = pl.concat([mapping.identifiers(listings, today), isins.identifiers(self.code, present)])
        identifiers = _joined(IDENTIFIERS, shared, named)
        shared[LISTINGS.name] = listings
        shared[IDENTIFIERS.name] = identifiers.unique(IDENTIFIERS.key, keep="first", maintain_order=True)
        shared[HOLDINGS.name] = _joined(HOLDINGS, shared, parent_holdings.holdings(self.code, present))
        if COMPANIES.name in shared:
            shared[COMPANIES.name] = rule.decided(shared[COMPANIES.name], listings, self.order, today)
        return shared


def _joined(table: Table, shared: SharedTables, more: pl.DataFrame) -> pl.DataFrame:
    parts = [shared[table.name]] if table.name in shared else []
    return staged.together(table, (*parts, more))
