"""Adds news to a market: the wires' datasets, and items of the market's own datasets that contain releases.

Belongs here: adding both to a market's declaration, so that a country needs one line. Does not belong here: any
country, the meaning of its own tables, or duplicates between sources (`pipelines.transforms.news.dedup`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Dataset, Jurisdiction, Link, SharedTables
from connectors.firds import schema as firds
from connectors.gleif import isin_mapping
from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.news import categories, grouping
from connectors.news.schema import ISIN, ITEM, LEI, NUMBER
from warehouse.schema.identifiers import company_id
from warehouse.schema.tables import COMPANIES, NEWS
from warehouse.schema.types import Table

Items = Callable[[pl.DataFrame], pl.DataFrame]  # present rows of a staged table to columns of ITEM


@dataclass(frozen=True, slots=True)
class NewsSources:
    """News sources of a market's issuers.

    wires: datasets with one staged table each, a wire's (`fields.table`).
    told: staged tables of the market's own datasets that hold releases, with the function from their rows to
    items.
    links: links from a wire's table (by its name) to a company, tried after its number, LEI and ISIN, strongest
    keys first.
    """

    wires: tuple[Dataset, ...] = ()
    told: Mapping[str, Items] = field(default_factory=dict)
    links: Callable[[str], tuple[Link, ...]] = lambda _: ()

    def items(self) -> dict[str, Items]:
        """Functions from present rows to items, by staged table."""
        wires = {table: partial(wire_items, made.key) for made in self.wires for table in made.staged}
        return {**wires, **self.told}


def with_news(market: Jurisdiction, press: NewsSources) -> Jurisdiction:
    """The market with its wires, and `news` of them and of the market's own datasets."""
    wires = tuple(table for dataset in press.wires for table in dataset.staged)
    datasets = tuple(_with_wire_leis(dataset, market.code, wires) for dataset in market.datasets)
    links = tuple(link for table in wires for link in (*_key_links(market, table), *press.links(table)))
    return replace(
        market,
        datasets=(*datasets, *press.wires),
        touches=_NewsCompanyIds(market.code, frozenset(wires), market.touches),
        normalise=_NewsNormaliser(press.items(), market.normalise),
        links=(*market.links, *links),
    )


def _key_links(market: Jurisdiction, table: str) -> Iterator[Link]:
    """Links by LEI, then by ISIN, through those of the tables that the market stages."""
    code = market.code
    listed = {name for dataset in market.datasets for name in dataset.staged}
    issuers = (isin_mapping.isin_table(code), *firds.full_tables(code))
    ways = ((level1_schema.lei_table(code), LEI, LEI), *((one, ISIN, "isin") for one in issuers))
    yield from (Link(table, key, one.name, column) for one, key, column in ways if one.name in listed)


def _with_wire_leis(dataset: Dataset, market: str, wires: tuple[str, ...]) -> Dataset:
    """Extends the dataset of LEI records to fetch LEIs named by wires; returns every other unchanged."""
    if level1_schema.lei_table(market).name not in dataset.staged or dataset.wants is None:
        return dataset
    return replace(dataset, wants=_WireSubjectsToFetch(dataset.wants, wires))


@dataclass(frozen=True, slots=True)
class _WireSubjectsToFetch:
    """LEIs in a market's tables, and those in its wires' tables."""

    own: Callable[[Mapping[str, pl.DataFrame]], Iterator[str]]
    wires: tuple[str, ...]

    def __call__(self, tables: Mapping[str, pl.DataFrame]) -> Iterator[str]:
        found = set(self.own(tables))
        for table in self.wires:
            if table in tables:
                found.update(tables[table][LEI].drop_nulls().unique().to_list())
        yield from sorted(filter(is_lei, found))


@dataclass(frozen=True, slots=True)
class _NewsCompanyIds:
    """Company ids of rows: from an item of a wire if it has the number, else from links."""

    market: str
    wires: frozenset[str]
    own: Callable[[str, pl.DataFrame], pl.Series]

    def __call__(self, table: str, rows: pl.DataFrame) -> pl.Series:
        if table not in self.wires:
            return self.own(table, rows)
        prefix = pl.lit(company_id(self.market, ""))
        return rows.select((prefix + pl.col(NUMBER)).alias("_company_id")).to_series()


@dataclass(frozen=True, slots=True)
class _NewsNormaliser:
    """The market's own shared tables, plus its companies' news; items of unknown companies stay staged."""

    told: Mapping[str, Items]
    own: Callable[[Mapping[str, pl.LazyFrame], date], SharedTables]

    def __call__(self, present: Mapping[str, pl.LazyFrame], today: date) -> SharedTables:
        shared = dict(self.own(present, today))
        told = grouping.group_into_news(
            _of_known_companies(grouping.concat_items(self._present_items(present)).filter(is_news()), shared)
        )
        parts = [shared[NEWS.name], told] if NEWS.name in shared else [told]
        shared[NEWS.name] = staging.concat_tables(NEWS, parts)
        return shared

    def _present_items(self, present: Mapping[str, pl.LazyFrame]) -> Iterator[pl.DataFrame]:
        for table, items in self.told.items():
            if table in present:
                yield items(_present_rows(present[table]))


def _of_known_companies(found: pl.DataFrame, shared: SharedTables) -> pl.DataFrame:
    """Items of companies in the shared tables; with no items, the millions of companies are not scanned."""
    if found.is_empty() or COMPANIES.name not in shared:
        return found.clear()
    return found.join(shared[COMPANIES.name].select("company_id"), on="company_id", how="semi")


def is_news() -> pl.Expr:
    """Whether an item is news: a notice of a major holding is published as a holding instead."""
    return ~pl.col("categories").list.contains(categories.OWNERSHIP)


def _present_rows(rows: pl.LazyFrame) -> pl.DataFrame:
    return rows.filter(pl.col("_company_id").is_not_null(), pl.col("_retired_at").is_null()).collect()


_SAME: Final = ("title", "summary", "url", "publisher", "language", "published_at", "categories")
META: Final = (pl.col("_raw").alias("raw"), pl.col("_observed_at").alias("observed_at"))


def wire_items(register: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Items of a wire's rows."""
    return rows.select(
        pl.col("_company_id").alias("company_id"),
        pl.lit(register).alias("register"),
        pl.col("id").alias("native_id"),
        "group",
        "corrects",
        "kind",
        *_SAME,
        *META,
    ).select(*ITEM)


def isin_link(table: str, through: Table, column: str) -> Link:
    """Link by the ISIN of a share in another staged table."""
    return Link(table, ISIN, through.name, column)
