"""PSC records to shared holdings and listings (FORMAT 4, 10.1, 11).

Every notification is one holding, ceased ones kept. Statements are facts without a holder and stay staged.
What the stream deleted is gone; what a whole snapshot no longer holds ended on the day of that snapshot.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.kit import codes, text
from connectors.uk.codelists import coded
from connectors.uk.licence import PUBLIC_PAGE
from connectors.uk.natures import with_bands
from connectors.uk.numbers import british_holder, identity
from connectors.uk.psc_schema import HOLDERS, KEY, PERIODS
from connectors.uk.psc_signals import REGIME
from connectors.uk.shapes import shaped
from warehouse.schema import tables

_STATE: Final = r"(?i)\bgovernment|\bauthorit(?:y|ies)\b"
_COUNTRIES: Final = ("country_of_residence", "nationality", "country_registered", "place_registered")
_AHEAD: Final = pl.duration(days=366)  # a date further ahead than this was never meant


def holdings(psc: pl.DataFrame) -> pl.DataFrame:
    """Shared holdings of staged `uk_psc` rows."""
    banded = pl.any_horizontal(pl.col("pct_min", "votes_min").is_not_null())
    live = with_bands(psc.filter(~pl.col("deleted")))
    rows = (
        live.with_columns(
            _kind=pl.col("kind").replace_strict(HOLDERS, default=None, return_dtype=pl.String),
            **{f"_{column}": coded(live, column, "countries", "country") for column in _COUNTRIES},
        )
        .with_columns(**_days())
        .with_columns(**_holder())
        .with_columns(
            company_id=pl.col("_company_id"),
            register=pl.lit(KEY),
            native_id=pl.col("id"),
            basis=pl.when(banded).then(pl.lit("band")),
            ended_on=pl.coalesce("ended_on", pl.col("_retired_at").dt.date()),
            url=pl.lit(PUBLIC_PAGE) + pl.col("company_number") + pl.lit("/persons-with-significant-control"),
            raw=pl.col("_raw"),
            observed_at=pl.col("_observed_at"),
        )
    )
    return shaped(rows, tables.HOLDINGS)


def _days() -> dict[str, pl.Expr]:
    """Start and end in the world, with impossible dates made harmless the same way at every reading.

    Before the regime began is its first day; far ahead is unknown. A record that says it ceased has ended:
    on an unknown day it counts as never held, since no later day would be true either.
    """
    latest = pl.col("_observed_at").dt.date() + _AHEAD
    notified = text.iso_date(pl.col("notified_on"))
    begun = pl.when(notified <= latest).then(pl.max_horizontal(notified, pl.lit(REGIME)))
    first = pl.coalesce(begun, pl.lit(REGIME))
    ceased_on = text.iso_date(pl.col("ceased_on"))
    has_ceased = pl.col("ceased_on").is_not_null() | pl.col("ceased").fill_null(value=False)
    ended = pl.when(ceased_on <= latest).then(pl.max_horizontal(ceased_on, first)).otherwise(first)
    return {"valid_from": begun, "ended_on": pl.when(has_ceased).then(ended)}


def _holder() -> dict[str, pl.Expr]:
    """Who holds: name and country, no more."""
    kind = pl.col("_kind").fill_null("")
    parts = pl.concat_str("title", "forename", "middle_name", "surname", separator=" ", ignore_nulls=True)
    full = text.clean(pl.coalesce(text.clean(pl.col("name")), parts))
    person = pl.coalesce("_country_of_residence", "_nationality")
    entity = pl.coalesce("_country_registered", "_place_registered")
    number = british_holder(
        pl.col("registration_number"),
        pl.col("country_registered"),
        pl.col("place_registered"),
        pl.col("_country_registered"),
    )
    is_state = pl.col("legal_form").str.contains(_STATE).fill_null(value=False)
    return {
        "holder_name": pl.when(kind != "secret").then(full),
        "holder_type": pl.when(kind.is_in(["person", "company"]))
        .then(kind)
        .when((kind == "legal") & is_state)
        .then(pl.lit("state"))
        .otherwise(pl.lit("unknown")),
        "holder_company_id": pl.when(kind == "company").then(identity(number)),
        "holder_country": pl.when(kind == "person").then(person).when(kind != "secret").then(entity),
    }


def listings(exemptions: pl.DataFrame) -> pl.DataFrame:
    """Shared listings of staged `uk_exemptions` rows: a PSC exemption says that shares trade on a market.

    Absence from a snapshot ends none: snapshots hold about a hundred of them, the other doors know more.
    """
    period = pl.col("exemptions")
    rows = (
        exemptions.filter(~pl.col("deleted"))
        .with_columns(period.str.json_decode(PERIODS))
        .explode("exemptions")
        .with_columns(
            key=period.struct.field("key"),
            begun=period.struct.field("exempt_from"),
            ended=period.struct.field("exempt_to"),
        )
        .filter(pl.col("key").is_in(sorted(codes.load("connectors.uk", "exemptions").codes)))
        .with_columns(
            company_id=pl.col("_company_id"),
            register=pl.lit(KEY),
            native_id=pl.concat_str("key", "begun", separator="/", ignore_nulls=True),
            valid_from=text.iso_date(pl.col("begun")),
            ended_on=text.iso_date(pl.col("ended")),
            raw=pl.col("_raw"),
            observed_at=pl.col("_observed_at"),
        )
        .unique(["company_id", "native_id"], keep="last", maintain_order=True)
    )
    return shaped(rows, tables.LISTINGS)


def traded(listed: pl.DataFrame, at: date) -> pl.DataFrame:
    """Companies with a live exemption, and when that was observed."""
    open_ = listed.filter(pl.col("ended_on").is_null() | (pl.col("ended_on") > at))
    return open_.group_by("company_id").agg(listed_at=pl.col("observed_at").max())
