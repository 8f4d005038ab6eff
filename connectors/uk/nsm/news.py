"""Converts announcements of the National Storage Mechanism to news items (docs/formats/news.md 2.4).

Revisions of one disclosure share `seq_id`. Third-party dealing disclosures in an issuer's shares (forms 8.3 and
8.5) and major holding announcements are not news of the issuer. Does not belong here: grouping
(`connectors.news.grouping`), parsing form TR-1 (`tr1_form`).
"""

from __future__ import annotations

import re
from typing import Final

import polars as pl

from connectors.news import categories, text
from connectors.news.market import META
from connectors.news.schema import ITEM
from connectors.uk.nsm.schema import KEY

PUBLISHER: Final = "FCA National Storage Mechanism"
FILES_URL: Final = "https://data.fca.org.uk/artefacts/"
_OF_OTHERS: Final = r"(?i)^Form 8|^EPT/"
_PATH: Final = re.compile(r"(?!.*\.\.)[\w-][\w./%() -]{0,500}")


def news_items(listed: pl.DataFrame) -> pl.DataFrame:
    """News items of current `uk_nsm_items` rows; rows without a time are skipped."""
    told = listed.filter(~pl.col("type").str.contains(_OF_OTHERS).fill_null(value=False))
    published = [
        text.parse_instant(stated)
        for stated in told.select(pl.coalesce("publication_date", "submitted_date")).to_series()
    ]
    return (
        told.with_columns(
            pl.Series("published_at", published, dtype=ITEM["published_at"]),
            pl.Series(
                "categories", [categories.map_categories([kind]) for kind in told["type"]], dtype=ITEM["categories"]
            ),
            pl.Series("url", [_announcement_url(path) for path in told["download_link"]], dtype=pl.String),
            pl.coalesce("headline", "type").alias("title"),
        )
        .filter(pl.col("published_at").is_not_null(), pl.col("title").is_not_null())
        .select(
            pl.col("_company_id").alias("company_id"),
            pl.lit(KEY).alias("register"),
            pl.col("id").alias("native_id"),
            pl.col("seq_id").alias("group"),
            pl.lit(None, pl.String).alias("corrects"),
            pl.coalesce("type", pl.lit("")).alias("kind"),
            "title",
            pl.lit(None, pl.String).alias("summary"),
            "url",
            pl.lit(PUBLISHER).alias("publisher"),
            pl.lit("en").alias("language"),
            "published_at",
            "categories",
            *META,
        )
        .select(*ITEM)
    )


def _announcement_url(path: str | None) -> str | None:
    """URL of an announcement's page; None for a path that leads elsewhere."""
    return FILES_URL + path.replace(" ", "%20") if path and _PATH.fullmatch(path) else None
