"""Derives municipality and county from a post code (docs/formats/se.md 7.3), since no open register file has them.

The post code is that of the postal address (possibly a post box or accountant elsewhere), so the profile states
how the place was derived. Does not belong here: which address counts (`companies`).
"""

from __future__ import annotations

import csv
import io
from functools import cache
from importlib.resources import files
from typing import Final

import polars as pl

from connectors.se import code_lists
from connectors.se.text_columns import repair_cells

POSTCODE: Final = "_postcode"
MUNICIPALITY: Final = "_municipality_code"
COUNTY: Final = "_county_code"
MUNICIPALITY_NAME: Final = "_municipality"
COUNTY_NAME: Final = "_county"
BASIS: Final = "_place_basis"  # listed, place (by town name), neighbour (by adjacent codes), county (county only)
_NAMES: Final = (MUNICIPALITY, MUNICIPALITY_NAME, COUNTY, COUNTY_NAME, BASIS)
_LENGTH: Final = 5
_CODES: Final = 10**_LENGTH


def clean_postcodes(codes_: pl.Series) -> pl.Series:
    """Five digits of a Swedish post code in any spelling; null for other text."""
    is_code = (codes_.str.len_bytes() == _LENGTH) & codes_.cast(pl.UInt32, strict=False).is_not_null()
    odd = codes_.is_not_null() & ~(is_code & ~codes_.str.starts_with("+"))
    return repair_cells(codes_, odd, _strip_to_digits)


def _strip_to_digits(codes_: pl.Series) -> pl.Series:
    plain = codes_.str.replace_all(r"[\s\x{00A0}-]", "").str.replace(r"^SE", "")
    is_code = plain.str.contains(r"^[0-9]{5}$")
    return plain.zip_with(is_code.fill_null(value=False), pl.Series([None], dtype=pl.String))


@cache
def _postcode_table() -> tuple[pl.Series, pl.DataFrame]:
    """Index from every possible post code to its row of places, and these rows.

    Codes between two listed ones of one municipality belong to it too.
    """
    text = files("connectors.se").joinpath("codes", "postcodes.csv").read_text(encoding="utf-8")
    rows: list[int | None] = [None] * _CODES
    said: dict[tuple[str | None, ...], int] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        municipality, county = row["municipality"] or None, row["county"] or None
        names = code_lists.MUNICIPALITIES.get(municipality), code_lists.COUNTIES.get(county)
        one = (municipality, names[0], county, names[1], row["basis"])
        first, last = int(row["first"]), int(row["last"]) + 1
        rows[first:last] = [said.setdefault(one, len(said))] * (last - first)
    schema = pl.Schema(dict.fromkeys(_NAMES, pl.String))
    return pl.Series(rows, dtype=pl.UInt32), pl.DataFrame(list(said), schema=schema, orient="row")


def locate_postcodes(codes_: pl.Series) -> pl.DataFrame:
    """Codes and names of municipality and county, and the basis; null where unknown."""
    rows, said = _postcode_table()
    row = rows.gather(codes_.cast(pl.UInt32, strict=False))
    return said.select(pl.all().gather(row))
