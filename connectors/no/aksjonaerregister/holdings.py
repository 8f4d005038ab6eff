"""Shares of the yearly register to shared holdings: percentages of capital as of 31 December.

See docs/formats/no.md 7, 13.5.

The newest year lists the current holders; a holder found only in an earlier year has left by then, unless lines of that
list were rejected: one of them may be his, so that the next list that was read whole decides. Does not belong here:
summing accounts (`dataset`), or other sources of the same holder (pipelines).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.no.aksjonaerregister.persons import with_keys_of_persons
from connectors.no.aksjonaerregister.schema import HAS_UNREAD, HOLDER, KEY, NUMBER, SHARES, TOTAL, YEAR
from connectors.no.enheter.schema import NUMBER as ENTITY
from connectors.no.enheter.schema import SHARE_COUNT
from connectors.no.register import MARKET, company_ids
from warehouse.schema.tables import HOLDINGS

_PERCENT: Final = pl.Decimal(9, 4)
_SLACK: Final = 1.001
_UNITS: Final = 1_000_000  # a share of the whole in units of 0.0001 %
# Names of banks and depositaries that hold shares for others, and words that mark such accounts.
_NOMINEE: Final = (
    r"(?i)\bnominee|\bcustod(?:y|ian)|forvalterkonto|\bnom\b|client(?:s|'s)? acc|"
    r"clearstream|euroclear|state street bank|bank of new york mellon|\bbny mellon|jpmorgan chase bank|"
    r"j\.?p\.? ?morgan (?:se|bank)|citibank|brown brothers harriman|northern trust (?:co|global)|"
    r"bnp paribas securities services|goldman sachs international|morgan stanley & co|caceis|"
    r"rbc investor services|pictet & cie|ubs switzerland|nordnet bank|avanza bank|saxo bank|"
    r"skandinaviska enskilda banken ab|interactive brokers"
)


def map_holdings(shares: pl.LazyFrame, entities: pl.LazyFrame) -> pl.DataFrame:
    """Staged `no_aksjonaer` rows as shared holdings of each holder and year, oldest first."""
    shares = with_keys_of_persons(shares)
    rows = shares.with_columns(_held=pl.col(SHARES).sum().over(NUMBER, YEAR))
    counted = entities.select(pl.col(ENTITY).alias(NUMBER), SHARE_COUNT)
    kept = (NUMBER, "navn", "art", "landkode", "_held", SHARE_COUNT, "_raw", "_observed_at")
    holders = (
        rows.join(counted, on=NUMBER, how="left", maintain_order="left")
        .group_by("_company_id", HOLDER, YEAR, maintain_order=True)
        .agg(
            pl.col(SHARES).sum(),
            pl.col(TOTAL).max(),
            pl.col(HAS_UNREAD).any(),
            *(pl.col(name).first() for name in kept),
        )
        .join(_next_list_years(shares), on=["_company_id", YEAR], how="left")
        .sort("_company_id", HOLDER, YEAR)
        .with_columns(_own_next=pl.col(YEAR).shift(-1).over("_company_id", HOLDER))
        .select(*staging.ORIGIN, **_holding_columns())
        .collect()
    )
    return staging.complete_columns(holders, HOLDINGS)


def _next_list_years(shares: pl.LazyFrame) -> pl.LazyFrame:
    """For each yearly list of a company, the year of the next whole one: who is missing there has left by its date."""
    lists = shares.group_by("_company_id", YEAR).agg(pl.col(HAS_UNREAD).any()).sort("_company_id", YEAR)
    whole = pl.when(~pl.col(HAS_UNREAD)).then(YEAR).shift(-1).fill_null(strategy="backward").over("_company_id")
    return lists.select("_company_id", YEAR, _next=whole)


def _percentage_base() -> tuple[pl.Expr, pl.Expr]:
    """Denominator of the percentages, and whether the file states it.

    The file's total; if absent, the share count of the share capital; if holders have more than that, their sum, which
    is not known where lines were rejected.
    """
    given = pl.when(pl.col(TOTAL) > 0).then(pl.col(TOTAL))
    known = pl.coalesce(given, pl.when(pl.col(SHARE_COUNT) > 0).then(pl.col(SHARE_COUNT)))
    enough = pl.col("_held") <= known * _SLACK
    of = pl.when(enough).then(known).when(~pl.col(HAS_UNREAD)).then("_held")
    return of, (given.is_not_null() & enough)


def _floored_percentage(held: pl.Expr, of: pl.Expr) -> pl.Expr:
    """Percentage to four places, rounded down (49.99999 is not 50) and capped at 100."""
    # integers only: float rounding could move 5.0 across a threshold
    units = (held.cast(pl.Int128) * _UNITS // of.cast(pl.Int128)).clip(upper_bound=_UNITS)
    scaled = pl.when(of > 0).then(units.cast(pl.Decimal(38, 0)))
    return (scaled.cast(pl.Decimal(38, 4)) / pl.lit(10_000).cast(pl.Decimal(38, 4))).cast(_PERCENT)


def _holding_columns() -> dict[str, pl.Expr]:
    of, exact = _percentage_base()
    percent = _floored_percentage(pl.col(SHARES), of)
    company = pl.col("art") == "company"
    nominee = (pl.col("art") != "person") & pl.col("navn").str.contains(_NOMINEE).fill_null(value=False)
    return {
        "register": pl.lit(KEY),
        "native_id": pl.col(HOLDER),
        "holder_name": pl.col("navn"),
        "holder_type": pl.when(nominee).then(pl.lit("nominee")).otherwise(pl.col("art")),
        "holder_company_id": pl.when(company).then(company_ids(pl.col(HOLDER))),
        "holder_country": pl.coalesce("landkode", pl.when(company).then(pl.lit(MARKET))),
        **dict.fromkeys(("pct", "pct_min", "pct_max"), percent),
        "basis": pl.when(percent.is_not_null() & exact)
        .then(pl.lit("exact"))
        .when(percent.is_not_null())
        .then(pl.lit("derived")),
        "is_direct": pl.when(~nominee).then(pl.lit(value=True)),
        "controls": pl.lit([], pl.List(pl.String)),
        "valid_from": _last_day_of_year(pl.col(YEAR)),
        "ended_on": pl.when(pl.col("_own_next").is_null() | (pl.col("_own_next") > pl.col("_next"))).then(
            _last_day_of_year(pl.col("_next"))
        ),
    }


def _last_day_of_year(year: pl.Expr) -> pl.Expr:
    return pl.date(year, 12, 31)
