"""Signals about the values of staged PSC rows: unknown codes and countries, impossible dates.

See docs/formats/uk.md 4.

Belongs here: counting values for manual review. Does not belong here: how the mapping treats such values
(`holdings`); rows are staged as delivered.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.kit.columns import text
from connectors.kit.staging import SignalCounter, count_subjects
from connectors.uk.code_lists import code_list_field, count_unlisted
from connectors.uk.psc.natures_of_control import has_several_bands, is_published_nature
from connectors.uk.psc.schema import EXEMPTIONS, HOLDERS, OTHERS, PERIODS, PSC, STATEMENTS
from connectors.uk.register import british_holder_number, is_foreign_holder, is_without_prefix
from warehouse.schema.types import Table

REGIME: Final = date(2016, 4, 6)  # start of the PSC regime: no control was registered before this day
_STATING: Final = sorted(kind for kind, meaning in HOLDERS.items() if meaning != "secret")  # kinds with natures
_COUNTRIES: Final = ("nationality", "country_of_residence", "country_registered")


def count_anomalies(table: Table, rows: pl.DataFrame, tally: SignalCounter, observed_on: date) -> None:
    """Counts all signals of one chunk of one table; days are checked against that of the observation."""
    if table is PSC:
        _count_holders(rows, tally, observed_on)
    elif table is OTHERS:
        count_subjects(tally, "unknown_kind", _with_subject(rows, pl.col("kind").fill_null("none")))
    elif table is EXEMPTIONS:
        _count_exemptions(rows, tally)
    elif table is STATEMENTS:
        count_unlisted(tally, "unknown_statement", "statements", _with_subject(rows, pl.col("statement")))


def _count_exemptions(rows: pl.DataFrame, tally: SignalCounter) -> None:
    period = pl.col("subject").struct
    periods = _with_subject(rows, pl.col("exemptions").str.json_decode(PERIODS)).explode("subject")
    periods = periods.filter(pl.col("subject").is_not_null())
    keys = periods.select("example", subject=period.field("key"))
    count_unlisted(tally, "unknown_exemption", "exemptions", keys)
    for column in ("exempt_from", "exempt_to"):
        day = period.field(column)
        bad = periods.filter(text.failed_to_parse(day, text.iso_date(day)))
        count_subjects(tally, "bad_date", bad.select("example", subject=pl.lit(column)))


def _count_holders(rows: pl.DataFrame, tally: SignalCounter, observed_on: date) -> None:
    _count_natures(rows, tally)
    for column in _COUNTRIES:
        count_unlisted(tally, "unknown_country", "countries", _with_subject(rows, pl.col(column)))
    _count_own_numbers(rows, tally)
    _count_repeated_records(rows, tally)
    _count_days(rows, tally, observed_on)


def stated_number(country_code: pl.Expr) -> pl.Expr:
    """Canonical number that a record states for its holder; null unless its details are British.

    country_code: of `country_registered`.
    """
    details = ("registration_number", "country_registered", "place_registered")
    number, country, place = map(pl.col, details)
    form = pl.col("legal_form")
    found = british_holder_number(number, country, place, country_code, form)
    # of those with a number alone: most of millions of rows are persons
    law, form, name = (
        pl.when(found.is_not_null()).then(one) for one in (pl.col("legal_authority"), form, pl.col("name"))
    )
    return pl.when(~(is_without_prefix(found) & is_foreign_holder(law, form, name))).then(found)


def _count_own_numbers(rows: pl.DataFrame, tally: SignalCounter) -> None:
    """Counts holders with the number of the company that they control: it is the holder's by mistake."""
    own = pl.col("company_number")
    number = pl.col("registration_number").str.to_uppercase().str.replace_all(r"\s", "")
    numbered = rows.filter(pl.col("registration_number").is_not_null())
    near = numbered.filter(number.str.contains(own.str.strip_chars_start("0"), literal=True))
    if near.is_empty():
        return
    country = code_list_field(near, "country_registered", "countries", "country")
    hits = near.filter(stated_number(country) == own)
    count_subjects(tally, "own_number", _with_subject(hits, pl.lit("registration_number")))


