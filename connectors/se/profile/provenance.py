"""Provenance of profile fields: `sources` as JSON text, one entry per contributing register.

Entry texts are built once per timestamp, of which a million rows have a handful, and concatenated in one pass.
Does not belong here: register precedence (`companies`).
"""

from __future__ import annotations

import json
from typing import Final

import polars as pl

from connectors.se.annual_reports.schema import KEY as REPORTS
from connectors.se.api.schema import KEY as ANSWERS
from connectors.se.bulk.bolagsverket_schema import KEY as BULK
from connectors.se.bulk.bolagsverket_schema import NUMBER
from connectors.se.bulk.scb_schema import KEY as STATISTICS
from connectors.se.business_register.schema import KEY as ENTERPRISES
from connectors.se.profile import postcodes
from connectors.se.register import LICENCE, PLACES_NAME, PLACES_URL, STATISTICS_LICENCE
from connectors.se.text_columns import repair_cells

PLACES: Final = "se.postnummer"
_ANSWERED: Final = "_answered_at"
_LAST: Final = "observed_at"
_TOLD: Final = "_told_by"
_OF_BULK: Final = ("name", "registered_date", "status")
_OF_STATISTICS: Final = ("sni_code", "sni_label", "status")
_OF_ANSWERS: Final = ("name", "sni_code", "sni_label", "registered_date", "status")
_OF_ENTERPRISES: Final = ("sni_code", "sni_label", "municipality", "county")
_OF_REPORTS: Final = ("latest_revenue", "latest_currency", "latest_year")
# register -> timestamp column, id column, licence, fields, URL
_ENTRIES: Final = {
    BULK: ("bulk_seen", NUMBER, LICENCE.name, _OF_BULK, None),
    STATISTICS: ("scb_seen", NUMBER, STATISTICS_LICENCE.name, _OF_STATISTICS, None),
    ANSWERS: (_ANSWERED, NUMBER, LICENCE.name, _OF_ANSWERS, None),
    ENTERPRISES: ("register_seen", NUMBER, STATISTICS_LICENCE.name, _OF_ENTERPRISES, None),
    REPORTS: ("report_seen", NUMBER, LICENCE.name, _OF_REPORTS, None),
    PLACES: (_LAST, _TOLD, PLACES_NAME, ("municipality", "county"), PLACES_URL),
}
_PLACES: Final = {register: place for place, register in enumerate(_ENTRIES)}
_USED: Final = tuple({name for at, native, *_ in _ENTRIES.values() for name in (at, native)})
STRETCH_ROWS: Final = 8_000  # rows per pass; larger buffers would be allocated from the system each time


def with_sources(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds `sources` and `observed_at` (time of the newest record used for the profile)."""
    answered = rows.with_columns(pl.max_horizontal("answer_seen", "statistics_seen").alias(_ANSWERED))
    seen = answered.with_columns(
        _place_basis(rows),
        pl.max_horizontal("bulk_seen", "scb_seen", "register_seen", "report_seen", _ANSWERED).alias(_LAST),
    )
    who = seen.select(pl.sum_horizontal(_register_bit(register) for register in _ENTRIES).alias("who"))["who"]
    return seen.with_columns(_source_texts(seen.select(_USED), who).alias("sources"))


def _register_bit(register: str) -> pl.Expr:
    """The register's bit if it contributed, else zero."""
    at, native, *_ = _ENTRIES[register]
    said = pl.col(at).is_not_null() & pl.col(native).is_not_null()
    return said.cast(pl.UInt8) * (1 << _PLACES[register])


def _source_texts(rows: pl.DataFrame, who: pl.Series) -> pl.Series:
    """`sources` of each row. `who`: bits of the contributing registers; few combinations occur."""
    groups = {bits: (who == bits).arg_true() for bits in who.unique()}
    if len(groups) < 2:  # noqa: PLR2004 - one is all rows
        return _texts_of_group(rows, *groups) if groups else pl.Series(dtype=pl.String)
    texts = pl.concat((_texts_of_group(rows[places_], bits) for bits, places_ in groups.items()), rechunk=True)
    return texts.gather(pl.concat(groups.values()).arg_sort())  # one chunk, otherwise all text is copied


def _texts_of_group(rows: pl.DataFrame, who: int) -> pl.Series:
    """`sources` of companies with the same contributing registers."""
    parts: list[pl.Expr] = []
    between = "["  # adjacent fixed texts are merged to save a column
    for register in (register for register, place in _PLACES.items() if who >> place & 1):
        at, native, *_ = _ENTRIES[register]
        opening = f'{"," if parts else ""}{{"register":"{register}","native_id":"'
        parts += [pl.lit(between + opening), pl.col(native)]
        instants, endings = _entry_endings(register, rows[at])
        between = endings[0] if len(endings) == 1 else ""
        if not between:
            parts.append(pl.col(at).replace_strict(instants, endings, return_dtype=pl.String))
    text = pl.concat_str(*parts, pl.lit(between + "]")) if parts else pl.repeat("[]", pl.len())
    return pl.concat(stretch.select(text).to_series() for stretch in rows.iter_slices(STRETCH_ROWS))


def _entry_endings(register: str, at: pl.Series) -> tuple[pl.Series, list[str]]:
    """Distinct timestamps of `at`, and for each the entry text after the register's id."""
    _, _, licence, fields, url = _ENTRIES[register]
    instants = at.head(1) if at.min() == at.max() else at.unique()
    opening = f'","url":{json.dumps(url)},"retrieved_at":"'
    ending = f'","licence":{json.dumps(licence)},"fields":{json.dumps(fields, separators=(",", ":"))}}}'
    return instants, [f"{opening}{text}{ending}" for text in instants.dt.strftime("%Y-%m-%dT%H:%M:%SZ")]


def _place_basis(rows: pl.DataFrame) -> pl.Series:
    """Post code that gave the place, followed by the basis if the code is not listed; null for a stated seat."""
    is_placed = pl.col(postcodes.COUNTY).is_not_null() & pl.col("seat_county").is_null()
    told = rows.select(pl.when(is_placed).then(postcodes.POSTCODE).alias(_TOLD))[_TOLD]
    is_unsure = is_placed & (pl.col(postcodes.BASIS) != "listed").fill_null(value=False)
    unsure = rows.select(is_unsure.alias("unsure"))["unsure"]
    return repair_cells(told, unsure, lambda code: code + ":" + rows[postcodes.BASIS].filter(unsure))
