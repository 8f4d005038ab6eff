"""Municipality and county from a post code (FORMAT 7.3): no register's open file carries them.

The post code is of the postal address, so a post box or an accountant's address may lie elsewhere: the source
of the statement is told with the profile. Does not belong here: which address counts (`profiles`).
"""

from __future__ import annotations

import csv
import io
from functools import cache
from importlib.resources import files
from typing import Final

import polars as pl

from connectors.se import codes

POSTCODE: Final = "_postcode"
MUNICIPALITY: Final = "_municipality_code"
COUNTY: Final = "_county_code"
BASIS: Final = (
    "_place_basis"  # listed, place (the town's name), neighbour (codes beside it), county (no more)
)
_DIGITS: Final = 5


def digits(code: pl.Expr) -> pl.Expr:
    """Five digits of a Swedish post code in any spelling; null for anything else."""
    plain = code.str.replace_all(r"[\s\x{00A0}-]", "").str.replace(r"^SE", "")
    return pl.when(plain.str.contains(r"^\d{5}$")).then(plain)


@cache
def _table() -> pl.DataFrame:
    """Every post code of the list's ranges; codes between two listed ones of one municipality are its too."""
    text = files("connectors.se").joinpath("codes", "postcodes.csv").read_text(encoding="utf-8")
    listed = list(csv.DictReader(io.StringIO(text, newline="")))
    rows = [
        (
            f"{code:05}",
            row["municipality"] or None,
            codes.MUNICIPALITIES.get(row["municipality"]),
            row["county"],
            codes.COUNTIES.get(row["county"]),
            row["basis"],
        )
        for row in listed
        for code in range(int(row["first"]), int(row["last"]) + 1)
    ]
    schema: dict[str, type[pl.String]] = dict.fromkeys(
        (POSTCODE, MUNICIPALITY, "_municipality", COUNTY, "_county", BASIS), pl.String
    )
    return pl.DataFrame(rows, schema=schema, orient="row")


def placed(rows: pl.LazyFrame) -> pl.LazyFrame:
    """`rows` (with POSTCODE) and the place beside it, codes and names; null where the list does not say."""
    return rows.join(_table().lazy(), on=POSTCODE, how="left", maintain_order="left")
