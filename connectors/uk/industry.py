"""The first industry code of a company: code, label and edition out of one cell of BasicCompanyData.

See docs/formats/uk.md 3.

Belongs here: taking `62020 - Information technology consultancy activities` apart. Five digits are UK SIC 2007,
four are UK SIC 2003, which companies that changed nothing since 2011 still carry. Does not belong here: cells of
REST answers (`live_profiles` writes them alike).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from connectors.kit import codes

CELL: Final = "SICCode.SicText_1"
NONE: Final = "none supplied"
PATTERN: Final = r"^\s*(\d{4,5})\s*(?:-\s*(.*))?$"
_SCHEMES: Final = {5: "UKSIC2007", 4: "UKSIC2003"}
FIELDS: Final = ("industry_code", "industry_label", "industry_scheme")


def with_industry(rows: pl.DataFrame) -> pl.DataFrame:
    """`rows` with the FIELDS of their first cell; null where it says nothing, or nothing of a known shape.

    Millions of rows hold a few thousand cells: each is taken apart once. Their order stays.
    """
    cell = pl.col("_cell")
    cells = rows.select(_cell=pl.col(CELL).unique()).drop_nulls()
    code, label = (cell.str.extract(PATTERN, group).str.strip_chars() for group in (1, 2))
    listed = codes.load("connectors.uk", "sic").expr(code, "label")
    parts = cells.select(
        "_cell",
        industry_code=code,
        industry_label=pl.coalesce(pl.when(label != "").then(label), listed),
        industry_scheme=code.str.len_chars().replace_strict(_SCHEMES, default=None, return_dtype=pl.String),
    )
    return rows.join(parts, left_on=CELL, right_on="_cell", how="left", maintain_order="left")


def strange(cells: pl.Series) -> list[str]:
    """Those of distinct cells that are neither empty nor a code of the registry's own lists."""
    given = cells.drop_nulls().to_frame("cell")
    listed = pl.col("cell").str.extract(PATTERN, 1).is_in(sorted(codes.load("connectors.uk", "sic").codes))
    says_none = pl.col("cell").str.strip_chars().str.to_lowercase() == NONE
    return given.filter(~(listed.fill_null(value=False) | says_none))["cell"].to_list()
