"""Maps present releases and notifications of linked issuers to shared filings and holdings.

Belongs here: columns to columns. Figures are never read from prose: an interim report is a document with its
period, day and URL. Does not belong here: the company of a row (`Jurisdiction.links`).
"""

from __future__ import annotations

from datetime import date
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl

from connectors.kit import staging
from connectors.nasdaq import categories, report_periods
from connectors.nasdaq.major_holdings.holder_types import holder_type
from connectors.nasdaq.schema import HOLDER, MESSAGE, RELEASE
from name_matching.name_columns import fold_texts
from warehouse.schema.ids import filing_id
from warehouse.schema.markets import MARKETS
from warehouse.schema.tables import FILINGS, HOLDINGS

# From the name, not as staged: rows that earlier versions staged have another key for the same holder.
HOLDER_KEY: Final = pl.col("holder").map_batches(fold_texts, return_dtype=pl.String).alias(HOLDER)
FILING_TYPE: Final = "interim_report"
_LANGUAGES: Final = ("en", "fi", "sv", "da", "no", "is")
_GROUP: Final = ("_company_id", "releaseTime", "categoryId")
_LOWEST, _HIGHEST = 0, 100


def map_filings(market: str, register: str, releases: pl.LazyFrame) -> pl.DataFrame:
    """`map_filings` of interim reports: one per release, whatever the number of its languages.

    market: in whose days a release is dated.
    """
    rows = _linked_rows(releases).sort(*_GROUP, RELEASE)
    if rows.is_empty():  # most companies are not listed
        return staging.empty_staged_frame(FILINGS)
    groups = [group for _, group in rows.group_by(_GROUP, maintain_order=True)]
    zone = ZoneInfo(MARKETS[market].time_zone)
    found = [filing for group in groups if (filing := _filing_row(register, zone, group.to_dicts())) is not None]
    return pl.DataFrame(found, schema=staging.staged_schema(FILINGS), orient="row")


def _filing_row(register: str, zone: ZoneInfo, records: list[dict[str, Any]]) -> dict[str, Any] | None:
    """One release from its records in all languages; None if it is not a report."""
    first = min(records, key=_language_rank)
    category, label = first["categoryId"], first["cnsCategory"]
    if not categories.is_interim(category, label):
        return None
    released = first["releaseTime"].astimezone(zone).date()
    stated = (report_periods.stated_period(one["headline"], released) for one in sorted(records, key=_language_rank))
    start, end = next((found for found in stated if found is not None), (None, None))
    document = next((one["documentUrl"] for one in sorted(records, key=_language_rank) if one["documentUrl"]), None)
    return {
        # the same release in another language, or listed again under another number, is the same document
        "filing_id": filing_id(register, f"{first['_company_id']}:{first['releaseTime'].isoformat()}:{category}"),
        "company_id": first["_company_id"],
        "filing_type": FILING_TYPE,
        "native_id": first[RELEASE],
        "period_start": None if categories.is_year_end(category, label) and _is_full_year(start, end) else start,
        "period_end": end,
        "filed_at": released,
        "is_amendment": False,
        "document_url": document or first["messageUrl"],
        "register": register,
        "raw": first["_raw"],
        "observed_at": max(one["_observed_at"] for one in records),
    }


def _is_full_year(start: date | None, end: date | None) -> bool:
    """Whether a release covers a year: the annual report, which follows with figures, represents that period."""
    # docs/contract/contract.md «Periods»
    return start is not None and end is not None and (end - start).days > 300  # noqa: PLR2004


def _language_rank(record: dict[str, Any]) -> tuple[int, int]:
    language = record["language"]
    return _LANGUAGES.index(language) if language in _LANGUAGES else len(_LANGUAGES), int(record[RELEASE])


def map_holdings(market: str, register: str, notifications: pl.LazyFrame, releases: pl.LazyFrame) -> pl.DataFrame:
    """Every notification as a shared holding, oldest first; the newest per holder and company counts.

    market: in whose days a release is dated.
    """
    day = pl.col("releaseTime").min().dt.convert_time_zone(MARKETS[market].time_zone).dt.date()
    told = (
        releases.filter(pl.col(MESSAGE).is_not_null())
        .group_by(MESSAGE)
        .agg(day.alias("_released"), pl.col("messageUrl").first().alias("_page"))
    )
    rows = _linked_rows(notifications.with_columns(HOLDER_KEY).join(told, on=MESSAGE, how="left"))
    # a day after the release, or after the observation, is a slip that would hide all later notifications
    latest = pl.min_horizontal("_released", pl.col("_observed_at").dt.date())
    rows = rows.with_columns(valid_from=pl.coalesce(pl.when(pl.col("day") <= latest).then("day"), "_released"))
    return holding_rows(
        register, rows.sort("_company_id", HOLDER, "valid_from", "_released", "source", nulls_last=False)
    )


def _linked_rows(rows: pl.LazyFrame) -> pl.DataFrame:
    return rows.filter(pl.col("_company_id").is_not_null()).collect()


def holding_rows(register: str, rows: pl.DataFrame) -> pl.DataFrame:
    """Staged rows of notifications, with `valid_from` and `_page`, as shared holdings in the same order."""
    kinds = pl.Series([holder_type(name) for name in rows["holder"]], dtype=pl.String)
    bounded = pl.any_horizontal(pl.col("sharesBelow", "sharesAbove").is_not_null())
    # votes above a limit, without shares, give no band of shares: it would begin at zero
    told = bounded | pl.col("votesBelow").is_not_null()
    basis = (
        pl.when(pl.col("isTotal"))
        .then(pl.lit("derived"))
        .when(pl.col("shares").is_not_null() | (pl.col("votes").is_not_null() & ~bounded))
        .then(pl.lit("exact"))
        .when(told)
        .then(pl.lit("band"))
    )
    most = pl.max_horizontal("shares", "votes")  # a proxy gives votes without shares
    held = rows.select(
        *staging.ORIGIN,
        register=pl.lit(register),
        native_id=HOLDER,
        holder_name="holder",
        holder_type=kinds,
        **_level_columns("shares", "pct", "pct_min", "pct_max"),
        **_level_columns("votes", "votes_pct", "votes_min", "votes_max"),
        basis=basis,  # `is_direct` is open: the form includes indirect holdings and a group's funds
        controls=pl.lit([], dtype=pl.List(pl.String)),
        valid_from="valid_from",
        # only nothing at all ends a holding: a notice below the lowest threshold may leave something
        ended_on=pl.when(most == pl.lit(_LOWEST).cast(rows.schema["shares"])).then("valid_from"),
        url=pl.coalesce("url", "_page"),
    )
    return staging.complete_columns(held, HOLDINGS)


def _level_columns(source: str, exact: str, low: str, high: str) -> dict[str, pl.Expr]:
    """Exact figures are their own bounds; «below» means zero to the limit, «above» the limit to the whole."""
    value, below, above = pl.col(source), pl.col(f"{source}Below"), pl.col(f"{source}Above")
    least, most = (pl.lit(bound).cast(pl.Decimal(9, 4)) for bound in (_LOWEST, _HIGHEST))
    return {
        exact: value,
        low: pl.coalesce(value, above, pl.when(below.is_not_null()).then(least)),
        high: pl.coalesce(value, below, pl.when(above.is_not_null()).then(most)),
    }
