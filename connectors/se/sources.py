"""Where the fields of a profile come from: `sources` as JSON text, one entry per register that gave something.

Step by step, as columns: in one step the engine would make the same text anew for every use of it. Does not
belong here: which register's word counts (`profiles`).
"""

from __future__ import annotations

import json
from typing import Final

import polars as pl

from connectors.se import places
from connectors.se.arsredovisning_schema import KEY as REPORTS
from connectors.se.bolagsverket_fields import KEY as BULK
from connectors.se.bolagsverket_fields import NUMBER
from connectors.se.organisationer_fields import KEY as ANSWERS
from connectors.se.register import LICENCE, PLACES_NAME, PLACES_URL, STATISTICS_LICENCE
from connectors.se.scb_fields import KEY as STATISTICS

PLACES: Final = "se.postnummer"
_ANSWERED: Final = "_answered_at"
_LAST: Final = "observed_at"
_TOLD: Final = "_told_by"
_OF_BULK: Final = ("name", "registered_date", "status")
_OF_STATISTICS: Final = ("sni_code", "sni_label", "status")
_OF_ANSWERS: Final = ("name", "sni_code", "sni_label", "registered_date", "status")
_OF_REPORTS: Final = ("latest_revenue", "latest_currency", "latest_year")
# register -> the column with its instant, the column with its own id, licence, fields, address
_ENTRIES: Final = {
    BULK: ("bulk_seen", NUMBER, LICENCE.name, _OF_BULK, None),
    STATISTICS: ("scb_seen", NUMBER, STATISTICS_LICENCE.name, _OF_STATISTICS, None),
    ANSWERS: (_ANSWERED, NUMBER, LICENCE.name, _OF_ANSWERS, None),
    REPORTS: ("report_seen", NUMBER, LICENCE.name, _OF_REPORTS, None),
    PLACES: (_LAST, _TOLD, PLACES_NAME, ("municipality", "county"), PLACES_URL),
}


def with_sources(rows: pl.LazyFrame) -> pl.LazyFrame:
    """`rows` and `sources` and `observed_at`, the newest record behind the profile."""
    answered = rows.with_columns(pl.max_horizontal("answer_seen", "statistics_seen").alias(_ANSWERED))
    seen = answered.with_columns(
        pl.max_horizontal("bulk_seen", "scb_seen", "report_seen", _ANSWERED).alias(_LAST), _told()
    )
    instants = {columns[0] for columns in _ENTRIES.values()}
    texts = seen.with_columns(_text(pl.col(name)).alias(f"{name}_text") for name in sorted(instants))
    entries = texts.with_columns(_entry(register) for register in _ENTRIES)
    listed = pl.concat_str(*_ENTRIES, separator=",", ignore_nulls=True)
    return entries.with_columns(pl.concat_str(pl.lit("["), listed, pl.lit("]")).alias("sources"))


def _told() -> pl.Expr:
    """The post code that told the place; how sure that is stands with it."""
    basis = pl.col(places.BASIS)
    sure = pl.when(basis != "listed").then(":" + basis).otherwise(pl.lit(""))
    return pl.when(pl.col(places.COUNTY).is_not_null()).then(pl.col(places.POSTCODE) + sure).alias(_TOLD)


def _text(at: pl.Expr) -> pl.Expr:
    """Written once for each instant, of which a million rows have a handful."""
    return at.first().dt.strftime("%Y-%m-%dT%H:%M:%SZ").over(at)


def _entry(register: str) -> pl.Expr:
    """One entry as JSON text; null where that register gave nothing."""
    at, native, licence, fields, url = _ENTRIES[register]
    ending = f'","licence":{json.dumps(licence)},"fields":{json.dumps(fields, separators=(",", ":"))}}}'
    return pl.concat_str(
        pl.lit(f'{{"register":"{register}","native_id":"'),
        pl.col(native),
        pl.lit(f'","url":{json.dumps(url)},"retrieved_at":"'),
        pl.col(f"{at}_text"),
        pl.lit(ending),
    ).alias(register)
