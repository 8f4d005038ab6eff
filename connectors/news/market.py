"""What news contributes to a market: the wires' datasets, and releases in the market's own datasets.

Belongs here: both as one contribution. Does not belong here: any country, the meaning of its own tables, or
duplicates between sources (`pipelines.transforms.news.dedup`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.contribution import SHARED, Contribution
from connectors.contract.dataset import Dataset, Link, PresentRows, SharedTables
from connectors.firds.schema import full_tables
from connectors.gleif.isin_mapping import isin_table
from connectors.gleif.level1.schema import lei_table
from connectors.news import categories, grouping
from connectors.news.mfn import fetch as mfn_fetch
from connectors.news.schema import ISIN, ITEM, LEI, NUMBER
from connectors.news.wires import fetch as wires_fetch
from warehouse.schema.identifiers import company_id
from warehouse.schema.tables import COMPANIES, NEWS
from warehouse.schema.types import Table

Items = Callable[[pl.DataFrame], pl.DataFrame]  # present rows of a staged table to columns of ITEM


@dataclass(frozen=True, slots=True)
class NewsSources:
    """News sources of a market's issuers.

    wires: datasets with one staged table each, a wire's (`fields.table`).
    item_mappers: staged tables of the market's own datasets that hold releases, with the function from their rows to
    items.
    links: links from a wire's table (by its name) to a company, tried after its number, strongest keys first.
    """

    wires: tuple[Dataset, ...] = ()
    item_mappers: Mapping[str, Items] = field(default_factory=dict)
    links: Callable[[str], tuple[Link, ...]] = lambda _: ()

    def items(self) -> dict[str, Items]:
        """Functions from present rows to items, by staged table."""
        wires = {table: partial(wire_items, made.key) for made in self.wires for table in made.staged_tables}
        return {**wires, **self.item_mappers}


def news_contribution(code: str, news_sources: NewsSources) -> Contribution:
    """The market's wires, and `news` of them and of the market's own datasets."""
    wires = [table for dataset in news_sources.wires for table in dataset.staged_tables]
    number = pl.lit(company_id(code, "")) + pl.col(NUMBER)
    return Contribution(
        name="news",
        rank=SHARED,
        datasets=news_sources.wires,
        company_ids=dict.fromkeys(wires, number),
        links=tuple(link for table in wires for link in news_sources.links(table)),
        lei_columns=dict.fromkeys(wires, LEI),
        to_dependent_tables=partial(_map_news, news_sources.items()),
        news_items=news_sources.items(),
        host_limits=(mfn_fetch.LIMIT, wires_fetch.LIMIT),
    )


def issuer_links(code: str, table: str) -> tuple[Link, ...]:
    """Links of a wire's table by LEI, then by ISIN, in a market with LEI records and FIRDS."""
    isins = (isin_table(code), *full_tables(code))
    return (Link(table, LEI, lei_table(code).name, LEI), *(isin_link(table, one, "isin") for one in isins))


def isin_link(table: str, through: Table, column: str) -> Link:
    """Link by the ISIN of a share in another staged table."""
    return Link(table, ISIN, through.name, column)


def _map_news(told: Mapping[str, Items], shared: SharedTables, present: PresentRows, _today: date) -> SharedTables:
    """News of the market's companies; items of unknown companies stay staged."""
    items = grouping.concat_items(_present_items(told, present)).filter(is_news())
    return {NEWS.name: grouping.group_into_news(_of_known_companies(items, shared))}


def _present_items(told: Mapping[str, Items], present: PresentRows) -> Iterator[pl.DataFrame]:
    for table, items in told.items():
        if table in present:
            rows = present[table].filter(pl.col("_company_id").is_not_null(), pl.col("_retired_at").is_null())
            yield items(rows.collect())


def _of_known_companies(found: pl.DataFrame, shared: SharedTables) -> pl.DataFrame:
    """Items of companies in the shared tables; with no items, the millions of companies are not scanned."""
    if found.is_empty() or COMPANIES.name not in shared:
        return found.clear()
    return found.join(shared[COMPANIES.name].select("company_id"), on="company_id", how="semi")


def is_news() -> pl.Expr:
    """Whether an item is news: a notice of a major holding is published as a holding instead."""
    return ~pl.col("categories").list.contains(categories.OWNERSHIP)


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