def _count_natures(rows: pl.DataFrame, tally: SignalCounter) -> None:
    """Counts unknown natures of control; millions of rows have few codes, so each is checked once."""
    code = pl.col("natures_of_control").explode().unique().drop_nulls()
    strange = rows.select(code=code).filter(~is_published_nature(pl.col("code")))["code"].to_list()
    if strange:
        natures = _with_subject(rows, pl.col("natures_of_control")).explode("subject")
        count_subjects(tally, "unknown_nature", natures.filter(pl.col("subject").is_in(strange)))
    contradicting = rows.filter(has_several_bands(rows["natures_of_control"]))
    count_subjects(tally, "several_bands", _with_subject(contradicting, pl.lit("natures_of_control")))
    silent = rows.filter(
        (pl.col("natures_of_control").list.len() == 0) & ~pl.col("deleted"),
        pl.col("ceased_on").is_null() & ~pl.col("ceased").fill_null(value=False),
        pl.col("kind").is_in(_STATING),
    )
    count_subjects(tally, "no_nature", _with_subject(silent, pl.lit("natures_of_control")))


def _count_repeated_records(rows: pl.DataFrame, tally: SignalCounter) -> None:
    """Counts records that a file states twice, differently; the last line counts. Events of a stream repeat none."""
    key = pl.concat_str("company_number", "id")
    if rows.select(key.hash().n_unique()).item() == rows.height:
        return
    natures = pl.col("natures_of_control").list.join("|")
    stated = rows.filter(pl.col("timepoint").is_null()).with_columns(natures).unique(maintain_order=True)
    hits = stated.filter(~pl.struct("company_number", "id").is_first_distinct())
    count_subjects(tally, "repeated_record", _with_subject(hits, pl.lit(PSC.name)))


def _count_days(rows: pl.DataFrame, tally: SignalCounter, observed_on: date) -> None:
    """Counts invalid or impossible days, and ends before starts; rows are searched only if there are any."""
    days = _parsed_days(rows)
    latest = pl.lit(observed_on) + text.AHEAD  # as in the mapping
    odd: list[tuple[str, str, pl.Expr]] = []
    for column, day in (("notified_on", "begun"), ("ceased_on", "ended")):
        known = pl.col(day)
        odd.append(("bad_date", column, text.failed_to_parse(pl.col(column), known)))
        odd.append(("impossible_date", column, (known < REGIME) | (known > latest)))
    odd.append(("ceased_before_notified", "ceased_on", pl.col("ended") < pl.col("begun")))
    found = days.select(condition.fill_null(value=False).alias(f"{code} {column}") for code, column, condition in odd)
    for code, column, _ in odd:
        hits = found[f"{code} {column}"]
        if hits.any():
            count_subjects(tally, code, _with_subject(rows.filter(hits), pl.lit(column)))


def _parsed_days(rows: pl.DataFrame) -> pl.DataFrame:
    """Both days, as text and parsed as `begun` and `ended`; other spellings are tried only if needed."""
    told = rows.select("notified_on", "ceased_on")
    plain = told.with_columns(
        begun=pl.col("notified_on").str.to_date("%Y-%m-%d", strict=False),
        ended=pl.col("ceased_on").str.to_date("%Y-%m-%d", strict=False),
    )
    if plain["begun"].null_count() + plain["ended"].null_count() == sum(told.null_count().row(0)):
        return plain
    return told.with_columns(begun=text.iso_date(pl.col("notified_on")), ended=text.iso_date(pl.col("ceased_on")))


def _with_subject(rows: pl.DataFrame, subject: pl.Expr) -> pl.DataFrame:
    return rows.select(example="company_number", subject=subject)
