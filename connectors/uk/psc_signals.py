"""Signals about the values of staged PSC rows: unknown codes and countries, impossible dates (FORMAT 4).

Belongs here: counting what a person should look at. Does not belong here: what the mapping does with such
values (`holdings`); the rows are staged as delivered.
"""

from __future__ import annotations

from datetime import date
from typing import Final

import polars as pl

from connectors.kit import text
from connectors.kit.staged import Tally
from connectors.uk.codelists import count, count_unlisted
from connectors.uk.natures import GRAMMAR
from connectors.uk.psc_schema import EXEMPTIONS, OTHERS, PERIODS, PSC, STATEMENTS
from warehouse.schema.types import Table

REGIME: Final = date(2016, 4, 6)  # nobody was registered as having control before this day
_FAR: Final = date(2100, 1, 1)  # later than any run; what is later than its own observation the mapping sees
_COUNTRIES: Final = ("nationality", "country_of_residence", "country_registered")


def count_strange(table: Table, rows: pl.DataFrame, tally: Tally) -> None:
    """All signals of one chunk of one table."""
    if table is PSC:
        _count_holders(rows, tally)
    elif table is OTHERS:
        count(tally, "unknown_kind", _subjects(rows, pl.col("kind").fill_null("none")))
    elif table is EXEMPTIONS:
        keys = pl.col("exemptions").str.json_decode(PERIODS).list.eval(pl.element().struct.field("key"))
        count_unlisted(tally, "unknown_exemption", "exemptions", _subjects(rows, keys).explode("subject"))
    elif table is STATEMENTS:
        count_unlisted(tally, "unknown_statement", "statements", _subjects(rows, pl.col("statement")))


def _count_holders(rows: pl.DataFrame, tally: Tally) -> None:
    natures = _subjects(rows, pl.col("natures_of_control")).explode("subject")
    count(tally, "unknown_nature", natures.filter(~pl.col("subject").str.contains(GRAMMAR)))
    for column in _COUNTRIES:
        count_unlisted(tally, "unknown_country", "countries", _subjects(rows, pl.col(column)))
    begun, ended = (text.iso_date(pl.col(column)) for column in ("notified_on", "ceased_on"))
    for column, day in (("notified_on", begun), ("ceased_on", ended)):
        unreadable = rows.filter(text.unreadable(pl.col(column), day))
        count(tally, "bad_date", _subjects(unreadable, pl.lit(column)))
        impossible = rows.filter((day < REGIME) | (day >= _FAR))
        count(tally, "impossible_date", _subjects(impossible, pl.lit(column)))
    backwards = rows.filter(ended < begun)
    count(tally, "ceased_before_notified", _subjects(backwards, pl.lit("ceased_on")))


def _subjects(rows: pl.DataFrame, subject: pl.Expr) -> pl.DataFrame:
    return rows.select(example="company_number", subject=subject)
