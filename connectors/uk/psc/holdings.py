"""Maps PSC records to shared holdings and listings (docs/formats/uk.md 4, 10.1, 11).

Every notification is one holding, including ceased ones. Statements have no holder and stay staged. Records
deleted by the stream are gone; records missing from a whole snapshot ended on its day.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.kit import staging
from connectors.kit.columns import text
from connectors.kit.staging import cast_to_table
from connectors.uk.code_lists import code_list_field, load_list
from connectors.uk.psc.natures_of_control import with_ownership_bands
from connectors.uk.psc.schema import HOLDERS, KEY, PERIODS
from connectors.uk.psc.signals import REGIME, stated_number
from connectors.uk.register import PUBLIC_PAGE, company_ids
from warehouse.schema import tables
from warehouse.schema.types import SUBJECT_NUMBER

_STATE: Final = r"(?i)\bgovernment|\bauthorit(?:y|ies)\b"
_COUNTRIES: Final = ("country_of_residence", "nationality", "country_registered", "place_registered")


def map_holdings(psc: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Shared holdings of staged `uk_psc` rows; `others`: rows of unmapped kinds."""
    if psc.is_empty():
        return staging.empty_staged_frame(tables.HOLDINGS)
    banded = pl.any_horizontal(pl.col("pct_min", "votes_min").is_not_null())
    # control alone is a share of nothing, natures that cannot be read are an unknown share
    unstated = pl.col("is_unread") & (pl.col("_kind") != "secret").fill_null(value=True)
    live = with_ownership_bands(_clear_false_retirements(psc, others).filter(~pl.col("deleted")))
    rows = (
        live.with_columns(
            _kind=pl.col("kind").replace_strict(HOLDERS, default=None, return_dtype=pl.String),
            **{f"_{column}": code_list_field(live, column, "countries", "country") for column in _COUNTRIES},
        )
        .with_columns(**_validity_days())
        .with_columns(**_holder_columns())
        .with_columns(
            *staging.ORIGIN,
            native_id=pl.col("id"),
            basis=pl.when(banded | unstated).then(pl.lit("band")),
            ended_on=pl.coalesce("ended_on", pl.col("_retired_at").dt.date()),
            url=pl.lit(PUBLIC_PAGE) + pl.col("company_number") + pl.lit("/persons-with-significant-control"),
            register=pl.lit(KEY),
        )
    )
    return cast_to_table(rows, tables.HOLDINGS)


def map_holder_marks(psc: pl.DataFrame) -> pl.DataFrame:
    """Marks of persons, and numbers of later subjects, of the staged `uk_psc` rows that have one."""
    told = psc.rename({SUBJECT_NUMBER: "subject_number"}).filter(~pl.col("deleted"))
    marked = told.filter(pl.any_horizontal(pl.col("person_mark", "subject_number").is_not_null()))
    rows = marked.with_columns(*staging.ORIGIN, native_id=pl.col("id"), register=pl.lit(KEY))
    return cast_to_table(rows, tables.HOLDER_MARKS)


