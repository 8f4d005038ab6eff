"""Maps announcements of NewsWeb to news items (docs/formats/news.md 2.3).

Norwegian and English versions are separate messages: they are linked by a shared client id, else by minute and
category if the headlines are in two languages. Interest rate adjustments are not news. Does not belong here:
grouping (`connectors.news.grouping`), reports and holdings of the same messages (`mapping`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.news import categories, text
from connectors.news.market import META
from connectors.news.schema import ITEM
from connectors.no import code_lists
from connectors.no.newsweb import schema as f

PUBLISHER: Final = "NewsWeb, Oslo Børs"
_CLIENT: Final = pl.col(f.CLIENT)


def news_items(messages: pl.DataFrame) -> pl.DataFrame:
    """News items of current rows of `no_newsweb`."""
    told = messages.filter(pl.col("title").is_not_null(), ~pl.col("category").list.contains(f.RATES))
    titles = told["title"].to_list()
    labels = [[code_lists.NEWSWEB.get(code, "english") for code in codes_] for codes_ in told["category"]]
    shared = pl.len().over("_company_id", _CLIENT) > 1
    return (
        told.with_columns(
            pl.Series("language", [text.headline_language(title) for title in titles], dtype=pl.String),
            pl.Series("categories", [categories.map_categories(words) for words in labels], dtype=pl.List(pl.String)),
        )
        .select(
            pl.col("_company_id").alias("company_id"),
            pl.lit(f.KEY).alias("register"),
            pl.col(f.ID).alias("native_id"),
            pl.when(shared & _CLIENT.is_not_null()).then(_CLIENT).alias("group"),
            pl.col("correctionForMessageId").alias("corrects"),
            pl.col("category").list.join(";").alias("kind"),
            "title",
            pl.lit(None, pl.String).alias("summary"),
            (pl.lit(f.PAGE_URL) + pl.col(f.ID)).alias("url"),
            pl.lit(PUBLISHER).alias("publisher"),
            "language",
            pl.col("publishedTime").alias("published_at"),
            "categories",
            *META,
        )
        .select(*ITEM)
    )
