"""Maps statements of the register of owners to shared holdings (docs/formats/dk.md 4).

A stated share is the lower end of a statutory band, which is what is served: never an exact share, but for the whole
(1.0). The band holds its lower end and not its upper one; bands are never added up. A share that is no known lower end
is unknown. Every change is a statement with its own first day, so that the history needs no snapshots. Does not belong
here: one line per holder (pipelines), or reading the register (`owners`).
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Final

import polars as pl

from connectors.dk.register import MARKET, PUBLIC_PAGE, company_ids
from connectors.dk.virksomhed.schema import HOLDER, KEY, NUMBER
from connectors.kit import staging
from connectors.kit.holdings_history import latest_statements, superseded_statements
from warehouse.schema.tables import HOLDINGS, HOLDINGS_EARLIER

_ENDS: Final = ("0.05", "0.1", "0.15", "0.2", "0.25", "0.3333", "0.5", "0.6667", "0.9", "1")
PERCENT: Final = pl.Decimal(9, 4)
LOWER: Final = {Decimal(end): Decimal(end) * 100 for end in _ENDS}
UPPER: Final = dict(zip(LOWER, (*list(LOWER.values())[1:], Decimal(100)), strict=True))
_FRACTION: Final = r"[01](?:\.[0-9]{1,12})?"
_WHOLE: Final = Decimal(100)
_TYPES: Final = {"PERSON": "person", "VIRKSOMHED": "company"}


def map_holdings(owners: pl.LazyFrame, companies: pl.LazyFrame, today: date) -> dict[str, pl.DataFrame]:
    """Each holder's latest statement on a day, and the earlier ones. companies: the records that state them."""
    statements = _map_statements(_standing_statements(owners, companies), today)
    return {HOLDINGS.name: latest_statements(statements), HOLDINGS_EARLIER.name: superseded_statements(statements)}


def _standing_statements(owners: pl.LazyFrame, companies: pl.LazyFrame) -> pl.LazyFrame:
    """The statements that count, with `_gone`: when the record of a holder that has ended named it no more.

    A record has all statements about its company: what a newer one lacks was corrected, and counts no more; a holder
    whom it names no more has ended. A record without the list of participants says nothing of them.
    """
    lists_holders = pl.col("har_deltagere").fill_null(value=False) & pl.col("_retired_at").is_null()
    records = companies.filter(lists_holders).select(NUMBER, pl.col("_observed_at").alias("_record_at"))
    is_lacking = (pl.col("_record_at") > pl.col("_observed_at")).fill_null(value=False)
    gone = pl.coalesce("_retired_at", pl.when(is_lacking).then("_record_at"))
    rows = owners.join(records, on=NUMBER, how="left", maintain_order="left").with_columns(_gone=gone)
    has_left = pl.col("_gone").is_not_null()
    return rows.filter(~has_left | has_left.all().over(NUMBER, HOLDER))


def _map_statements(owners: pl.LazyFrame, today: date) -> pl.DataFrame:
    """Statements that have begun as holdings, oldest first per holder; one without a first day is before the others.

    A statement ends where none of the holder follows on the next day: otherwise the holding goes on with another share.
    """
    begun, ended = pl.col("gyldig_fra"), pl.col("gyldig_til")
    goes_on = (begun.shift(-1).over(NUMBER, HOLDER) <= ended.dt.offset_by("1d")).fill_null(value=False)
    ordered = owners.sort(NUMBER, HOLDER, "gyldig_fra", nulls_last=False)
    rows = ordered.select(
        *staging.ORIGIN,
        register=pl.lit(KEY),
        native_id=pl.col(HOLDER),
        valid_from=begun,
        # a last day to come is not an end yet
        ended_on=pl.coalesce(pl.when((ended <= today) & ~goes_on).then(ended), pl.col("_gone").dt.date()),
        url=pl.lit(PUBLIC_PAGE) + pl.col(NUMBER),
        controls=pl.lit([], pl.List(pl.String)),
        is_direct=pl.lit(value=True),
        **_holder_columns(),
        **_share_columns("ejerandel", "pct"),
        **_share_columns("stemmeret", "votes"),
    )
    is_exact = pl.col("pct").is_not_null()
    is_banded = pl.any_horizontal(pl.col("pct_min", "votes_min").is_not_null())
    has_begun = (pl.col("valid_from") <= today).fill_null(value=True)
    based = rows.filter(has_begun).with_columns(
        basis=pl.when(is_exact).then(pl.lit("exact")).when(is_banded).then(pl.lit("band"))
    )
    return staging.complete_columns(based, HOLDINGS).collect()


def _holder_columns() -> dict[str, pl.Expr]:
    kind = pl.col("enhedstype").replace_strict(_TYPES, default="unknown", return_dtype=pl.String)
    is_ours = pl.col("forretningsnoegle").is_not_null() & (kind == "company")
    return {
        "holder_name": pl.col("navn"),
        "holder_type": kind,
        "holder_company_id": pl.when(is_ours).then(company_ids(pl.col("forretningsnoegle"))),
        "holder_country": pl.coalesce("landekode", pl.when(is_ours).then(pl.lit(MARKET))),
    }


def _share_columns(column: str, name: str) -> dict[str, pl.Expr]:
    """Bounds of a share; the share itself only where it is the whole."""
    stated = pl.col(column).str.extract(f"^({_FRACTION})$").cast(pl.Decimal(14, 12), strict=False)
    lower = _bound(stated, LOWER)
    exact = "pct" if name == "pct" else "votes_pct"
    return {exact: pl.when(lower == _WHOLE).then(lower), f"{name}_min": lower, f"{name}_max": _bound(stated, UPPER)}


def _bound(stated: pl.Expr, bounds: dict[Decimal, Decimal]) -> pl.Expr:
    """The bound of each stated share; null for a share that is not the lower end of a band."""
    found = pl.lit(None, PERCENT)
    for share, bound in bounds.items():
        found = pl.when(stated == pl.lit(share, pl.Decimal(14, 12))).then(pl.lit(bound, PERCENT)).otherwise(found)
    return found


def is_lower_end(stated: str | None) -> bool:
    """True for null, and for a share that is the lower end of a band."""
    if stated is None:
        return True
    return re.fullmatch(_FRACTION, stated) is not None and Decimal(stated) in LOWER