def _clear_false_retirements(psc: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Keeps records that reappeared under an unknown kind in their last known state: they have not ceased."""
    known = others.filter(~pl.col("deleted") & pl.col("_retired_at").is_null())
    if known.is_empty():
        return psc
    key = ["company_number", "id"]
    found = known.select(*key, _is_there=pl.lit(value=True)).unique(key)
    there = pl.col("_is_there").fill_null(value=False)
    return (
        psc.join(found, on=key, how="left", maintain_order="left")
        .with_columns(_retired_at=pl.when(~there).then("_retired_at"))
        .drop("_is_there")
    )


def _validity_days() -> dict[str, pl.Expr]:
    """Start and end of validity, with impossible dates corrected deterministically.

    A day before the regime becomes its first day; a day far in the future is unknown. A record marked as ceased on
    an unknown day counts as never held, since any later day would be wrong.
    """
    latest = pl.col("_observed_at").dt.date() + text.AHEAD
    notified = text.iso_date(pl.col("notified_on"))
    begun = pl.when(notified <= latest).then(pl.max_horizontal(notified, pl.lit(REGIME)))
    first = pl.coalesce(begun, pl.lit(REGIME))
    ceased_on = text.iso_date(pl.col("ceased_on"))
    has_ceased = text.clean_text(pl.col("ceased_on")).is_not_null() | pl.col("ceased").fill_null(value=False)
    ended = pl.when(ceased_on <= latest).then(pl.max_horizontal(ceased_on, first)).otherwise(first)
    return {"valid_from": begun, "ended_on": pl.when(has_ceased).then(ended)}


def _holder_columns() -> dict[str, pl.Expr]:
    """Holder columns: name and country only."""
    kind = pl.col("_kind").fill_null("")
    parts = pl.concat_str("title", "forename", "middle_name", "surname", separator=" ", ignore_nulls=True)
    full = text.clean_text(pl.coalesce(text.clean_text(pl.col("name")), parts))
    person = pl.coalesce("_country_of_residence", "_nationality")
    entity = pl.coalesce("_country_registered", "_place_registered")
    number = stated_number(pl.col("_country_registered"))
    other_company = pl.when(number != pl.col("company_number")).then(number)
    is_state = pl.col("legal_form").str.contains(_STATE).fill_null(value=False)
    return {
        "holder_name": pl.when(kind != "secret").then(full),
        "holder_type": pl.when(kind.is_in(["person", "company"]))
        .then(kind)
        .when((kind == "legal") & is_state)
        .then(pl.lit("state"))
        .otherwise(pl.lit("unknown")),
        "holder_company_id": pl.when(kind == "company").then(company_ids(other_company)),
        # a company number was linked because the register details are British, in any spelling
        "holder_country": pl.when(kind == "person")
        .then(person)
        .when(kind != "secret")
        .then(pl.coalesce(entity, pl.when((kind == "company") & number.is_not_null()).then(pl.lit("GB")))),
    }


def map_listings(exemptions: pl.DataFrame) -> pl.DataFrame:
    """Shared listings of staged `uk_exemptions` rows: a PSC exemption implies that shares trade on a market.

    Absence from a snapshot ends none: snapshots have only about a hundred, the other channels more. One that
    starts far in the future is ignored.
    """
    period, begun = pl.col("exemptions"), text.iso_date(pl.col("begun"))
    rows = (
        exemptions.filter(~pl.col("deleted"))
        .with_columns(period.str.json_decode(PERIODS))
        .explode("exemptions")
        .with_columns(
            key=period.struct.field("key"),
            begun=period.struct.field("exempt_from"),
            ended=period.struct.field("exempt_to"),
        )
        .filter(pl.col("key").is_in(sorted(load_list("exemptions").codes)), ~text.is_too_far_in_future(begun))
        .with_columns(
            *staging.ORIGIN,
            native_id=pl.concat_str("key", "begun", separator="/", ignore_nulls=True),
            valid_from=begun,
            ended_on=_exemption_end(),
            register=pl.lit(KEY),
        )
        .unique(["company_id", "native_id"], keep="last", maintain_order=True)
    )
    return cast_to_table(rows, tables.LISTINGS)


def _exemption_end() -> pl.Expr:
    """Last day of an exemption: null if far in the future; an ended one counts as ended even if unreadable."""
    begun, ended = text.iso_date(pl.col("begun")), text.iso_date(pl.col("ended"))
    unknown = text.failed_to_parse(pl.col("ended"), ended)
    told = pl.when(~text.is_too_far_in_future(ended)).then(ended)
    return pl.when(unknown).then(pl.coalesce(begun, pl.col("_observed_at").dt.date())).otherwise(told)


def exempt_listed_companies(listed: pl.DataFrame, at: date) -> pl.DataFrame:
    """Companies with an exemption in force, and when it was observed."""
    begun = pl.col("valid_from").is_null() | (pl.col("valid_from") <= at)
    open_ = listed.filter(begun & (pl.col("ended_on").is_null() | (pl.col("ended_on") > at)))
    return open_.group_by("company_id").agg(listed_at=pl.col("observed_at").max())
