"""Maps exchange releases to news items (docs/formats/news.md 2.8): the record's number, its headline and its page.

A release in several languages may be several records of one minute and category. Notices of major holdings keep
their category, by which they become holdings and not news. Does not belong here: grouping
(`connectors.news.grouping`), interim reports as filings (`mapping`).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import polars as pl

from connectors.nasdaq import categories as numbers
from connectors.nasdaq.schema import RELEASE
from connectors.news import categories
from connectors.news.market import META
from connectors.news.schema import ITEM

PUBLISHER: Final = "Nasdaq"


def items_mapper(register: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Builds the function from present release rows of one dataset to news items."""
    return partial(_news_items, register)


def _news_items(register: str, releases: pl.DataFrame) -> pl.DataFrame:
    sorts = releases.select("categoryId", "cnsCategory", "headline").iter_rows()
    found = [_news_categories(number, label, headline) for number, label, headline in sorts]
    return (
        releases.with_columns(pl.Series("categories", found, dtype=pl.List(pl.String)))
        .select(
            pl.col("_company_id").alias("company_id"),
            pl.lit(register).alias("register"),
            pl.col(RELEASE).alias("native_id"),
            pl.lit(None, pl.String).alias("group"),
            pl.lit(None, pl.String).alias("corrects"),
            pl.coalesce(pl.col("categoryId").cast(pl.String), "cnsCategory", pl.lit("")).alias("kind"),
            pl.col("headline").alias("title"),
            pl.lit(None, pl.String).alias("summary"),
            pl.col("messageUrl").alias("url"),
            pl.lit(PUBLISHER).alias("publisher"),
            pl.col("language").str.slice(0, 2).alias("language"),
            pl.col("releaseTime").alias("published_at"),
            "categories",
            *META,
        )
        .select(*ITEM)
    )


def _news_categories(number: int | None, label: str | None, headline: str) -> list[str]:
    """Our categories, by the exchange's numbers where known, else by its words."""
    if numbers.is_flagging(number, label):
        return [categories.OWNERSHIP]
    if numbers.is_interim(number, label):
        return ["earnings"]
    return categories.map_categories([label], "" if label else headline)
