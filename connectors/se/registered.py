"""What Bolagsverket says of a company: rows of the bulk as one statement per company, whole columns.

Belongs here: which of several rows counts, names and addresses taken apart. Does not belong here: SCB's
statements (`statistics`), the choice between bulk and API (`profiles`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.se.bolagsverket_fields import FORM, KEY, NAMES, NUMBER, PROCEEDINGS, SERIAL

# A statement of either door: one row per company, these columns (see `profiles`).
STATEMENT: Final = {
    NUMBER: pl.String,
    "name": pl.String,
    "form": pl.String,
    "country": pl.String,
    "deregistered": pl.Date,
    "reason": pl.String,
    "proceedings": pl.String,
    "registered": pl.Date,
    "street": pl.String,
    "care_of": pl.String,
    "town": pl.String,
    "postcode": pl.String,
    "address_country": pl.String,
    "register": pl.String,
    "seen": pl.Datetime("us", "UTC"),
}
_ELEMENT: Final = r"(?s)^(.*)\$([A-Z_]+?)(?:-ORGNAM)?\$(?:(\d{4}-\d{2}-\d{2})|null|NULL)?(?:\$.*|)$"
_RANKS: Final = {"FORETAGSNAMN": 0, "NAMN": 1}  # the API writes the same words
_OTHER: Final = 2
_BETWEEN: Final = "|"
_REGISTERED: Final = "$FORETAGSNAMN-ORGNAM$"
_DATE: Final = 10  # characters
_IS_PLAIN: Final = (
    pl.col(NAMES).str.slice(-len(_REGISTERED) - _DATE, len(_REGISTERED)) == _REGISTERED
) & ~pl.col(NAMES).str.contains(_BETWEEN, literal=True)
_ROW: Final = "_row"
_NULL: Final = "null"
_CUT: Final = "_parts_of_address"
ADDRESS: Final = ("street", "care_of", "town", "postcode", "address_country")
_PLACES: Final = {"care_of": -4, "town": -3, "postcode": -2, "address_country": -1}


def statements(rows: pl.LazyFrame) -> pl.LazyFrame:
    """One row per company: not deregistered before deregistered, then the latest registered name."""
    numbered = rows.with_row_index(_ROW)
    named = with_names(numbered)
    # nearly all have one row: only the others are put in order
    several = pl.col(NUMBER).cast(pl.UInt64).is_duplicated()
    first = pl.concat([named.filter(~several), _first(named.filter(several))])
    return (
        with_address(first, "postadress")
        .select(
            pl.col(NUMBER),
            one_line(pl.col("_name")).alias("name"),
            pl.col(FORM).alias("form"),
            pl.col("registreringsland").alias("country"),
            pl.col("avregistreringsdatum").alias("deregistered"),
            pl.col("avregistreringsorsak").alias("reason"),
            pl.col(PROCEEDINGS).alias("proceedings"),
            pl.col("registreringsdatum").alias("registered"),
            *ADDRESS,
            pl.lit(KEY).alias("register"),
            pl.col("_observed_at").alias("seen"),
        )
        .select(*STATEMENT)
    )


def _first(named: pl.LazyFrame) -> pl.LazyFrame:
    """Of several rows of a number the one that counts; one that left the register only where all did."""
    order = ["_gone", "_ended", "_rank", "_name_date", SERIAL, "rad"]
    ranked = named.with_columns(
        _gone=pl.col("_retired_at").is_not_null(), _ended=pl.col("avregistreringsdatum").is_not_null()
    ).sort(NUMBER, *order, descending=[False, False, False, False, True, False, False], nulls_last=True)
    return ranked.unique(NUMBER, keep="first", maintain_order=True).drop("_gone", "_ended")


def one_line(text: pl.Expr) -> pl.Expr:
    """Text that a register broke over lines, as one."""
    return (
        text.str.replace_all("\r", "", literal=True)
        .str.replace_all("\n", " ", literal=True)
        .str.strip_chars()
    )


def with_names(rows: pl.LazyFrame) -> pl.LazyFrame:
    """`rows` (with _ROW) and the name that counts, the rank of its kind, its date.

    The registered name of the latest date, else a plain name, else the first of any kind.
    """
    plain, name = _IS_PLAIN.fill_null(value=False), pl.col(NAMES)
    others = _best(rows.select(_ROW, NAMES).filter(~plain))
    day = name.str.slice(-_DATE).str.to_date("%Y-%m-%d", strict=False)
    # nearly all have one registered name and its date, and need no pattern
    return rows.join(others, on=_ROW, how="left").with_columns(
        pl.when(plain).then(name.str.head(-len(_REGISTERED) - _DATE)).otherwise("_name").alias("_name"),
        pl.when(plain).then(pl.lit(0, pl.Int32)).otherwise("_rank").alias("_rank"),
        pl.when(plain).then(day).otherwise("_name_date").alias("_name_date"),
    )


def _best(rows: pl.LazyFrame) -> pl.LazyFrame:
    each = rows.with_columns(pl.col(NAMES).str.split(_BETWEEN)).explode(NAMES, empty_as_null=True)
    latest = pl.when(pl.col("_rank") == 0).then(pl.col("_name_date"))
    ordered = (
        _parts(each)
        .with_columns(_latest=latest)
        .sort(_ROW, "_rank", "_latest", descending=[False, False, True], nulls_last=True, maintain_order=True)
    )
    return ordered.unique(_ROW, keep="first", maintain_order=True).drop("_latest")


def _parts(elements: pl.LazyFrame) -> pl.LazyFrame:
    """Name, rank of its kind and date of each element; what is none (part of an activity) is left out."""
    parts = elements.with_columns(pl.col(NAMES).str.extract_groups(_ELEMENT).alias("_parts")).select(
        _ROW,
        pl.col("_parts").struct.field("1").alias("_name"),
        pl.col("_parts")
        .struct.field("2")
        .replace_strict(_RANKS, default=_OTHER, return_dtype=pl.Int32)
        .alias("_rank"),
        pl.col("_parts").struct.field("3").str.to_date("%Y-%m-%d", strict=False).alias("_name_date"),
    )
    return parts.filter(pl.col("_name").is_not_null() & (pl.col("_name") != ""))


def with_address(rows: pl.LazyFrame, column: str) -> pl.LazyFrame:
    """`rows` and the parts of street$c/o$city$postcode$country, each null where it says nothing.

    Counted from the end, as a street may hold the sign itself. Step by step: in one step the engine would cut
    the text anew for every part.
    """
    parts = pl.col(_CUT)
    texts = {
        "street": parts.list.head(parts.list.len() - 4).list.join("$"),
        **{name: parts.list.get(place, null_on_oob=True) for name, place in _PLACES.items()},
    }
    cut = rows.with_columns(one_line(pl.col(column)).str.split("$").alias(_CUT))
    whole = cut.with_columns(pl.when(parts.list.len() >= len(texts)).then(parts).alias(_CUT))
    said = whole.with_columns(text.str.strip_chars().alias(name) for name, text in texts.items())
    stated = said.with_columns(_stated(pl.col(name)).alias(name) for name in texts).drop(_CUT)
    return stated.with_columns(pl.col("address_country").str.strip_suffix("-LAND"))


def _stated(text: pl.Expr) -> pl.Expr:
    short = pl.when(text.str.len_bytes() == len(_NULL)).then(text)
    return pl.when((text != "") & ~short.str.to_lowercase().eq_missing(_NULL)).then(text)
